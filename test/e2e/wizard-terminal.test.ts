/** The guided purchase on a pseudo terminal of 80 by 24, read from the screen as a person reads it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { fundedWallet, type OrderDocument } from '../support/shop.ts';
import { KEYS, noTerminalBecause, openTerminal, type TerminalRun } from '../support/terminal.ts';

let home: Home;
let other: Home;

beforeAll(async () => {
  home = makeHome();
  other = makeHome();
  await Promise.all([fundedWallet(home), fundedWallet(other)]);
});

const draftOf = ({ dir }: Home): string => join(dir, '.local/state/scrip/wizard-sandbox.json');

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

/** Answers a question that takes any text. */
async function answer(
  terminal: TerminalRun,
  question: string | RegExp,
  text: string,
): Promise<void> {
  await terminal.shows(question);
  terminal.send(`${text}${KEYS.enter}`);
}

/** The answers of a whole gift up to the recap, by flags. */
const GIFT = [
  ...['--type', 'giftcard', '--country', 'us', '--brand', 'Amazon.com', '--value', '25'],
  ...['--to', 'friend@example.com', '--coin', 'USDC', '--network', 'Solana'],
  ...['--email', 'you@example.com'],
];

// A dozen programs start one after another on a machine that may have more to do.
const LIMIT = { timeout: 180_000 };

describe.skipIf(noTerminalBecause)(`a terminal (${noTerminalBecause ?? '80 by 24'})`, LIMIT, () => {
  it('asks everything, takes no wrong answer, goes back, is left, resumed, and buys', async () => {
    const first = openTerminal(['wizard'], { home: home.dir });
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
    await first.shows('Amazon.com 25 USD costs about 25.25 USDC.');
    await answer(first, '? 5/9 Which e-mail', 'friend@');
    await first.shows('has no valid domain');
    first.send(KEYS.ctrlC);
    expect(await first.ended).toBe(130);
    expect(first.screen()).toContain('Continue with: scrip wizard --resume');
    expect(existsSync(draftOf(home))).toBe(true);

    const second = openTerminal(['wizard', '--resume'], { home: home.dir });
    await answer(second, '? 5/9 Which e-mail', 'friend@example.com');
    await second.shows('? 6/9 Which coin');
    await mistype(second, 'shells', '"shells" matches no coin.');
    await choose(second, 'usdc', 'USDC');
    await second.shows('? 7/9 On which network');
    await mistype(second, 'carrier', '"carrier" matches no network.');
    await choose(second, 'sol', 'Solana');
    await answer(second, '? 8/9 What is your own e-mail', 'nobody');
    await second.shows('has no @');
    second.send(`${KEYS.erase.repeat(6)}you@example.com${KEYS.enter}`);
    const recap = await second.shows('? 9/9 Is everything right?');
    for (const said of [
      'Amazon.com gift card · 25 USD',
      'United States',
      'friend@example.com',
      'you@example.com',
      '25.25 USDC of test money, at most 25.38',
      '200.00 → 174.75 USDC',
    ]) {
      expect(recap).toContain(said);
    }
    second.send(KEYS.enter);
    await second.shows('"" does not confirm the order');
    second.send(`back${KEYS.enter}`);
    await answer(second, /9\/9[^\n]*back\n\? 8\/9/, 'you@example.com');
    await second.shows(/back\n✔ 8\/9[\s\S]*\? 9\/9 Is everything right/);
    second.send(`yes${KEYS.enter}`);
    expect(await second.ended).toBe(0);
    expect(second.screen()).toMatch(/^ {6}TEST-/m);
    expect(existsSync(draftOf(home))).toBe(false);

    // Country and e-mail are kept from now on, as order keeps them; whoever was asked is asked again.
    expect(second.screen()).toContain('Saved country us');
    expect(second.screen()).toContain('Saved email you@example.com');
    const line = /^ {2}scrip (order .*)$/m.exec(unwrapped(second))?.[1] ?? '';
    expect(line).toBe('order amazon 25 --to friend@example.com');
    const unasked = [
      '--country',
      'us',
      '--email',
      'you@example.com',
      '--yes',
      '--max-amount',
      '25.38',
    ];
    const repeated = await other.json<OrderDocument>([...wordsOf(line), ...unasked]);
    const [bought] = await home.json<readonly OrderDocument[]>(['orders']);
    expect(sameGoods(repeated)).toEqual(sameGoods(bought));
  });

  it('buys nothing on Enter alone, and keeps the answers when it is told to end', async () => {
    const terminal = openTerminal(['wizard', ...GIFT], { home: home.dir });
    await terminal.shows('? 9/9');
    terminal.send(KEYS.enter);
    await terminal.shows('does not confirm');
    terminal.send(`?${KEYS.enter}`);
    await terminal.shows(/^ {2}Product id [\s\S]*\? 9\/9/m);
    terminal.send(KEYS.ctrlD);
    expect(await terminal.ended).toBe(130);
    const again = openTerminal(['wizard', '--resume'], { home: home.dir });
    await again.shows('25.25 USDC of test money');
    again.send(KEYS.ctrlC);
    expect(await again.ended).toBe(130);
  });

  it('has an amount typed that is much of a day, and says at the recap what forbids the next', async () => {
    const careful = makeHome();
    await fundedWallet(careful);
    await careful.run(['policy', 'set', 'perDay', '50']);
    const first = openTerminal(['wizard', ...GIFT], { home: careful.dir });
    await first.shows('of 50.00 USDC in 24 hours');
    await answer(first, '? 9/9', 'yes');
    await answer(first, 'Type 25.38 to agree:', '25.38');
    expect(await first.ended).toBe(0);
    const more = [
      '--type',
      'giftcard',
      '--country',
      'us',
      '--brand',
      'Amazon.com',
      '--value',
      '40',
    ];
    const second = openTerminal(['wizard', ...more, ...GIFT.slice(8)], { home: careful.dir });
    await second.shows(/^ {2}Problem /m);
    await answer(second, 'The order has a problem.', 'yes');
    await second.shows(/> [^\n]*24-hour/);
    second.send(`${KEYS.erase.repeat(3)}back${KEYS.enter}`);
    await second.shows('? 8/9');
    second.send(KEYS.ctrlC);
    expect(await second.ended).toBe(130);
  });

  it('takes a pasted answer as it was typed, and not the list that stood there', async () => {
    const terminal = openTerminal(['wizard'], { home: other.dir });
    await terminal.shows('❯ Gift card or eSIM');
    terminal.send(`mobile_topup${KEYS.enter}`);
    await terminal.shows(/1\/9 [^\n]*mobile_topup\n\? 2\/9/);
    await terminal.shows('❯ ');
    terminal.send(`Atlantis${KEYS.enter}`);
    // It stays open with the text, and says why.
    const open = await terminal.shows(/\? 2\/9 [^\n]* Atlantis\s+"Atlantis" matches no country/);
    expect(open).not.toMatch(/✔ 2\/9/);
    terminal.send(KEYS.ctrlC);
    expect(await terminal.ended).toBe(130);
  });

  it('shows what is answered already, any amount with its price, and proposes an address', async () => {
    const words = ['wizard', '--type', 'giftcard', '--brand', 'Amazon.com'];
    const terminal = openTerminal(words, { home: other.dir, env: { SCRIP_COUNTRY: 'usa' } });
    const asked = await terminal.shows(/\? 4\/9[\s\S]*another amount/);
    expect(asked).toContain('✔ 1/9 What do you want to buy? Gift card or eSIM');
    expect(asked).toContain('✔ 2/9 In which country will it be used? United States');
    expect(asked).toContain('✔ 3/9 Which brand do you want to buy in United States? Amazon.com');
    expect(asked).toContain('100 USD  (101.00 USDC)');
    await choose(terminal, 'back', '← back');
    await terminal.shows(/\? 3\/9[^❯]*❯ Amazon.com/);
    terminal.send(KEYS.enter);
    await terminal.shows(/\? 4\/9[\s\S]*another amount/);
    terminal.send(`${KEYS.down.repeat(4)}${KEYS.enter}`);
    await answer(terminal, '? 4/9 Another amount: ', 'back');
    await terminal.shows(/Another amount: [^\n]*back\n\? 4\/9/);
    terminal.send('another');
    await terminal.shows('❯ another amount');
    terminal.send(KEYS.enter);
    await answer(terminal, /another amount\n\? 4\/9 Another amount: /, '32');
    await answer(terminal, '? 5/9 Which e-mail', 'friend@example.com');
    await terminal.shows(/\? 6\/9[^❯]*❯ USDC/);
    terminal.send(KEYS.enter);
    await terminal.shows(/\? 7\/9[^❯]*❯ Solana/);
    terminal.send(KEYS.enter);
    await terminal.shows(/\? 8\/9[\s\S]*\(or back\)\s+\(friend@example\.com\)/);
    terminal.send(KEYS.enter);
    await terminal.shows('32.32 USDC of test money');
    terminal.send(`yes${KEYS.enter}`);
    expect(await terminal.ended).toBe(0);
    // A friend's address, taken by Enter, is nobody's own from now on.
    expect(terminal.screen()).not.toContain('Saved email');
  });

  it('asks for an answer again that was wrong in a flag', async () => {
    const words = ['wizard', '--type', 'giftcard', '--country', 'United'];
    const terminal = openTerminal(words, { home: other.dir });
    await terminal.shows('--country is not accepted: "United" matches no country');
    await terminal.shows('? 2/9 In which country');
    terminal.send(KEYS.ctrlC);
    expect(await terminal.ended).toBe(130);
  });

  it('has no colour with NO_COLOR, and asks in lines with --plain', async () => {
    const env = { NO_COLOR: '1' };
    const bare = openTerminal(['wizard', ...GIFT], { home: other.dir, env });
    await bare.shows('? 9/9');
    expect(bare.written()).not.toMatch(COLOURED);
    bare.send(KEYS.ctrlC);
    await bare.ended;
    const plain = openTerminal(['wizard', '--plain', ...GIFT], { home: other.dir });
    await plain.shows('Question 9 of 9: Is everything right? Answer: yes, or back.');
    expect(plain.written()).not.toContain('\u001b');
    plain.send(KEYS.ctrlC);
    expect(await plain.ended).toBe(130);
    expect(plain.screen()).toContain('Continue with: scrip wizard --resume --plain');
  });

  it('tells what it buys once, also where --yes stands for the answer', async () => {
    const gift = GIFT.map((word) => (word === '25' ? '27' : word));
    const run = openTerminal(['wizard', ...gift, '--yes'], { home: home.dir, rows: 60 });
    expect(await run.ended).toBe(0);
    const screen = run.screen();
    expect(screen).toMatch(/^ {6}TEST-/m);
    expect([screen.match(/ gift card · /g), screen.match(/at most/g)]).toEqual([
      [' gift card · '],
      ['at most'],
    ]);
  });

  it('makes a wallet with play money after one question, where there is none', async () => {
    const fresh = makeHome();
    const declined = openTerminal(['wizard', ...GIFT], { home: fresh.dir });
    await answer(declined, 'Create one with 100 USDC of test money?', 'n');
    expect(await declined.ended).toBe(7);
    expect(declined.screen()).toContain('Run: scrip wallet new && scrip wallet fund');
    expect(declined.screen()).toContain('scrip wizard --coin BTC');
    const elsewhere = openTerminal(['wizard', '--coin', 'BTC'], { home: fresh.dir });
    await elsewhere.shows('? 1/9');
    elsewhere.send(KEYS.ctrlC);
    expect(await elsewhere.ended).toBe(130);
    expect(elsewhere.written()).not.toContain('wallet');
    const terminal = openTerminal(['wizard', ...GIFT], { home: fresh.dir });
    await answer(terminal, 'Create one with 100 USDC of test money?', '');
    await answer(terminal, '? 9/9', 'yes');
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen()).toMatch(/^ {6}TEST-/m);
  });

  it('makes an order that this wallet cannot pay, and plays the payment', async () => {
    const means = ['--coin', 'BTC', '--network', 'Mainnet'];
    // For another person: the same gift was bought over x402 a moment ago.
    const words = ['wizard', ...GIFT.filter((word) => !['USDC', 'Solana'].includes(word))]
      .filter((word) => word !== '--coin' && word !== '--network')
      .map((word) => (word === 'friend@example.com' ? 'another@example.com' : word));
    const terminal = openTerminal([...words, ...means], { home: other.dir, rows: 70 });
    await answer(terminal, '? 9/9 Is everything right? Type yes to place the order', 'yes');
    await answer(terminal, 'Pay it with test BTC?', '');
    expect(await terminal.ended).toBe(0);
    expect(unwrapped(terminal)).toContain('--via partner --coin BTC --network Mainnet');
  });
});

// Built from its code: a control character has no place in a pattern.
const COLOURED = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`);

/** What was written, without control sequences and with its own line ends alone; long commands in one line. */
function unwrapped(terminal: TerminalRun): string {
  const sequence = new RegExp(`${String.fromCharCode(27)}\\[[0-9;?]*[A-Za-z]`, 'g');
  const written = terminal.written().replace(sequence, '').replaceAll('\r', '');
  return written.replace(/ \\\n +/g, ' ');
}

/** The words of a printed line, as a shell of ours splits it: nothing in it is quoted here. */
const wordsOf = (line: string): string[] => line.trim().split(' ');

function sameGoods(order: unknown): unknown {
  const fields = ['product_id', 'brand_name', 'country_code', 'face_value', 'currency'];
  const more = ['beneficiary', 'coin', 'amount', 'network', 'status'];
  if (typeof order !== 'object' || order === null) return undefined;
  return Object.fromEntries(
    Object.entries(order).filter(([name]) => [...fields, ...more].includes(name)),
  );
}
