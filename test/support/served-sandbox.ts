/** The sandbox as its own process, on a port of the system's choice. */
import type { ChildProcess } from 'node:child_process';
import { atEnd } from './at-end.ts';
import type { Home } from './cli.ts';

export interface ServedSandbox {
  readonly url: string;
  /** Flags that point a command at it. */
  readonly flags: readonly string[];
  readonly process: ChildProcess;
  /** What it has written to stdout so far. */
  printed(): string;
  /** What it has written to stderr so far. */
  warnings(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts `scrip sandbox` and waits for the line that names its address. */
export function serveSandbox(home: Home, args: readonly string[] = []): Promise<ServedSandbox> {
  return served(home.start(['sandbox', '--port', '0', '--json', ...args]));
}

/**
 * Waits for the line with which a started server names its address; it is stopped at the end (`atEnd`).
 * @param isKept by who starts it, also beyond the test that does
 */
export async function served(child: ChildProcess, isKept = false): Promise<ServedSandbox> {
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  if (!isKept) atEnd(() => stop());
  let [printed, warnings] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    warnings += text;
  });
  const url = await firstUrl(child);
  return {
    url,
    flags: ['--checkout-url', url, '--rpc-url', `${url}/rpc`],
    process: child,
    printed: () => printed,
    warnings: () => warnings,
    stop,
  };
}

function firstUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    const read = (text: string): void => {
      said += text;
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (found) resolve(found[0]);
    };
    child.stdout?.setEncoding('utf8').on('data', read);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.once('close', () => reject(new Error(`the server ended early: ${said}`)));
  });
}
