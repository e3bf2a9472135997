/** What a person has on the screen when a purchase has ended: name and code, whatever has left it above. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';
import { noTerminalBecause, openTerminal } from '../support/terminal.ts';

let home: Home;
let esim = '';
beforeAll(async () => {
  home = makeHome();
  await fundedWallet(home, [], '500');
  await home.json(['config', 'set', 'email', 'you@example.com']);
  const words = ['catalog', '--country', 'de', '--brand', 'eSIM'];
  const [plan] = await home.json<{ product_id: string }[]>(words);
  esim = plan?.product_id ?? '';
});

/** A QR code of half blocks, from its first line to its last. */
const QR = /^█▀▀▀▀▀▀▀█.*█\n(?:[█▀▄ ]+\n)+▀+\n/m;
const AGREED = ['--yes', '--max-amount', '60'];

async function lastScreen(words: readonly string[], columns: number, rows: number) {
  const run = openTerminal(words, { home: home.dir, columns, rows });
  expect(await run.ended, run.screen()).toBe(0);
  return run.screen();
}

describe.skipIf(noTerminalBecause)(
  `the last screen of a purchase (${noTerminalBecause ?? ''})`,
  { timeout: 120_000 },
  () => {
    it('of an eSIM has its QR code, its text, its name and what to do, at 80x24', async () => {
      const words = ['order', esim, '-c', 'de', '--to', 'a@example.com', ...AGREED];
      const screen = await lastScreen(words, 80, 24);
      expect(screen).toMatch(QR);
      expect(screen).toMatch(/^ {6}LPA:1\$\S+$/m);
      expect(screen).toMatch(/^Item +eSIM 1 GB 7 days$/m);
      expect(screen).toMatch(/^On the phone .*scan or type the code\.$/m);
      expect(screen).toMatch(/scrip orders show \S+$/m);
    });

    it('of an eSIM has the whole QR code and its text at 50x18, the rest above them', async () => {
      const words = ['order', esim, '-c', 'de', '--to', 'b@example.com', ...AGREED];
      const screen = await lastScreen(words, 50, 18);
      expect(screen).toMatch(QR);
      expect(screen.trimEnd()).toMatch(/\n {6}LPA:1\$\S+$/);
    });

    it('of two goods names each beside its code at 80x24', async () => {
      const { fixed } = amazonProducts();
      const means = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];
      const words = ['order', fixed.product_id, '-c', 'us', '--to', 'c@example.com', ...means];
      const screen = await lastScreen([...words, '--quantity', '2', ...AGREED], 80, 24);
      for (const item of [1, 2]) {
        expect(screen).toMatch(new RegExp(`^Item ${item} +Amazon\\.com \\d+ USD$`, 'm'));
      }
      expect(screen.match(/^ {6}TEST-\S+$/gm)).toHaveLength(2);
      // A serial below the code is not taken for it.
      expect(screen).toMatch(/^For .*\n+ {6}TEST-\S+\n+Serial +TEST-/m);
    });

    it('of a dry run shows no limit on test money, which scripts still read', async () => {
      const { fixed } = amazonProducts();
      const words = ['order', fixed.product_id, '-c', 'us', '--to', 'd@example.com', '--dry-run'];
      const screen = await lastScreen(words, 80, 24);
      expect(screen).toMatch(/^Balance /m);
      expect(screen).not.toContain('24 hours');
      expect((await home.run(words)).stdout).toMatch(/^Left\t.* in 24 hours$/m);
    });

    it('of a list with UUIDs says when, and names orders by a beginning that is enough', async () => {
      const table = await lastScreen(['orders'], 80, 24);
      const [head = '', ...rows] = table.split('\n');
      expect(head).toMatch(/^ORDER +STATUS +PRODUCT +PAID +COIN +WHEN$/);
      const all = await home.json<{ order_id: string }[]>(['orders']);
      const begun = rows.slice(0, all.length).map((row) => row.split(' ')[0] ?? '');
      for (const [at, id] of begun.entries()) {
        const shown = await home.json<{ order_id: string }>(['orders', 'show', id]);
        expect(shown.order_id).toBe(all[at]?.order_id);
      }
      expect(rows[0]).toMatch(/\d\d-\d\d \d\d:\d\d$/);
    });

    it('of a receipt breaks no transaction', async () => {
      const all = await home.json<{ order_id: string; transaction: string }[]>(['orders']);
      for (const { order_id: id, transaction } of all) {
        const cut = `${transaction.slice(0, 12)}…${transaction.slice(-12)}`;
        const words = ['orders', 'show', id];
        expect(await lastScreen(words, 80, 40)).toMatch(new RegExp(`^Transaction +${cut}$`, 'm'));
        expect(await lastScreen(words, 120, 40)).toContain(` ${transaction}\n`);
      }
    });
  },
);
