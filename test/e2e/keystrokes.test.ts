/** From an empty home to a code: the keys that a first and a second purchase take, typed on a terminal. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { KEYS, noTerminalBecause, openTerminal, type TerminalRun } from '../support/terminal.ts';

const ADDRESS = 'you@example.com';

let home: Home;
beforeAll(() => {
  home = makeHome();
});

/** Waits for the last question of the screen, and answers it. */
interface Answer {
  readonly question: RegExp;
  readonly keys: string;
}

/** Types the line and the answers, in whatever order they are asked for; counts all but addresses. */
async function keysOf(words: readonly string[], answers: readonly Answer[]): Promise<number> {
  const terminal = openTerminal(words, { home: home.dir, rows: 40 });
  const typed = [`scrip ${words.join(' ')}${KEYS.enter}`];
  const open = [...answers];
  for (;;) {
    const next = await nextAsked(terminal, open);
    if (next === undefined) break;
    open.splice(open.indexOf(next), 1);
    terminal.send(next.keys);
    typed.push(next.keys.replace(ADDRESS, ''));
  }
  expect(await terminal.ended).toBe(0);
  // The code is alone on its line, and only how to redeem it stands below it.
  expect(terminal.screen()).toMatch(/^ {6}TEST-\S+$/m);
  return typed.join('').length;
}

/** Undefined when the program has ended. */
async function nextAsked(
  terminal: TerminalRun,
  open: readonly Answer[],
): Promise<Answer | undefined> {
  const asked = new RegExp(
    `^\\? .*(?:${open.map(({ question }) => question.source).join('|')})`,
    'm',
  );
  if (open.length === 0) return undefined;
  try {
    const screen = await terminal.shows(asked);
    return open.find(({ question }) => new RegExp(`^\\? .*${question.source}`, 'm').test(screen));
  } catch {
    return undefined;
  }
}

const ANSWERS: readonly Answer[] = [
  { question: /[Cc]ountry/, keys: KEYS.enter },
  { question: /Which e-mail/, keys: `${ADDRESS}${KEYS.enter}` },
  { question: /your own address/, keys: `y${KEYS.enter}` },
  { question: /Create one with 100 USDC of test money/, keys: KEYS.enter },
  { question: /Buy it\?/, keys: `y${KEYS.enter}` },
];

describe.skipIf(noTerminalBecause)('the everyday line', () => {
  it('takes at most 40 keys from an empty home to a code', async () => {
    expect(await keysOf(['order', 'amazon', '25'], ANSWERS)).toBeLessThanOrEqual(40);
  });

  it('takes at most 25 keys the second time', async () => {
    expect(await keysOf(['order', 'amazon', '50'], ANSWERS)).toBeLessThanOrEqual(25);
  });
});
