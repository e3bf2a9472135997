/** What a person meets between the words of an order and the payment: rows, questions, answers that are refused. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';
import { KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const ADDRESS = 'you@example.com';
const ESCAPE = '\u001b';
const LIMIT = { timeout: 180_000 };

describe.skipIf(noTerminalBecause)(`an order at a terminal (${noTerminalBecause})`, LIMIT, () => {
  let home: Home;
  beforeAll(async () => {
    home = makeHome();
    await fundedWallet(home);
    await home.run(['config', 'set', 'country', 'us']);
    await home.run(['config', 'set', 'email', ADDRESS]);
  });

  const open = (...words: readonly string[]) =>
    openTerminal(words, { home: home.dir, rows: 50, env: { TZ: 'Asia/Tokyo' } });

  it('shows a plan by its name, with what is paid for it in cents', async () => {
    const terminal = open('order', 'esim', '--to', ADDRESS);
    const list = await terminal.shows('20 GB 30 days');
    expect(list).toMatch(/❯ eSIM +1 GB 7 days +7\.07 USDC/);
    expect(list).toMatch(/ eSIM +3 GB 30 days +15\.91 USDC/);
    expect(list).not.toMatch(/\d USD\b/);
    // In any case of letters.
    terminal.send('3 gb');
    await terminal.shows(/Which one\? 3 gb\s+❯ eSIM +3 GB/);
    terminal.send(KEYS.enter);
    const asked = await terminal.shows('Buy it?');
    expect(asked).toContain('eSIM 3 GB 30 days · United States');
    expect(asked).toContain('200.00 → 184.09 USDC');
    terminal.send(`y${KEYS.enter}`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toContain('eSIM 3 GB 30 days');
    const again = open('order', 'esim', '3 GB 30 days', '--to', ADDRESS);
    await again.shows(
      /\? eSIM 3 GB 30 days for [\s\S]*ordered\s+at\s+\d+:\d\d [AP]M\.\s+Order\s+it\s+again\?/,
    );
    // One question: the summary is above it, and its yes buys.
    expect(again.screen()).toMatch(/^ {2}Pay +15\.91 USDC/m);
    again.send(`y${KEYS.enter}`);
    expect(await again.ended).toBe(0);
    expect(again.screen()).not.toContain('Buy it?');
  });

  it('asks what a value means that may be thousands', async () => {
    const terminal = open('order', 'amazon', '25.000', '--to', ADDRESS);
    await terminal.shows('Is the value 25, and not 25000?');
    terminal.send(`y${KEYS.enter}`);
    expect(await terminal.shows('Buy it?')).toContain('25');
    terminal.send(`n${KEYS.enter}`);
    await terminal.ended;
    const other = open('order', 'amazon', '25.000', '--to', ADDRESS);
    await other.shows('Is the value 25, and not 25000?');
    other.send(KEYS.enter);
    expect(await other.ended).toBe(2);
    expect(other.screen()).toContain('Write 25000, or 25.0000');
  });

  it('loses no purchase to a stray key, and buys at the yes that follows', async () => {
    const terminal = open('order', 'amazon', '10', '--to', ADDRESS);
    const summary = await terminal.shows('Buy it?');
    expect(summary).toMatch(/^ {2}Wallet +\d+\.\d\d → \d+\.\d\d USDC$/m);
    terminal.send(`x${KEYS.enter}`);
    const refused = await terminal.shows('Type y for yes, n for no or ? for more.');
    expect(refused).toMatch(/^\? Buy it\? \(y\/N\/\?\)$/m);
    terminal.send(`?${KEYS.enter}`);
    const more = await terminal.shows(/Product id[\s\S]*^\? Buy it\?/m);
    // The time of this machine, with its zone if it is not today's, and no limit on test money.
    expect(more).toMatch(
      /^ {2}Price until +(\d+:\d\d [AP]M|\w{3} \d+, \d{4}, \d+:\d\d [AP]M GMT\+9)$/m,
    );
    expect(more).not.toMatch(/in 24 hours/);
    terminal.send(`y${KEYS.enter}`);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toMatch(/^ {6}TEST-\S+$/m);
  });

  it.each([
    [['--coin', 'FOO'], 'FOO is not a coin'],
    [['--coin', 'BTC', '--network', 'FOO'], 'FOO is not a network of BTC'],
    [['--network', 'FOO'], 'FOO is not a network of USDC'],
  ])('refuses %j before any question', async (means, refusal) => {
    const fresh = makeHome();
    for (const asked of [['order', 'amazon', '25'], ['wizard']]) {
      const terminal = openTerminal([...asked, ...means], { home: fresh.dir });
      expect(await terminal.ended).toBe(2);
      expect(terminal.screen().replace(/\s+/g, ' ')).toContain(refusal);
      expect(terminal.screen()).not.toMatch(/^[?✔]/m);
    }
  });

  it('goes on in the wizard without a wallet, in coins that need none', async () => {
    const fresh = makeHome();
    const answers = ['--type', 'giftcard', '--country', 'us', '--brand', 'Steam', '--value', '20'];
    const words = ['wizard', ...answers, '--to', ADDRESS, '--email', ADDRESS];
    const terminal = openTerminal(words, { home: fresh.dir, rows: 40 });
    await terminal.shows('No wallet here yet.');
    terminal.send(`n${KEYS.enter}`);
    const coins = await terminal.shows(/^❯ BTC$[\s\S]*Enter selects/m);
    expect(coins).not.toMatch(/USDC$|^ {2}SOL$/m);
    terminal.send(KEYS.enter);
    await terminal.shows(/❯ Mainnet {2}\(simulated\)[\s\S]*Enter selects/);
    terminal.send(KEYS.enter);
    await terminal.shows('Type yes to place the order');
    terminal.send(KEYS.ctrlC);
    expect(await terminal.ended).toBe(130);
  });

  it('proposes the kept address in the wizard, in lines that fit, and says what is accepted', async () => {
    const terminal = open('wizard', '--type', 'shell');
    await terminal.shows('--type is not accepted: "shell" matches no product type.');
    const asked = await terminal.shows('? 1/9');
    expect(asked.replace(/\s+/g, ' ')).toContain(
      'Answer with one of these: giftcard, mobile_topup.',
    );
    expect(asked).not.toContain('Such as:');
    terminal.send(`giftcard${KEYS.enter}`);
    await terminal.shows(/\? 3\/9[\s\S]*to choose from/);
    terminal.send(`amazon.com${KEYS.enter}`);
    const amounts = await terminal.shows(/\? 4\/9[\s\S]*Enter selects/);
    expect(amounts).toMatch(/^1 to 2000 USD in steps of 1$/m);
    terminal.send(KEYS.enter);
    await terminal.shows(/\? 5\/9 Which e-mail address [^\n]*\(you@example\.com\)/);
    terminal.send(KEYS.enter);
    const coins = await terminal.shows(/\? 6\/9[\s\S]*Enter selects/);
    expect(coins).toMatch(
      /^\? 6\/9 Which coin do you pay with\? USDC on Solana is recommended\. ?$/m,
    );
    terminal.send(KEYS.ctrlC);
    expect(await terminal.ended).toBe(130);
  });

  it('takes the values of a range in the steps of the merchant, as the wizard does', async () => {
    const terminal = open('order', 'amazon', '--to', ADDRESS);
    await terminal.shows(/\? Which one\?[\s\S]*❯ /);
    terminal.send('1 to 2000');
    await terminal.shows(/\? Which one\? 1 to 2000\s+❯ /);
    terminal.send(KEYS.enter);
    await terminal.shows(/^1 to 2000 USD in steps of 1$/m);
    terminal.send(KEYS.ctrlC);
    expect(await terminal.ended).toBe(130);
  });

  it('names no price for a value that is not sold', async () => {
    const { range } = amazonProducts();
    const checked = await home.run(['validate', range.product_id, '5000', '--to', ADDRESS]);
    expect(checked.stdout).toContain('above the maximum');
    expect(checked.stdout).not.toContain('Price');
  });

  it('stays open at a text that nothing matches, and says so', async () => {
    const terminal = open('order', 'ama', '25', '--to', ADDRESS);
    await terminal.shows(/\? Which one\?[\s\S]*❯ /);
    terminal.send(`zzzzqqq${KEYS.enter}`);
    const shown = await terminal.shows(/\? Which one\? zzzzqqq\s+No match for "zzzzqqq"/);
    expect(shown).not.toContain('✔');
    terminal.send(KEYS.ctrlC);
    expect(await terminal.ended).toBe(130);
  });

  it('prints what a setting was set to', async () => {
    const fresh = makeHome();
    const set = openTerminal(['config', 'set', 'country', 'br'], { home: fresh.dir });
    expect(await set.ended).toBe(0);
    expect(set.screen()).toMatch(/^Saved +country = br \(~\/\.config\/scrip\/config\.json\)$/m);
  });

  it('is left by Esc, and declined by Enter alone', async () => {
    const left = open('order', 'amazon', '50', '--to', ADDRESS);
    await left.shows('Buy it?');
    left.send(ESCAPE);
    expect(await left.ended).toBe(130);
    const declined = open('order', 'amazon', '50', '--to', ADDRESS);
    await declined.shows('Buy it?');
    declined.send(KEYS.enter);
    expect(await declined.ended).toBe(7);
  });
});
