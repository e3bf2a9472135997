/** Gives what is owed for an order another address than the one that its buyer named. */

import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { storedRefundId } from '../domain/refund-record.ts';
import { isSolanaAddress } from '../domain/solana-address.ts';
import { isOnCurve } from '../rails/solana/address.ts';
import type { Tables } from '../store/store.ts';
import { paymentsOf } from './refunds.ts';

interface Redirected {
  readonly refundId: string;
  readonly from: string;
  readonly to: string;
  readonly atMs: number;
}

/**
 * Under the hold of the order, as a payment is claimed: what is being sent, or was, keeps its address. The
 * checkout host has no other address than the wallet that signed the payment.
 * @throws {ScripError} INPUT_INVALID
 */
export async function redirect(
  tables: Tables,
  { refundId: id, from, to, atMs }: Redirected,
): Promise<void> {
  const { refunds, payouts, partnerOrders, receivingAccounts, holds } = tables;
  const refundId = storedRefundId(id);
  const orderId = (await refunds.byId(refundId))?.orderId ?? '';
  await holds.take(`order ${orderId}`);
  const order = await partnerOrders.byId(orderId);
  if (order === undefined) {
    throw refused(t`Refunds of this order go to the wallet that paid it`);
  }
  if (!isSolanaAddress(to)) throw refused(t`"${to}" is not an address of Solana`);
  const isShops = to === order.walletAddress || (await receivingAccounts.byOwner(to));
  if (!isOnCurve(to) || isShops) throw refused(t`"${to}" is not the address of a wallet`);
  const open = (await paymentsOf(tables, orderId)).flatMap(({ refund, payout }) =>
    payout?.state === 'open' && refund.recipient === from ? [payout] : [],
  );
  if (!open.some((payout) => payout.refundId === refundId)) {
    throw refused(t`Refund ${id} does not wait for a payment to ${from}`);
  }
  for (const payout of open) {
    await refunds.redirect(payout.refundId, to);
    // A worker that read the old address has an older version of it.
    const isOurs = await payouts.update(payout, {
      waitsFor: null,
      nextAtMs: atMs,
      updatedAtMs: atMs,
    });
    if (!isOurs) throw refused(t`Refund ${payout.refundId} changed meanwhile`);
  }
  if (order.refundAddress === from) {
    const isOurs = await partnerOrders.update(order, { ...order, refundAddress: to });
    if (!isOurs) throw refused(t`Refund ${id} changed meanwhile`);
  }
}

const refused = (message: ReturnType<typeof t>) => new ScripError('INPUT_INVALID', message);
