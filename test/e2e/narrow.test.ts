/** A terminal of 50 columns: lists leave columns out; no word and no number is broken. */
import { beforeAll, describe, expect, it } from 'vitest';
import { textWidth } from '../../src/cli/output/wrap.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';
import { noTerminalBecause, openTerminal } from '../support/terminal.ts';

const COLUMNS = 50;
const GIFT = ['--to', 'friend@example.com', '--email', 'you@example.com'];

let home: Home;
beforeAll(async () => {
  home = makeHome();
  await fundedWallet(home);
  await home.json(['config', 'set', 'country', 'us']);
  const agreed = ['--yes', '--max-amount', '26', '--note', 'birthday'];
  await home.json(['order', amazonProducts().fixed.product_id, ...GIFT, ...agreed]);
});

async function linesOf(words: readonly string[]): Promise<readonly string[]> {
  const env = { PAGER: 'cat' };
  const run = openTerminal(words, { home: home.dir, columns: COLUMNS, rows: 500, env });
  expect(await run.ended, run.screen()).toBe(0);
  return run.screen().split('\n');
}

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

describe.skipIf(noTerminalBecause)(
  `at ${COLUMNS} columns (${noTerminalBecause ?? ''})`,
  { timeout: 180_000 },
  () => {
    it.each(LISTS)('%s fits', async (words, headers) => {
      const lines = await linesOf(words);
      expect(lines[0]).toMatch(headers);
      const end = lines.findIndex((line) => !line.includes('  '));
      for (const line of end === -1 ? lines : lines.slice(0, end)) {
        // The terminal would have begun a new line at the width; a table's lines end before it.
        expect(textWidth(line), line).toBeLessThanOrEqual(COLUMNS);
        if (words[0] !== 'profile') expect(line).not.toMatch(/[\p{L}\p{N}]…/u);
      }
    });

    it.each([
      [['order', '--help', '--all']],
      [['help', 'all']],
      [['help', 'profiles']],
      [['help', 'partner']],
      [['orders', 'resume', '--help']],
      [['order', 'amazon', '25', '--to', 'nobody']],
      [['track', 'cr_unknown']],
    ])('%j says all of it without breaking a word', async (words) => {
      const env = { PAGER: 'cat' };
      const run = openTerminal(words, { home: home.dir, columns: COLUMNS, rows: 500, env });
      await run.ended;
      for (const line of run.screen().split('\n')) {
        expect(textWidth(line), line).toBeLessThan(COLUMNS + 1);
        // A line that is full may have been broken by the terminal: it ends where a word ends.
        if (textWidth(line) === COLUMNS) expect(run.written()).toContain(`${line}\r\n`);
      }
    });

    it('names orders by a beginning that the next command takes', async () => {
      const [, row = ''] = await linesOf(['orders']);
      const [begun = ''] = row.split(/ +/);
      const [order] = await home.json<{ order_id: string }[]>(['orders']);
      expect(order?.order_id.startsWith(begun)).toBe(true);
      const shown = await home.json<{ order_id: string }>(['orders', 'show', begun]);
      expect(shown.order_id).toBe(order?.order_id);
    });
  },
);
