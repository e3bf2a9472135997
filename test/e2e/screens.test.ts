/** The screens of a purchase on small terminals: nothing is broken at the edge, and what matters is on the screen. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { fundedWallet } from '../support/shop.ts';
import { noTerminalBecause, openTerminal, type TerminalRun } from '../support/terminal.ts';

let home: Home;
beforeAll(async () => {
  home = makeHome();
  await fundedWallet(home, [], '1000');
  await home.json(['config', 'set', 'country', 'us']);
  await home.json(['config', 'set', 'email', 'you@example.com']);
  const good = Array.from({ length: 17 }, (_, at) => `Amazon,10,friend${at}@example.com`);
  const wrong = ['Amazon,25,friend', 'Amazon,9999,a@example.com', 'Amazn,25,b@example.com'];
  writeFileSync(join(home.dir, 'gifts.csv'), ['brand,value,to', ...good, ...wrong, ''].join('\n'));
});

const SIZES = [
  { columns: 50, rows: 18 },
  { columns: 80, rows: 24 },
];
/** A QR code of half blocks, from its first line to its last. */
const QR = /^█▀▀▀▀▀▀▀█.*█\n(?:[█▀▄ ]+\n)+▀+\n/m;

describe.skipIf(noTerminalBecause)(`a small terminal (${noTerminalBecause ?? ''})`, () => {
  describe.each(SIZES)('of $columns by $rows', { timeout: 60_000 }, (size) => {
    const open = (...words: string[]): TerminalRun =>
      openTerminal(words, { home: home.dir, ...size });
    const to = `a${size.columns}@example.com`;

    /** Expects all that was written to stand on the screen. */
    function expectWhole(run: TerminalRun): void {
      expect(run.broken()).toEqual([]);
      expect(run.above(), run.screen()).toBe(0);
    }

    /** Expects all of these on the screen that a command has left, above the prompt of the shell. */
    async function expectLeft(run: TerminalRun, shown: readonly RegExp[]): Promise<void> {
      await run.ended;
      expect(run.broken()).toEqual([]);
      const lines = run.screen().split('\n');
      const left = lines.slice(Math.max(0, lines.length - size.rows + 1)).join('\n');
      for (const one of shown) expect(left).toMatch(one);
    }

    it('has the first screen whole', async () => {
      const run = open();
      await expectLeft(run, [/^scrip buys /, /help for a command/]);
      expect(run.above()).toBe(0);
    });

    it('has the help of order from its first line, and says how to leave it', async () => {
      const run = openTerminal(['order', '--help'], {
        ...{ home: home.dir, ...size },
        // As less does: a screen less one line, then its prompt.
        env: { PAGER: 'head -n 17' },
      });
      await run.ended;
      expect(run.screen()).toMatch(/^Usage: scrip order/);
      expect(run.broken()).toEqual([]);
    });

    it('has the list of products, the confirmation below it, and the code at the end', async () => {
      const run = open('order', 'ama', '25', '--to', to);
      await run.shows('❯ Amazon.com');
      expectWhole(run);
      run.send('\r');
      await run.shows('Buy it?');
      expectWhole(run);
      run.send('y\r');
      await expectLeft(run, [/^ {6}TEST-\S+$/m, /^Paid /m, /scrip orders show \S+$/m]);

      // A long question is broken between words, with its answer beside it.
      const again = open('order', 'amazon', '25', '--to', to);
      await again.shows(/again\?\s+\(y/);
      again.send('n\r');
      expect(await again.ended).toBe(7);
      // The summary stays above the one question, broken between words.
      expect(again.screen()).toContain('Amazon.com gift card · 25 USD');
      expect(again.screen()).toMatch(/^✔ Amazon\.com 25 USD for \S+ was/m);
      expect(again.screen()).toMatch(/^(?:\S.* )?again\? \(y\/N\/\?\) No$/m);
    });

    it('has the confirmation of an eSIM whole, and its QR code and text at the end', async () => {
      const run = open('order', 'esim', '5', 'gb', '-c', 'de', '--to', to);
      await run.shows(/Did you mean eSIM\?/);
      run.send('\r');
      const asked = await run.shows('Buy it?');
      expectWhole(run);
      for (const told of [to, '13.13 USDC', 'the QR code', 'Wallet']) expect(asked).toContain(told);
      // The price stands beside the question also below all details.
      run.send('?\r');
      await run.shows(/Terms[\s\S]*\n {2}Pay +13\.13 USDC of test[^?]*\n\? Buy it\?/);
      run.send('y\r');
      const besides = size.rows < 24 ? [] : [/^Paid /m, /^For /m, /^Order .*scrip orders show/m];
      await expectLeft(run, [QR, /^ {6}LPA:1\S+$/m, ...besides]);
    });

    it('has the wrong lines of a cart below their heading, and what to do', async () => {
      const run = open('order', '--cart', 'gifts.csv');
      await expectLeft(run, [/^LINE /m, /CART_INVALID/, /^hint:/m]);
    });

    it('has the question of a cart below the lines that it leaves out', async () => {
      const run = open('order', '--cart', 'gifts.csv', '--skip-invalid');
      const asked = await run.shows('Pay up to');
      expectWhole(run);
      expect(asked).toContain('Left out (--skip-invalid): 3 lines of gifts.csv');
      run.send('n\r');
      expect(await run.ended).toBe(7);
    });

    it('has a payment in another coin, from its question to what to do next', async () => {
      const run = open('order', 'amazon', '35', '--to', to, '--coin', 'BTC');
      await run.shows('Place this order?');
      expectWhole(run);
      run.send('y\r');
      await run.shows('Pay it with');
      expectWhole(run);
      run.send('n\r');
      await expectLeft(run, [/^ {2}Pay /m, /error\[DECLINED\]/, /scrip sandbox pay/]);
    });
  });
});
