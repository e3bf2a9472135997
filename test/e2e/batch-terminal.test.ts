/** A cart at a terminal: how far it is, what is wrong with it, stopped by a key and gone on with, and one run at a time. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  cartOrder,
  type LineDocument,
  readBooks,
  writeRecipients,
} from '../support/batch-world.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const RECIPIENTS = 70;

let home: Home;
beforeEach(() => {
  home = makeHome();
});

/** The words that buy these lines, which stand in gifts.csv. */
function wordsFor(...lines: readonly string[]): readonly string[] {
  const cart = join(home.dir, 'gifts.csv');
  writeFileSync(cart, `${['brand,value,to', ...lines].join('\n')}\n`);
  return ['order', '--cart', cart, '--country', 'us', '--email', 'you@example.com'];
}
const AGREE = 'Pay up to';

describe.skipIf(noTerminalBecause)(`a cart at a terminal (${noTerminalBecause ?? ''})`, () => {
  it('shows how far it is, is busy for others, stops at Ctrl-C, and is bought once in the end', async () => {
    const payer = await fundedWallet(home, [], '2000');
    const { range } = amazonProducts();
    const cart = writeRecipients(home, range.product_id, RECIPIENTS);
    const words = cartOrder(cart.path, ['--concurrency', '1']);

    const first = openTerminal(words, home, { columns: 120 });
    const bar = /\[#+-+\] \d+\/\d+ \w+, \d+\/(s|min), about \d+ (s|min) left/;
    await first.shows(new RegExp(`Buying[^\\n]*${bar.source}`));
    expect(first.screen()).toMatch(/✔ 2 Amazon\.com.* → r0@example\.com/);

    const busy = { status: 7, stdout: '', code: 'CART_BUSY', funds_at_risk: 'none' };
    expect(await home.failure(words)).toMatchObject({ ...busy, retryable: true });

    first.send(KEYS.ctrlC);
    const stopped = await first.ended;
    expect(stopped, first.screen()).toBe(130);
    expect(first.screen()).toContain('error[INTERRUPTED]');
    expect(first.screen()).toContain('Run the same command again to continue');

    const last = await home.run([...words, '--json']);
    // Three lines are wrong: the run ends as one that succeeded in part.
    expect(last.status).toBe(12);
    const again: LineDocument[] = JSON.parse(last.stdout);
    expect(again.some((line) => line.already_bought)).toBe(true);
    expect(again.filter(({ status }) => status === 'completed')).toHaveLength(cart.good.length);
    const books = await readBooks(home, payer);
    expect([books.sold, books.agrees]).toEqual([cart.good.toSorted(), true]);
  });

  it('asks once for the e-mail address and for the country that its lines do not name', async () => {
    await fundedWallet(home);
    const [, , cart = ''] = wordsFor('Amazon,25,a@example.com', 'Amazon,10,b@example.com');
    const open = () => openTerminal(['order', '--cart', cart], home);
    const run = await answering(
      open(),
      ['e-mail', 'you@example.com\r'],
      [/Saved email you@example\.com[\s\S]*country/, 'united states'],
      [/❯ United States/, KEYS.enter],
      [AGREE, KEYS.yes],
    );
    const asked = run.seen[3];
    expect(asked).toContain('2 items in 1 order');
    expect(asked).toContain('1 x Amazon.com 25 USD → a@example.com: 25.25 USDC');
    expect(asked).toContain('1 x Amazon.com 10 USD → b@example.com: 10.10 USDC');
    expect(asked).not.toContain('Bought before');
    expect(run.status, run.screen).toBe(0);

    // Edited and run again, it tells what is new from what was bought.
    const text = readFileSync(cart, 'utf8').replace('Amazon,25,a@', 'Steam,20,a@');
    writeFileSync(cart, `${text}Amazon,10,b@example.com\n`);
    const again = await answering(open(), [AGREE, KEYS.no]);
    expect(again.seen[0]).toMatch(/Line 2 +1 x Steam 20 USD → a@example\.com: 20\.20 USDC/);
    expect(again.seen[0]).toMatch(/Line 4 +1 x Amazon\.com 10 USD → b@example\.com: 10\.10 USDC/);
    expect(again.seen[0]).toMatch(/Bought before +line 3\n/);
    expect(again.status, again.screen).toBe(7);
  });

  it('names what --skip-invalid leaves out before it asks, and at the end', async () => {
    await fundedWallet(home);
    const words = wordsFor('Amazon,25,nobody', 'Amazon,25,a@example.com');
    const terminal = openTerminal([...words, '--skip-invalid'], home);
    const run = await answering(terminal, [AGREE, KEYS.yes]);
    const asked = run.seen[0];
    expect(asked).toMatch(/Left out \(--skip-invalid\): 1 line/);
    expect(asked).toContain('Line 2  Amazon.com 25: The e-mail address "nobody" has no @');
    expect(asked).toMatch(
      / {2}1 item in 1 order\n {2}Line 3 +1 x Amazon\.com 25 USD → a@example\.com: 25\.25 USDC\n/,
    );
    expect(asked).toMatch(/Pay +25\.25 USDC of test money, at most 25\.38/);
    expect(asked).not.toContain('24 hours');
    expect(run.status, run.screen).toBe(12);
    expect(run.screen).toMatch(/CODE +SERIAL/);
    expect(run.screen).toContain('Left out (--skip-invalid): line 2 (to)');
  });
});
