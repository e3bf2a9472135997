/** What a person meets between the words of an order and the payment: rows, questions, answers that are refused. */
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { fundedWallet } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const ADDRESS = 'you@example.com';
const STOP = KEYS.ctrlC;
const home = makeHome();
await fundedWallet(home);
await home.run(['config', 'set', 'country', 'us']);
await home.run(['config', 'set', 'email', ADDRESS]);

const open = (...words: readonly string[]) =>
  openTerminal(words, home, { rows: 50, env: { TZ: 'Asia/Tokyo' } });
const order = (...words: readonly string[]) => open('order', ...words, '--to', ADDRESS);

describe.skipIf(noTerminalBecause)(`an order at a terminal (${noTerminalBecause})`, () => {
  it('shows a plan by its name, with what is paid for it in cents', async () => {
    const terminal = order('esim');
    const list = await terminal.shows('20 GB 30 days');
    expect(list).toMatch(/❯ eSIM +1 GB 7 days +4\.04 USDC/);
    expect(list).toMatch(/ eSIM +3 GB 30 days +9\.09 USDC/);
    expect(list).not.toMatch(/\d USD\b/);
    // In any case of letters.
    terminal.send('3 gb');
    const run = await answering(
      terminal,
      [/Which one\? 3 gb\s+❯ eSIM +3 GB/, KEYS.enter],
      ['Buy it?', KEYS.yes],
    );
    expect(run.seen[1]).toContain('eSIM 3 GB 30 days · United States');
    expect(run.seen[1]).toContain('200.00 → 190.91 USDC');
    expect([run.status, run.screen]).toEqual([0, expect.stringContaining('eSIM 3 GB 30 days')]);
    const repeated =
      /\? eSIM 3 GB 30 days for [\s\S]*ordered\s+at\s+\d+:\d\d [AP]M\.\s+Order\s+it\s+again\?/;
    const again = await answering(order('esim', '3 GB 30 days'), [repeated, KEYS.yes]);
    // One question: the summary is above it, and its yes buys.
    expect(again.seen[0]).toMatch(/^ {2}Pay +9\.09 USDC/m);
    expect([again.status, again.screen.includes('Buy it?')]).toEqual([0, false]);
  });

  it('asks what a value means that may be thousands', async () => {
    const asked = 'Is the value 25, and not 25000?';
    const run = await answering(
      order('amazon', '25.000'),
      [asked, KEYS.yes],
      [/25[\s\S]*Buy it\?/, KEYS.no],
    );
    expect(run.status).toBe(7);
    const other = await answering(order('amazon', '25.000'), [asked, KEYS.enter]);
    const hint = expect.stringContaining('Write 25000, or 25.0000');
    expect([other.status, other.screen]).toEqual([2, hint]);
  });

  it('loses no purchase to a stray key, and buys at the yes that follows', async () => {
    const run = await answering(
      order('amazon', '10'),
      [/^ {2}Wallet +\d+\.\d\d → \d+\.\d\d USDC$[\s\S]*Buy it\?/m, `x${KEYS.enter}`],
      [/Type y for yes, n for no or \? for more\./, `?${KEYS.enter}`],
      [/Product id[\s\S]*^\? Buy it\?/m, KEYS.yes],
    );
    expect(run.seen[1]).toMatch(/^\? Buy it\? \(y\/N\/\?\)$/m);
    // The time of this machine, with its zone if it is not today's, and no limit on test money.
    expect(run.seen[2]).toMatch(
      /^ {2}Price until +(\d+:\d\d [AP]M|\w{3} \d+, \d{4}, \d+:\d\d [AP]M GMT\+9)$/m,
    );
    expect(run.seen[2]).not.toMatch(/in 24 hours/);
    expect([run.status, run.screen]).toEqual([0, expect.stringMatching(/^ {6}TEST-\S+$/m)]);
  });

  it.each([
    ['order amazon 25 --coin FOO', 'FOO is not a coin'],
    ['order amazon 25 --coin BTC --network FOO', 'FOO is not a network of BTC'],
    ['wizard --network FOO', 'FOO is not a network of USDC'],
  ])('refuses before any question: %s', async (line, refusal) => {
    const { status, screen } = await answering(openTerminal(line.split(' '), makeHome()));
    expect([status, screen.replace(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(refusal)]);
    expect(screen).not.toMatch(/^[?✔]/m);
  });

  it('goes on in the wizard without a wallet, in coins that need none', async () => {
    const answers = ['--type', 'giftcard', '--country', 'us', '--brand', 'Steam', '--value', '20'];
    const words = ['wizard', ...answers, '--to', ADDRESS, '--email', ADDRESS];
    const run = await answering(
      openTerminal(words, makeHome(), { rows: 40 }),
      ['No wallet here yet.', KEYS.no],
      [/^❯ BTC$[\s\S]*Enter selects/m, KEYS.enter],
      [/❯ Mainnet {2}\(simulated\)[\s\S]*Enter selects/, KEYS.enter],
      ['Type yes to place the order', STOP],
    );
    expect(run.seen[1]).not.toMatch(/USDC$|^ {2}SOL$/m);
    expect(run.status).toBe(130);
  });

  it('proposes the kept address in the wizard, in lines that fit, and says what is accepted', async () => {
    const run = await answering(
      open('wizard', '--type', 'shell'),
      [
        /--type is not accepted: "shell" matches no product type\.[\s\S]*\? 1\/9/,
        `giftcard${KEYS.enter}`,
      ],
      [/\? 3\/9[\s\S]*to choose from/, `amazon.com${KEYS.enter}`],
      [/\? 4\/9[\s\S]*^1 to 2000 USD in steps of 1$[\s\S]*Enter selects/m, KEYS.enter],
      [/\? 5\/9 Which e-mail address [^\n]*\(you@example\.com\)/, KEYS.enter],
      [/\? 6\/9[\s\S]*Enter selects/, STOP],
    );
    expect(run.seen[0]?.replace(/\s+/g, ' ')).toContain(
      'Answer with one of these: giftcard, mobile_topup.',
    );
    expect(run.seen[0]).not.toContain('Such as:');
    expect(run.seen[4]).toMatch(
      /^\? 6\/9 Which coin do you pay with\? USDC on Solana is recommended\. ?$/m,
    );
    expect(run.status).toBe(130);
  });

  it('stays open at a text that nothing matches, and says so', async () => {
    const run = await answering(
      order('ama', '25'),
      [/\? Which one\?[\s\S]*❯ /, `zzzzqqq${KEYS.enter}`],
      [/\? Which one\? zzzzqqq\s+No match for "zzzzqqq"/, STOP],
    );
    expect([run.status, run.seen[1]]).toEqual([130, expect.not.stringContaining('✔')]);
  });

  it('prints what a setting was set to', async () => {
    const words = ['config', 'set', 'country', 'br'];
    const set = await answering(openTerminal(words, makeHome()));
    expect(set.status).toBe(0);
    expect(set.screen).toMatch(/^Saved +country = br \(~\/\.config\/scrip\/config\.json\)$/m);
  });

  it('is left by Esc, and declined by Enter alone', async () => {
    const ended = async (keys: string) =>
      (await answering(order('amazon', '50'), ['Buy it?', keys])).status;
    expect([await ended(KEYS.escape), await ended(KEYS.enter)]).toEqual([130, 7]);
  });
});
