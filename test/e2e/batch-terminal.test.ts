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
import { KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const RECIPIENTS = 70;

let home: Home;
beforeEach(() => {
  home = makeHome();
});

const LIMIT = { timeout: 180_000 };

describe.skipIf(noTerminalBecause)(
  `a cart at a terminal (${noTerminalBecause ?? ''})`,
  LIMIT,
  () => {
    it('shows how far it is, is busy for others, stops at Ctrl-C, and is bought once in the end', async () => {
      const payer = await fundedWallet(home, [], '2000');
      const { range } = amazonProducts();
      const cart = writeRecipients(home, range.product_id, RECIPIENTS);
      const words = cartOrder(cart.path, ['--concurrency', '1']);

      const first = openTerminal(words, { home: home.dir, columns: 120 });
      const bar = /\[#+-+\] \d+\/\d+ \w+, \d+\/(s|min), about \d+ (s|min) left/;
      await first.shows(new RegExp(`Buying[^\\n]*${bar.source}`));

      expect(first.screen()).toMatch(/✔ 2 Amazon\.com.* → r0@example\.com/);

      const other = await home.run([...words, '--json']);
      expect([other.status, other.stdout]).toEqual([7, '']);
      expect(JSON.parse(other.stderr).error).toMatchObject({
        code: 'CART_BUSY',
        funds_at_risk: 'none',
        retryable: true,
      });

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
      expect(books.sold).toEqual(cart.good.toSorted());
      expect(books.agrees).toBe(true);
    });

    it.each([80, 50])(
      'with bad lines tells each reason whole, between words, at %i columns',
      async (columns) => {
        await fundedWallet(home);
        const cart = join(home.dir, 'gifts.csv');
        const lines = ['brand,value,to', 'Amazon,25,nobody', 'amazon,9999,friend@example.com'];
        writeFileSync(cart, `${lines.join('\n')}\n`);
        const words = ['order', '--cart', cart, '--country', 'us', '--email', 'you@example.com'];
        const run = openTerminal([...words, '--dry-run'], { home: home.dir, columns });
        expect(await run.ended, run.screen()).toBe(2);
        const screen = run.screen();
        expect(screen).toMatch(/LINE +STATUS +TO +FIELD/);
        for (const empty of ['AMOUNT', 'ORDER', 'CODE', 'TRANSACTION']) {
          expect(screen).not.toContain(empty);
        }
        const reasons = screen.replace(/\s+/g, ' ');
        expect(reasons).toContain('EMAIL_INVALID: The e-mail address "nobody" has no @');
        expect(reasons).toContain('VALUE_OUT_OF_RANGE: "amazon" is not sold at 9999 in US');
        for (const line of screen.split(/\r?\n/)) {
          if (line.startsWith('  ')) expect(line.length).toBeLessThanOrEqual(columns);
        }
      },
    );

    it('counts the lines of the file as an editor does, and names the file', async () => {
      await fundedWallet(home);
      const cart = join(home.dir, 'gifts.csv');
      const good = Array.from({ length: 19 }, (_, at) => `Amazon,10,r${at}@example.com`);
      writeFileSync(cart, `${['brand,value,to', ...good, 'Amazon,25,nobody'].join('\n')}\n`);
      const words = ['order', '--cart', cart, '--country', 'us', '--email', 'you@example.com'];
      const run = openTerminal(words, { home: home.dir });
      expect(await run.ended, run.screen()).toBe(2);
      expect(run.screen().replace(/\s+/g, ' ')).toContain(
        '1 line of gifts.csv cannot be bought: 21 (to); nothing was sent',
      );
    });

    it('asks once for the e-mail address and for the country that its lines do not name', async () => {
      await fundedWallet(home);
      const cart = join(home.dir, 'gifts.csv');
      writeFileSync(cart, 'brand,value,to\nAmazon,25,a@example.com\nAmazon,10,b@example.com\n');
      const run = openTerminal(['order', '--cart', cart], { home: home.dir, columns: 80 });
      await run.shows('e-mail');
      run.send('you@example.com\r');
      await run.shows('Saved email you@example.com');
      await run.shows('country');
      run.send('united states');
      await run.shows(/❯ United States/);
      run.send('\r');
      await run.shows('Pay up to');
      const asked = run.screen();
      expect(asked).toContain('2 items in 1 order');
      expect(asked).toContain('1 x Amazon.com 25 USD → a@example.com: 25.25 USDC');
      expect(asked).toContain('1 x Amazon.com 10 USD → b@example.com: 10.10 USDC');
      expect(asked).not.toContain('Bought before');
      run.send('y\r');
      expect(await run.ended, run.screen()).toBe(0);

      // Edited and run again, it tells what is new from what was bought.
      const text = readFileSync(cart, 'utf8').replace('Amazon,25,a@', 'Steam,20,a@');
      writeFileSync(cart, `${text}Amazon,10,b@example.com\n`);
      const again = openTerminal(['order', '--cart', cart], { home: home.dir, columns: 80 });
      await again.shows('Pay up to');
      const edited = again.screen();
      expect(edited).toMatch(/Line 2 +1 x Steam 20 USD → a@example\.com: 20\.20 USDC/);
      expect(edited).toMatch(/Line 4 +1 x Amazon\.com 10 USD → b@example\.com: 10\.10 USDC/);
      expect(edited).toMatch(/Bought before +line 3\n/);
      again.send('n\r');
      expect(await again.ended, again.screen()).toBe(7);
    });

    it('shows as many lines of a long cart as a low terminal holds, and how to see all', async () => {
      await fundedWallet(home, [], '1000');
      const cart = join(home.dir, 'gifts.csv');
      const good = Array.from({ length: 30 }, (_, at) => `Amazon,10,r${at}@example.com`);
      writeFileSync(cart, `${['brand,value,to', ...good].join('\n')}\n`);
      const words = ['order', '--cart', cart, '--country', 'us', '--email', 'you@example.com'];
      const run = openTerminal(words, { home: home.dir, columns: 80, rows: 16 });
      const asked = await run.shows('Pay up to');
      expect(asked).toContain('30 items in 3 orders');
      expect(asked).toContain('Line 2');
      expect(asked).not.toContain('r20@example.com');
      expect(asked.replace(/\s+/g, ' ')).toMatch(/and \d+ more: .*--dry-run/);
      run.send('n\r');
      expect(await run.ended, run.screen()).toBe(7);
    });

    it('names what --skip-invalid leaves out before it asks, and at the end', async () => {
      await fundedWallet(home);
      const cart = join(home.dir, 'gifts.csv');
      const lines = ['brand,value,to', 'Amazon,25,nobody', 'Amazon,25,a@example.com'];
      writeFileSync(cart, `${lines.join('\n')}\n`);
      const words = ['order', '--cart', cart, '--country', 'us', '--email', 'you@example.com'];
      const run = openTerminal([...words, '--skip-invalid'], { home: home.dir, columns: 80 });
      await run.shows('Pay up to');
      const asked = run.screen();
      expect(asked).toMatch(/Left out \(--skip-invalid\): 1 line/);
      expect(asked).toContain('Line 2  Amazon.com 25: The e-mail address "nobody" has no @');
      expect(asked).toMatch(
        / {2}1 item in 1 order\n {2}Line 3 +1 x Amazon\.com 25 USD → a@example\.com: 25\.25 USDC\n/,
      );
      expect(asked).toMatch(/Pay +25\.25 USDC of test money, at most 25\.38/);
      expect(asked).not.toContain('24 hours');
      run.send('y\r');
      expect(await run.ended, run.screen()).toBe(12);
      expect(run.screen()).toMatch(/CODE +SERIAL/);
      expect(run.screen()).toContain('Left out (--skip-invalid): line 2 (to)');
    });

    it('names what is left out before it asks for more money, and asks for that once', async () => {
      await fundedWallet(home, [], '10');
      const cart = join(home.dir, 'gifts.csv');
      const lines = ['brand,value,to', 'Amazn,25,b@example.com', 'Amazon,25,a@example.com'];
      writeFileSync(cart, `${lines.join('\n')}\n`);
      const words = ['order', '--cart', cart, '--country', 'us', '--email', 'you@example.com'];
      const run = openTerminal([...words, '--skip-invalid'], { home: home.dir });
      const asked = await run.shows(/Add \d+ USDC of test money\?/);
      const flat = asked.replace(/\s+/g, ' ');
      expect(flat).toContain('Left out (--skip-invalid): 1 line of gifts.csv');
      expect(flat).toContain(
        'No product of 25 is named exactly "Amazn"; it may mean Amazon.com 25 USD; then write: amazon,25,b@example.com',
      );
      expect(asked.indexOf('Left out')).toBeLessThan(asked.indexOf('The wallet has 10.00 USDC'));
      run.send('n\r');
      expect(await run.ended, run.screen()).toBe(6);
      expect(run.screen().match(/Add \d+ USDC/g)).toHaveLength(1);
      expect(run.screen()).toContain('FUNDS_TOO_LOW');
    });

    it.each([{}, { NO_COLOR: '1' }])(
      'tells each line that ended once, with one mark: %o',
      async (env) => {
        await fundedWallet(home);
        const cart = join(home.dir, 'gifts.csv');
        const lines = ['brand,value,to', 'Amazon,25,a@example.com', 'Amazon,10,b@example.com'];
        writeFileSync(cart, `${lines.join('\n')}\n`);
        const words = ['order', '--cart', cart, '--country', 'us', '--email', 'you@example.com'];
        const agreed = ['--yes', '--max-total', '40'];
        const run = openTerminal([...words, ...agreed], { home: home.dir, columns: 50, env });
        expect(await run.ended, run.screen()).toBe(0);
        const told = run
          .screen()
          .split('\n')
          .filter((line) => line.includes('✔'));
        expect(told).toEqual([
          '✔ 2 Amazon.com 25 USD → a@example.com',
          '✔ 3 Amazon.com 10 USD → b@example.com',
        ]);
        if (env.NO_COLOR) expect(run.written()).not.toContain('\u001b[');
      },
    );
  },
);
