/** `scrip serve stock`: what the supplier of a shop has left. */

import type { Command } from 'commander';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { StockRecord } from '../../domain/operator-records.ts';
import { addExamples, type Bind } from '../command.ts';
import { listView, type View } from '../output/view.ts';
import { exampleOf, onStore, SHOP } from './operated.ts';
import { parseCount } from './serving.ts';

const MOST_WARNED = 999_999;

export function declareStock(command: Command, bind: Bind): void {
  const stock = command
    .command('stock')
    .description('list what the supplier has left by product and value, the lowest first')
    .option('--warn <number>', 'end with STOCK_LOW if less than this is left of any')
    .action(({ warn }: { warn?: string }, self: Command) => {
      const least =
        warn === undefined ? 0 : parseCount(warn, { flag: '--warn', most: MOST_WARNED });
      return onStore(bind, SHOP, self, async ({ admin }) => stockView(await admin.stock(), least));
    });
  addExamples(stock, [exampleOf(SHOP, 'stock'), exampleOf(SHOP, 'stock --warn 20')]);
}

function stockView(records: readonly StockRecord[], least: number): View {
  const low = records.filter(({ left, available }) =>
    left === null ? least > 0 && !available : left < least,
  );
  return listView<StockRecord>({
    records,
    columns: [
      { header: t`PRODUCT`, cell: ({ product, product_id: id }) => product || id },
      { header: t`VALUE`, cell: (row) => `${row.face_value} ${row.currency}`, align: 'right' },
      {
        header: t`LEFT`,
        cell: ({ left, available }) => left?.toString() ?? (available ? t`some` : t`none`),
        align: 'right',
      },
      { header: t`GIVEN`, cell: ({ given }) => given?.toString() ?? '', align: 'right' },
      { header: t`PRODUCT ID`, cell: ({ product_id: id }) => id, isWhole: true, dropOrder: 0 },
    ],
    empty: t`The catalog has no products.`,
    ...(low.length === 0 ? {} : { error: tooLow(low, least) }),
  });
}

function tooLow(low: readonly StockRecord[], least: number): ScripError {
  const message = t`Less than ${least} left of ${low.length} products and values`;
  const products = low.map(({ product_id: id, face_value: value }) => ({ id, value }));
  return new ScripError('STOCK_LOW', message, { details: { products } });
}
