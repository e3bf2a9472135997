/** The first screen, as a terminal shows it: in each state, in two sizes, in both languages. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { FIRST_COMMANDS, firstScreen } from '../../src/cli/first-screen.ts';
import { localizer } from '../../src/cli/i18n/localize.ts';
import { openJournal } from '../../src/records/journal-files.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { anAttempt, anIntent, PAYER } from '../support/journal-records.ts';
import { noTerminalBecause, openTerminal } from '../support/terminal.ts';

const HEART = ['brands', 'catalog', 'price', 'validate', 'order', 'track', 'wizard'];
const SIZES = [
  [50, 18],
  [120, 40],
] as const;

let home: Home;
beforeEach(() => {
  home = makeHome();
});

async function screenOf(
  [columns, rows]: readonly [number, number],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const run = openTerminal([], home, { columns, rows, env });
  expect(await run.ended).toBe(0);
  return run.screen();
}

/** Orders that were signed for, and of which nothing more is known. */
async function unfinished(count: number): Promise<void> {
  const dir = `${home.dir}/.local/state/scrip/journal`;
  const journal = openJournal({ dir, payer: PAYER });
  for (let number = 1; number <= count; number += 1) {
    const intent = anIntent({ intentId: `intent-${number}`, key: `key-${number}` });
    await journal.open(intent);
    await journal.addAttempt(intent, anAttempt());
  }
  // One that was paid and delivered, and one that was given up, are no matter.
  const done = anIntent({ intentId: 'done', key: 'done' });
  await journal.open(done);
  await journal.addAttempt(done, anAttempt());
  await journal.addFact(done, { fact: 'goods', attempt: 1, status: 'completed', sealed: '' });
  await journal.open(anIntent({ intentId: 'left', key: 'left' }));
}

describe.skipIf(noTerminalBecause !== undefined).each(SIZES)('on %i by %i', (...size) => {
  it.each(['en', 'es'])('stands whole on the screen, in %s', async (lang) => {
    const screen = await screenOf(size, { SCRIP_LANG: lang });
    // Nothing has scrolled off, and a line is left for the prompt.
    expect(screen).toMatch(/^scrip (buys|compra)/);
    expect(screen.split('\n').length).toBeLessThan(size[1]);
    for (const verb of HEART) expect(screen).toMatch(new RegExp(`\\b${verb}\\b`));
    for (const line of ['scrip wizard', 'scrip order amazon 25', 'scrip help all']) {
      expect(screen).toContain(line);
    }
    expect(screen).toMatch(/No wallet yet|Aún no hay monedero/);
  });
});

describe('the first screen', () => {
  it('is told of the wallet by the file alone, and names an order that is not finished', async () => {
    await home.json(['wallet', 'new']);
    const { stdout } = await home.run([]);
    expect(stdout).not.toContain('wallet yet');
    expect(stdout.trimEnd()).toMatch(/all commands and topics$/);
    await unfinished(1);
    expect((await home.run([])).stdout.replace(/\s+/g, ' ')).toContain(
      'Not finished: Amazon.com 25 USD. Continue with: scrip orders resume',
    );
  });

  it('counts orders that are not finished', async () => {
    await unfinished(3);
    expect((await home.run([])).stdout).toContain(
      '3 orders are not finished. Continue with: scrip orders resume\n',
    );
  });

  it('goes on with a wizard that was left', async () => {
    mkdirSync(`${home.dir}/.local/state/scrip`, { recursive: true });
    writeFileSync(`${home.dir}/.local/state/scrip/wizard-sandbox.json`, '{}');
    expect((await home.run([])).stdout).toContain('scrip wizard --resume');
  });

  it('promises no test money where a host was named', async () => {
    const env = { SCRIP_CHECKOUT_URL: 'https://shop.example' };
    const { stdout } = await home.run([], { env });
    expect(stdout).toContain('No wallet yet. Create one: scrip wallet new\n');
    expect(stdout).not.toContain('wallet fund');
  });

  it('is told without settings where they cannot be read', async () => {
    mkdirSync(`${home.dir}/.config/scrip`, { recursive: true });
    writeFileSync(`${home.dir}/.config/scrip/config.json`, '{ no');
    const { status, stdout, stderr } = await home.run([]);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^scrip buys/);
  });

  it('loads nothing of the program, and makes no file', async () => {
    const { stderr } = await home.run([], { env: { NODE_DEBUG: 'module' } });
    expect(stderr).toContain('first-screen.cjs');
    expect(stderr).not.toMatch(/bin\/load\.js|libsql|litesvm|\.node\b/);
  });

  it('names commands that there are, in groups of the long list', () => {
    for (const [group, verbs] of FIRST_COMMANDS) {
      for (const verb of verbs) {
        const entry = COMMANDS.find((one) => one.verb === verb);
        expect([verb, entry?.group]).toEqual([verb, `${group}:`]);
      }
    }
  });

  it.each([50, 80])('has no line of more than %i columns', async (columns) => {
    for (const localize of [await localizer('en'), await localizer('es')]) {
      const states = [
        { kind: 'nothing' },
        { kind: 'draft' },
        { kind: 'no-wallet', isPlayMoney: true },
        { kind: 'unfinished', orders: ['A very long name of a product 100 USD'] },
      ] as const;
      for (const state of states) {
        const lines = firstScreen(state, { columns, localize }).trimEnd().split('\n');
        expect(lines.filter((line) => line.length > columns)).toEqual([]);
        expect(lines.length).toBeLessThan(18);
      }
    }
  });

  it('shows what a merchant wrote into a name, and obeys none of it', async () => {
    const localize = await localizer('en');
    const state = { kind: 'unfinished', orders: ['x\u001b[2J\u202ey'] } as const;
    const text = firstScreen(state, { columns: 80, localize });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });
});
