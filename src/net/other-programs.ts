/** Starts programs of the user's system: a pager for long output, and the opener for URLs. */
import { spawn } from 'node:child_process';

/** A program and its arguments, started without a shell. */
type Words = readonly [program: string, ...args: string[]];

/** Shows the text and waits until the user closes the pager. @returns false if the pager could not start */
export function showInPager(words: Words, text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [program, ...args] = words;
  return new Promise((resolve) => {
    // Our output is always UTF-8; in another locale less would show its bytes as codes.
    const child = spawn(program, args, {
      env: { LESSCHARSET: 'utf-8', ...env },
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.once('error', () => resolve(false));
    child.once('close', () => resolve(true));
    // The user may close the pager before it has read all the text.
    child.stdin.on('error', () => undefined);
    child.stdin.end(text);
  });
}

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, Words>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a URL with the platform's opener. @returns whether the opener succeeded */
export function openAddress(url: string, platform: NodeJS.Platform): Promise<boolean> {
  const [program, ...args] = OPENERS[platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('close', (status) => resolve(status === 0));
  });
}
