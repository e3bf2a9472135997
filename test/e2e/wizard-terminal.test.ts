/** The guided purchase on a pseudo terminal of 80 by 24, read from the screen as a person reads it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { fundedWallet, type OrderDocument } from '../support/shop.ts';
import {
  answering,
  KEYS,
  noTerminalBecause,
  openTerminal,
  type TerminalRun,
} from '../support/terminal.ts';

const home = makeHome();
const other = makeHome();
await fundedWallet(home);
await fundedWallet(other);

const draftOf = ({ dir }: Home): string => join(dir, '.local/state/scrip/wizard-sandbox.json');
const typed = (text: string) => `${text}${KEYS.enter}`;
const STOP = KEYS.ctrlC;
const CODE = /^ {6}TEST-/m;

/** Types into a list, waits until it is narrowed to that, takes its first choice. */
async function choose(terminal: TerminalRun, text: string, first: string): Promise<void> {
  terminal.send(text);
  await terminal.shows(new RegExp(`\\? \\d/9 [\\s\\S]*\\s${text}\\s+❯ ${first}`));
  terminal.send(KEYS.enter);
}

/** Types what nothing fits: the list says why, and Enter takes nothing. */
async function mistype(terminal: TerminalRun, text: string, error: string): Promise<string> {
  terminal.send(text);
  const shown = await terminal.shows(error);
  terminal.send(`${KEYS.enter}${KEYS.erase.repeat(text.length)}`);
  return shown;
}

/** The answers of a whole gift up to the recap, by flags. */
const PLACE = ['--type', 'giftcard', '--country', 'us', '--brand', 'Amazon.com'];
const PERSON = ['--email', 'you@example.com', '--to'];
const USDC = ['--coin', 'USDC', '--network', 'Solana'];
const GIFT = [...PLACE, '--value', '25', ...PERSON, 'friend@example.com', ...USDC];
const wizard = (at: Home, ...words: readonly string[]) => openTerminal(['wizard', ...words], at);

describe.skipIf(noTerminalBecause)(`a terminal (${noTerminalBecause ?? '80 by 24'})`, () => {
  it('asks everything, takes no wrong answer, goes back, is left, resumed, and buys', async () => {
    const first = wizard(home);
    await first.shows('? 1/9 What do you want to buy?');
    await mistype(first, 'wallet', '"wallet" matches no product type.');
    await choose(first, 'esim', 'Gift card or eSIM');
    await first.shows('? 2/9 In which country');
    await mistype(first, 'Atlantis', '"Atlantis" matches no country where anything is sold.');
    await choose(first, 'United S', 'United States');
    await first.shows('? 3/9 Which brand do you want to buy in United States?');
    await choose(first, 'back', '← back');
    // The answer before is the first choice.
    await first.shows(/3\/9 [^\n]*← back\n\? 2\/9[^❯]*❯ United States/);
    first.send(KEYS.enter);
    await first.shows(/\? 3\/9[\s\S]*to choose from/);
    await mistype(first, 'qqqqqqq', '"qqqqqqq" matches no brand in United States.');
    await choose(first, 'amazo', 'Amazon.com');
    await first.shows('in steps of 1');
    const refused = await mistype(first, '30000', '30000 USD is not sold.');
    expect(refused.match(/in steps of 1/g)).toHaveLength(1);
    await mistype(first, 'much', '"much" is not an amount.');
    await choose(first, '25', '25 USD  \\(25.25 USDC\\)');
    const left = await answering(
      first,
      [/Amazon\.com 25 USD costs about 25\.25 USDC\.[\s\S]*\? 5\/9 Which e-mail/, typed('friend@')],
      ['has no valid domain', STOP],
    );
    expect(left.status).toBe(130);
    expect(left.screen).toContain('Continue with: scrip wizard --resume');
    expect(existsSync(draftOf(home))).toBe(true);

    const second = wizard(home, '--resume');
    await second.shows('? 5/9 Which e-mail');
    second.send(typed('friend@example.com'));
    await second.shows('? 6/9 Which coin');
    await mistype(second, 'shells', '"shells" matches no coin.');
    await choose(second, 'usdc', 'USDC');
    await second.shows('? 7/9 On which network');
    await mistype(second, 'carrier', '"carrier" matches no network.');
    await choose(second, 'sol', 'Solana');
    const run = await answering(
      second,
      ['? 8/9 What is your own e-mail', typed('nobody')],
      ['has no @', `${KEYS.erase.repeat(6)}${typed('you@example.com')}`],
      ['? 9/9 Is everything right?', KEYS.enter],
      ['"" does not confirm the order', typed('back')],
      [/9\/9[^\n]*back\n\? 8\/9/, typed('you@example.com')],
      [/back\n✔ 8\/9[\s\S]*\? 9\/9 Is everything right/, typed('yes')],
    );
    for (const said of [
      ...['Amazon.com gift card · 25 USD', 'United States', 'friend@example.com'],
      ...['you@example.com', '25.25 USDC of test money, at most 25.38', '200.00 → 174.75 USDC'],
    ]) {
      expect(run.seen[2]).toContain(said);
    }
    expect([run.status, run.screen]).toEqual([0, expect.stringMatching(CODE)]);
    expect(existsSync(draftOf(home))).toBe(false);

    // Country and e-mail are kept from now on, as order keeps them; whoever was asked is asked again.
    for (const kept of ['country us', 'email you@example.com']) {
      expect(run.screen).toContain(`Saved ${kept}`);
    }
    const line = /^ {2}scrip (order .*)$/m.exec(unwrapped(run.written))?.[1] ?? '';
    expect(line).toBe('order amazon 25 --to friend@example.com');
    const unasked = ['--country', 'us', ...PERSON.slice(0, 2), '--yes', '--max-amount', '25.38'];
    const repeated = await other.json<OrderDocument>([...line.split(' '), ...unasked]);
    const [bought] = await home.json<readonly OrderDocument[]>(['orders']);
    expect(sameGoods(repeated)).toEqual(sameGoods(bought));
  });

  it('buys nothing on Enter alone, and keeps the answers when it is told to end', async () => {
    const run = await answering(
      wizard(home, ...GIFT),
      ['? 9/9', KEYS.enter],
      ['does not confirm', typed('?')],
      [/^ {2}Product id [\s\S]*\? 9\/9/m, KEYS.ctrlD],
    );
    expect(run.status).toBe(130);
    const again = await answering(wizard(home, '--resume'), ['25.25 USDC of test money', STOP]);
    expect(again.status).toBe(130);
  });

  it('has an amount typed that is much of a day, and says at the recap what forbids the next', async () => {
    const careful = makeHome();
    await fundedWallet(careful);
    await careful.run(['policy', 'set', 'perDay', '50']);
    const first = await answering(
      wizard(careful, ...GIFT),
      [/of 50\.00 USDC in 24 hours[\s\S]*\? 9\/9/, typed('yes')],
      ['Type 25.38 to agree:', typed('25.38')],
    );
    expect(first.status).toBe(0);
    const more = [...PLACE, '--value', '40', ...PERSON, 'friend@example.com', ...USDC];
    const second = await answering(
      wizard(careful, ...more),
      [/^ {2}Problem [\s\S]*The order has a problem\./m, typed('yes')],
      [/> [^\n]*24-hour/, `${KEYS.erase.repeat(3)}${typed('back')}`],
      ['? 8/9', STOP],
    );
    expect(second.status).toBe(130);
  });

  it('shows what is answered already, any amount with its price, and proposes an address', async () => {
    const words = ['wizard', '--type', 'giftcard', '--brand', 'Amazon.com'];
    const terminal = openTerminal(words, other, { env: { SCRIP_COUNTRY: 'usa' } });
    const asked = await terminal.shows(/\? 4\/9[\s\S]*another amount/);
    expect(asked).toContain('✔ 1/9 What do you want to buy? Gift card or eSIM');
    expect(asked).toContain('✔ 2/9 In which country will it be used? United States');
    expect(asked).toContain('✔ 3/9 Which brand do you want to buy in United States? Amazon.com');
    expect(asked).toContain('100 USD  (101.00 USDC)');
    // A list goes on at its other end.
    const first = /\? 4\/9[^❯]*❯ (\S+)/.exec(asked)?.[1] ?? '';
    terminal.send(KEYS.up);
    await terminal.shows('❯ ← back');
    terminal.send(KEYS.down);
    await terminal.shows(`❯ ${first} `);
    await choose(terminal, 'back', '← back');
    const run = await answering(
      terminal,
      [/\? 3\/9[^❯]*❯ Amazon.com/, KEYS.enter],
      [/\? 4\/9[\s\S]*another amount/, `${KEYS.down.repeat(4)}${KEYS.enter}`],
      ['? 4/9 Another amount: ', typed('back')],
      [/Another amount: [^\n]*back\n\? 4\/9/, 'another'],
      ['❯ another amount', KEYS.enter],
      [/another amount\n\? 4\/9 Another amount: /, typed('32')],
      ['? 5/9 Which e-mail', typed('friend@example.com')],
      [/\? 6\/9[^❯]*❯ USDC/, KEYS.enter],
      [/\? 7\/9[^❯]*❯ Solana/, KEYS.enter],
      [/\? 8\/9[\s\S]*\(or back\)\s+\(friend@example\.com\)/, KEYS.enter],
      ['32.32 USDC of test money', typed('yes')],
    );
    // A friend's address, taken by Enter, is nobody's own from now on.
    expect([run.status, run.screen]).toEqual([0, expect.not.stringContaining('Saved email')]);
  });

  it('makes a wallet with play money after one question, where there is none', async () => {
    const fresh = makeHome();
    const asked = 'Create one with 100 USDC of test money?';
    const declined = await answering(wizard(fresh, ...GIFT), [asked, typed('n')]);
    expect(declined.status).toBe(7);
    expect(declined.screen).toContain('Run: scrip wallet new && scrip wallet fund');
    expect(declined.screen).toContain('scrip wizard --coin BTC');
    const elsewhere = await answering(wizard(fresh, '--coin', 'BTC'), ['? 1/9', STOP]);
    expect([elsewhere.status, elsewhere.written.includes('wallet')]).toEqual([130, false]);
    const made = [asked, KEYS.enter] as const;
    const run = await answering(wizard(fresh, ...GIFT), made, ['? 9/9', typed('yes')]);
    expect([run.status, run.screen]).toEqual([0, expect.stringMatching(CODE)]);
  });

  it('makes an order that this wallet cannot pay, and plays the payment', async () => {
    // For another person: the same gift was bought over x402 a moment ago.
    const words = [...PLACE, '--value', '25', ...PERSON, 'another@example.com'];
    const means = ['--coin', 'BTC', '--network', 'Mainnet'];
    const run = await answering(
      openTerminal(['wizard', ...words, ...means], other, { rows: 70 }),
      ['? 9/9 Is everything right? Type yes to place the order', typed('yes')],
      ['Pay it with test BTC?', KEYS.enter],
    );
    expect(run.status).toBe(0);
    expect(unwrapped(run.written)).toContain('--via partner --coin BTC --network Mainnet');
  });
});

// Built from its code: a control character has no place in a pattern.
const ESCAPE = String.fromCharCode(27);

/** What was written, without control sequences and with its own line ends alone; long commands in one line. */
function unwrapped(text: string): string {
  const sequence = new RegExp(`${ESCAPE}\\[[0-9;?]*[A-Za-z]`, 'g');
  return text
    .replace(sequence, '')
    .replaceAll('\r', '')
    .replace(/ \\\n +/g, ' ');
}

const GOODS =
  /^(product_id|brand_name|country_code|face_value|currency|beneficiary|coin|amount|network|status)$/;
const sameGoods = (order: unknown) =>
  Object.entries(Object(order)).filter(([name]) => GOODS.test(name));
