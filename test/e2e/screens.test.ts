/** Small terminals: nothing is broken at the edge, lists leave columns out, and what matters is on the last screen. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textWidth } from '../../src/cli/output/wrap.ts';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';
import {
  answering,
  KEYS,
  noTerminalBecause,
  openTerminal,
  type TerminalRun,
} from '../support/terminal.ts';

const home = makeHome();
await fundedWallet(home, [], '1000');
await home.json(['config', 'set', 'country', 'us']);
await home.json(['config', 'set', 'email', 'you@example.com']);
const good = Array.from({ length: 17 }, (_, at) => `Amazon,10,friend${at}@example.com`);
const wrong = ['Amazon,25,friend', 'Amazon,9999,a@example.com', 'Amazn,25,b@example.com'];
writeFileSync(join(home.dir, 'gifts.csv'), ['brand,value,to', ...good, ...wrong, ''].join('\n'));
const AGREED = ['--yes', '--max-amount', '60'];
const { fixed } = amazonProducts();

const SIZES = [
  { columns: 50, rows: 18 },
  { columns: 80, rows: 24 },
];
/** A QR code of half blocks, from its first line to its last. */
const QR = /^█▀▀▀▀▀▀▀█.*█\n(?:[█▀▄ ]+\n)+▀+\n/m;

describe.skipIf(noTerminalBecause)(`a small terminal (${noTerminalBecause ?? ''})`, () => {
  describe.each(SIZES)('of $columns by $rows', (size) => {
    const open = (...words: string[]): TerminalRun => openTerminal(words, home, size);
    const to = `a${size.columns}@example.com`;

    /** All that was written stands on the screen. */
    async function asks(run: TerminalRun, text: string | RegExp, keys: string): Promise<string> {
      const shown = await run.shows(text);
      expect(run.broken()).toEqual([]);
      expect(run.above(), run.screen()).toBe(0);
      run.send(keys);
      return shown;
    }

    /** All of these are on the screen that a command has left, above the prompt of the shell. */
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
      // As less does: a screen less one line, then its prompt.
      const env = { PAGER: 'head -n 17' };
      const run = openTerminal(['order', '--help'], home, { ...size, env });
      await run.ended;
      expect(run.screen()).toMatch(/^Usage: scrip order/);
      expect(run.broken()).toEqual([]);
    });

    it('has the list of products, the confirmation below it, and the code at the end', async () => {
      const run = open('order', 'ama', '25', '--to', to);
      await asks(run, '❯ Amazon.com', KEYS.enter);
      await asks(run, 'Buy it?', KEYS.yes);
      await expectLeft(run, [/^ {6}TEST-\S+$/m, /^Paid /m, /scrip orders show \S+$/m]);

      // A long question is broken between words, with its answer beside it.
      const words = ['order', 'amazon', '25', '--to', to];
      const { status, screen } = await answering(open(...words), [/again\?\s+\(y/, KEYS.no]);
      expect(status).toBe(7);
      // The summary stays above the one question, broken between words.
      expect(screen).toContain('Amazon.com gift card · 25 USD');
      expect(screen).toMatch(/^✔ Amazon\.com 25 USD for \S+ was/m);
      expect(screen).toMatch(/^(?:\S.* )?again\? \(y\/N\/\?\) No$/m);
    });

    it('has the confirmation of an eSIM whole, and its QR code and text at the end', async () => {
      const run = open('order', 'esim', '5', 'gb', '-c', 'de', '--to', to);
      await run.shows(/Did you mean eSIM\?/);
      run.send(KEYS.enter);
      const asked = await asks(run, 'Buy it?', `?${KEYS.enter}`);
      for (const told of [to, '13.13 USDC', 'the QR code', 'Wallet']) expect(asked).toContain(told);
      // The price stands beside the question also below all details.
      await run.shows(/Terms[\s\S]*\n {2}Pay +13\.13 USDC of test[^?]*\n\? Buy it\?/);
      run.send(KEYS.yes);
      const besides = [
        ...[/^Paid /m, /^For /m, /^Order .*scrip orders show \S+$/m, /^Item +eSIM 5 GB/m],
        /^On the phone .*scan or type the code\.$/m,
      ];
      await expectLeft(run, [QR, /^ {6}LPA:1\S+$/m, ...(size.rows < 24 ? [] : besides)]);
      if (size.rows < 24) expect(run.screen().trimEnd()).toMatch(/\n {6}LPA:1\$\S+$/);
    });

    it('has the wrong lines of a cart below their heading, and what to do', async () => {
      const run = open('order', '--cart', 'gifts.csv');
      await expectLeft(run, [/^LINE /m, /CART_INVALID/, /^hint:/m]);
    });

    it('has the question of a cart below the lines that it leaves out', async () => {
      const run = open('order', '--cart', 'gifts.csv', '--skip-invalid');
      const asked = await asks(run, 'Pay up to', KEYS.no);
      expect(asked).toContain('Left out (--skip-invalid): 3 lines of gifts.csv');
      expect(await run.ended).toBe(7);
    });

    it('has a payment in another coin, from its question to what to do next', async () => {
      const run = open('order', 'amazon', '35', '--to', to, '--coin', 'BTC');
      await asks(run, 'Place this order?', KEYS.yes);
      await asks(run, 'Pay it with', KEYS.no);
      await expectLeft(run, [/^ {2}Pay /m, /error\[DECLINED\]/, /scrip sandbox pay/]);
    });
  });

  it('names each of two goods beside its code at 80x24', async () => {
    const means = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];
    const words = ['order', fixed.product_id, '--to', 'c@example.com', ...means, '--quantity', '2'];
    const { status, screen } = await answering(openTerminal([...words, ...AGREED], home));
    expect(status, screen).toBe(0);
    for (const item of [1, 2]) {
      expect(screen).toMatch(new RegExp(`^Item ${item} +Amazon\\.com \\d+ USD$`, 'm'));
    }
    expect(screen.match(/^ {6}TEST-\S+$/gm)).toHaveLength(2);
    // A serial below the code is not taken for it.
    expect(screen).toMatch(/^For .*\n+ {6}TEST-\S+\n+Serial +TEST-/m);
  });
});

const COLUMNS = 50;

const LISTS: readonly (readonly [words: readonly string[], headers: RegExp])[] = [
  [['brands'], /^BRAND +MIN USD +MAX USD$/],
  [['brands', '--via', 'partner'], /^BRAND +MIN USD +MAX USD$/],
  [['search', 'amazon'], /^BRAND +CATEGORY +MIN USD +MAX USD +IN STOCK$/],
  [['catalog', 'steam'], /^BRAND +VALUE +PRICE USDC$/],
  [['catalog', 'eSIM', '--country', 'de', '--via', 'partner'], /^BRAND +VALUE +PRICE USDC$/],
  [['vias'], /^VIA +COIN +NETWORK +MINIMUM$/],
  [['vias', 'coins'], /^COIN +SUSPENDED$/],
  [['countries'], /^CODE +COUNTRY +CURRENCY +SOLD$/],
  [['orders'], /^ORDER +STATUS +PRODUCT +WHEN$/],
  [['profile', 'list'], /^PROFILE +IN USE +MONEY +HOST$/],
  [['policy', 'spend'], /^24 hours /],
];

describe.skipIf(noTerminalBecause)(`at ${COLUMNS} columns (${noTerminalBecause ?? ''})`, () => {
  const size = { columns: COLUMNS, rows: 500, env: { PAGER: 'cat' } };

  it.each(LISTS)('%s fits', async (words, headers) => {
    const { status, screen } = await answering(openTerminal(words, home, size));
    expect(status, screen).toBe(0);
    const lines = screen.split('\n');
    expect(lines[0]).toMatch(headers);
    const end = lines.findIndex((line) => !line.includes('  '));
    for (const line of end === -1 ? lines : lines.slice(0, end)) {
      // The terminal would have begun a new line at the width; a table's lines end before it.
      expect(textWidth(line), line).toBeLessThanOrEqual(COLUMNS);
      if (words[0] !== 'profile') expect(line).not.toMatch(/[\p{L}\p{N}]…/u);
    }
  });

  it.each([
    [['order', '--help']],
    [['help', 'all']],
    [['help', 'profiles']],
    [['help', 'partner']],
    [['orders', 'resume', '--help']],
    [['order', 'amazon', '25', '--to', 'nobody']],
    [['track', 'cr_unknown']],
  ])('%j says all of it without breaking a word', async (words) => {
    const { screen, written } = await answering(openTerminal(words, home, size));
    for (const line of screen.split('\n')) {
      expect(textWidth(line), line).toBeLessThan(COLUMNS + 1);
      // A line that is full may have been broken by the terminal: it ends where a word ends.
      if (textWidth(line) === COLUMNS) expect(written).toContain(`${line}\r\n`);
    }
  });
});
