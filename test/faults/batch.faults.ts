/** A thousand recipients, three of them wrong; killed twice, run again and again. Prints its figures. */
import { expect, it } from 'vitest';
import {
  BAD_LINES,
  cartOrder,
  type LineDocument,
  readBooks,
  writeRecipients,
} from '../support/batch-world.ts';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';

const RECIPIENTS = 1_000;
const FUNDS = '20000';

it('rewards for 1,000 people are bought once each', async () => {
  const home = makeHome();
  const payer = await fundedWallet(home, [], FUNDS);
  const { range } = amazonProducts();
  const cart = writeRecipients(home, range.product_id, RECIPIENTS);
  const words = cartOrder(cart.path);
  for (const point of ['submitted:30', 'attempt-written:35']) {
    const killed = await home.run(words, { env: { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point } });
    expect(killed.signal, killed.stderr).toBe('SIGKILL');
  }
  const startedMs = performance.now();
  const last = await home.run([...words, '--json']);
  const lastMs = performance.now() - startedMs;
  expect(last.status, last.stderr).toBe(12);
  const lines: LineDocument[] = JSON.parse(last.stdout);
  const bad = lines.filter(({ status }) => status !== 'completed');
  expect(bad.map(({ line }) => line)).toEqual(cart.badLines);
  expect(bad).toMatchObject(BAD_LINES.map(({ error_code, field }) => ({ error_code, field })));

  const againMs = performance.now();
  const again = await home.run([...words, '--json']);
  const repeatMs = performance.now() - againMs;
  const later: LineDocument[] = JSON.parse(again.stdout);
  expect(later.filter(({ already_bought }) => already_bought)).toHaveLength(cart.good.length);

  const books = await readBooks(home, payer);
  expect(books.sold).toEqual(cart.good.toSorted());
  expect(books.agrees).toBe(true);
  const transactions = new Set(lines.flatMap(({ transaction }) => transaction ?? []));
  expect(new Set(books.payments)).toEqual(transactions);
  const spent = lines.reduce((sum, { amount }) => sum + Math.round(Number(amount) * 1e6), 0);
  expect(books.balance).toBe(BigInt(FUNDS) * 1_000_000n - BigInt(spent));
  console.log(
    `  ${cart.good.length} of ${RECIPIENTS} lines, ${transactions.size} payments, ${books.sold.length} goods sold;` +
      ` third run ${(lastMs / 1_000).toFixed(1)} s, repeated in ${(repeatMs / 1_000).toFixed(1)} s`,
  );
});
