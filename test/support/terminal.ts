/** The built command line on a pseudo terminal of util-linux `script`, its screen read as a person would. */
import { spawn, spawnSync } from 'node:child_process';
import { Terminal } from '@xterm/headless';
import { onTestFailed } from 'vitest';
import { type Home, QUICK, SCRIP } from './cli.ts';

/** Why there is no pseudo terminal here; undefined where there is one. */
export const noTerminalBecause: string | undefined = reason();

function reason(): string | undefined {
  const { status } = spawnSync('script', ['-qefc', 'true', '/dev/null']);
  return status === 0 ? undefined : 'needs `script` of util-linux for a pseudo terminal';
}

export interface TerminalRun {
  /** What is on the screen, without the spaces at the ends of lines. */
  screen(): string;
  /** How many lines have left the screen at its top. */
  above(): number;
  /** The lines that the terminal has broken at its edge. */
  broken(): readonly string[];
  /** Everything that was written, control sequences included. */
  written(): string;
  /** Resolves when the screen shows it; rejects when the program ends before. */
  shows(text: string | RegExp): Promise<string>;
  /** Types, as keys would. */
  send(keys: string): void;
  /** Exit status of the program. */
  readonly ended: Promise<number | null>;
}

export const KEYS = {
  enter: '\r',
  yes: 'y\r',
  no: 'n\r',
  escape: '\u001b',
  erase: '\u007f',
  down: '\u001b[B',
  up: '\u001b[A',
  ctrlC: '\u0003',
  ctrlD: '\u0004',
} as const;

interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `scrip` with these words on a terminal of 80 by 24. */
export function openTerminal(
  words: readonly string[],
  home: Pick<Home, 'dir'>,
  options?: TerminalOptions,
): TerminalRun {
  return openProgram([...SCRIP, ...words], home, options);
}

/** Waits for each text in turn and types its keys, then for the end. */
export async function answering(
  run: TerminalRun,
  ...answers: readonly (readonly [shown: string | RegExp, keys: string])[]
) {
  /** What the screen showed before each of the keys. */
  const seen: string[] = [];
  for (const [shown, keys] of answers) {
    seen.push(await run.shows(shown));
    run.send(keys);
  }
  const status = await run.ended;
  return { status, seen, screen: run.screen(), written: run.written() };
}

/** Starts any program so. */
export function openProgram(
  words: readonly string[],
  home: Pick<Home, 'dir'>,
  { columns: cols = 80, rows = 24, env = {} }: TerminalOptions = {},
): TerminalRun {
  const size = { cols: cols || 80, rows: rows || 24 };
  const terminal = new Terminal({ ...size, allowProposedApi: true, scrollback: 1_000 });
  const command = words.map(quote).join(' ');
  const line = `stty rows ${rows} cols ${cols}; exec ${command}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: home.dir,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home.dir,
      ...QUICK,
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const state = { written: '', isOver: false };
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const check of waiting) check();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    state.written += text;
    terminal.write(text, look);
  });
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (status) => {
      terminal.write('', () => {
        state.isOver = true;
        look();
        resolve(status);
      });
    }),
  );
  const screen = (): string => screenOf(terminal);
  // A test that waits in vain says what it saw; the program does not outlive it.
  onTestFailed(() => {
    child.kill();
    process.stderr.write(`The screen of ${words.join(' ')}:\n${screen()}\n`);
  });
  return {
    screen,
    above: () => terminal.buffer.active.baseY,
    broken: () => brokenIn(terminal),
    written: () => state.written,
    ended,
    send: (keys) => {
      child.stdin.write(keys);
    },
    shows: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          const now = screen();
          const isShown = typeof text === 'string' ? now.includes(text) : text.test(now);
          if (!isShown && !state.isOver) return;
          waiting.delete(check);
          if (isShown) resolve(now);
          else reject(new Error(`the screen never showed ${String(text)}:\n${now}`));
        };
        waiting.add(check);
        check();
      }),
  };
}

function screenOf({ buffer: { active }, rows }: Terminal): string {
  const lines = Array.from({ length: rows }, (_, row) =>
    active.getLine(active.viewportY + row)?.translateToString(true),
  );
  return lines
    .map((text) => text ?? '')
    .join('\n')
    .trimEnd();
}

function brokenIn({ buffer: { active } }: Terminal): readonly string[] {
  const rows = Array.from({ length: active.length }, (_, row) => active.getLine(row));
  return rows.flatMap((row, at) =>
    row?.isWrapped ? (rows[at - 1]?.translateToString(true) ?? '') : [],
  );
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
