/** Lists what this wallet paid at the checkout host, which the host says: for a machine without the journal. */

import { pollOnce } from '../../api/checkout/follow.ts';
import { ownOrders } from '../../api/checkout/own-orders.ts';
import { CALL_TIMEOUT_MS } from '../../api/http/call.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { t } from '../../domain/message/message.ts';
import { parseAtomic } from '../../domain/money/money.ts';
import { usdcText } from '../../domain/policy/policy.ts';
import type { BuyerContext } from '../context.ts';
import { localMinute } from '../output/instant.ts';
import { type Column, listView, type View } from '../output/view.ts';
import type { RecoveredOrder } from '../schemas/purchase.ts';
import { scripDeps } from '../scrip-deps.ts';
import { isRead } from './columns.ts';
import { goodsOf } from './deliveries.ts';

/** @throws {ScripError} what `ownOrders` throws, and the errors of an order that cannot be read */
export async function recoverOrders(
  context: BuyerContext,
  { isRevealed }: { readonly isRevealed: boolean },
): Promise<View> {
  const { io, settings } = context;
  io.progress.step(t`Signing in with the wallet`);
  const deps = scripDeps(context);
  const orders = await ownOrders(deps);
  const records: RecoveredOrder[] = [];
  for (const order of orders) {
    records.push(isRevealed ? { ...order, deliveries: await codesOf(context, order) } : order);
  }
  io.progress.done();
  return listView({
    records,
    columns: columnsFor(isRead(context), records),
    empty: t`No order at ${settings.checkoutUrl} was paid by this wallet.`,
    ...(records.length > 0 &&
      !isRevealed && {
        note: [
          commandText`Show the codes: scrip orders recover --reveal`,
          commandText`Put what is missing into this machine’s journal: scrip doctor --repair`,
        ],
      }),
  });

  async function codesOf(
    { parts: { fetch, signal } }: BuyerContext,
    { order_id: orderId }: RecoveredOrder,
  ) {
    const baseUrl = settings.checkoutUrl;
    const { order, error } = await pollOnce({
      ...{ fetch, baseUrl, orderId, signal },
      callMs: CALL_TIMEOUT_MS,
    });
    if (error !== undefined) throw error;
    return order?.deliveries ?? [];
  }
}

const CODE: Column<RecoveredOrder> = {
  header: t`CODE`,
  cell: ({ deliveries = [] }) => deliveries.map((one) => goodsOf(one).code).join(' '),
  isWhole: true,
};

const serialsOf = ({ deliveries = [] }: RecoveredOrder) =>
  deliveries.map((one) => goodsOf(one).serial).join(' ');
const SERIAL: Column<RecoveredOrder> = { header: t`SERIAL`, cell: serialsOf, below: 'value' };

const columnsFor = (
  isLocal: boolean,
  rows: readonly RecoveredOrder[],
): readonly Column<RecoveredOrder>[] => [
  { header: t`ORDER`, cell: (row) => row.order_id, isWhole: true },
  { header: t`STATUS`, cell: (row) => row.status, isWhole: true },
  { header: t`PRODUCT`, cell: (row) => row.products.join(', '), usefulWidth: 17 },
  {
    header: t`PAID`,
    cell: ({ amount_atomic: amount }) =>
      amount === undefined ? '' : `${usdcText(parseAtomic(amount))} USDC`,
    align: 'right',
    below: 'kept',
  },
  ...(rows.some(({ deliveries }) => deliveries !== undefined) ? [CODE] : []),
  ...(rows.some((row) => serialsOf(row).trim() !== '') ? [SERIAL] : []),
  {
    header: t`WHEN`,
    cell: ({ created_at }) => (isLocal ? localMinute(created_at) : created_at),
    dropOrder: 1,
  },
];
