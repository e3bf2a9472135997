/** Programs of the user's that show something: a pager for long output, an opener for addresses. */
import { spawn } from 'node:child_process';

/** A program and its arguments; no shell reads them. */
type Words = readonly [program: string, ...args: string[]];

/** Waits until it was closed. @returns false when it could not be started: nothing was shown */
export function showInPager(words: Words, text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [program, ...args] = words;
  return new Promise((resolve) => {
    // The output is UTF-8 in every locale; less shows its bytes as codes where it is another one.
    const child = spawn(program, args, {
      env: { LESSCHARSET: 'utf-8', ...env },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.once('error', () => resolve(false));
    child.once('close', () => resolve(true));
    // A reader who has seen enough closes it before the end.
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, Words>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Hands an address to the program that the platform opens addresses with. @returns whether it took it */
export function openAddress(url: string, platform: NodeJS.Platform): Promise<boolean> {
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('close', (status) => resolve(status === 0));
  });
}
