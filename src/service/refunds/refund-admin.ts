/** The operator's decisions on refunds: approving, refusing, and recording one that was paid by hand. */

import { networkTitle } from '../../contract/usdc.ts';
import { USDC_DECIMALS } from '../../contract/x402.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { parseAtomic } from '../../domain/money/money.ts';
import type { RefundAdmin } from '../../domain/operator/operator.ts';
import {
  type RefundRecord,
  refundIdOf,
  storedRefundId,
} from '../../domain/operator/operator-records.ts';
import type { ShopRail } from '../../rails/merchant-rail.ts';
import type { Store, Tables } from '../../store/store.ts';
import type { PayoutRow, RefundPayment, RefundRow } from '../../store/tables/refunds.ts';
import { closeRefunded } from './refund-payments.ts';
import { commonRecord, refundAmount, refundNetwork } from './refunds.ts';

interface RefundAdminOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** Who approves. */
  readonly who: string;
  /** Asked only where an address or a transaction is named. */
  rails(): Promise<readonly ShopRail[]>;
  /** What a transaction on a rail brought that pays for nothing, as all nodes show it. */
  spareIn(transaction: string, rail: ShopRail): Promise<bigint>;
  readonly sendsOn: SendsOn;
}

/** Whether the shop sends refunds on a network. */
export type SendsOn = (network: string | undefined) => boolean;

export function createRefundAdmin(options: RefundAdminOptions): RefundAdmin {
  const { store, clock, who, sendsOn } = options;
  const known = (id: string) => knownRefund(store.tables, id);
  const changed = (
    refundId: string,
    to: string | undefined,
    changes: (atMs: number) => Partial<Omit<PayoutRow, 'refundId' | 'version'>>,
    { from, spare }: { readonly from?: string | undefined; readonly spare?: RefundRow } = {},
  ): Promise<RefundRecord> =>
    store.write(async (tables) => {
      if (spare !== undefined) await tables.refunds.record(spare);
      if (to !== undefined && from !== undefined) {
        await redirect(options, tables, { refundId, from, to });
      }
      const refund = await openRefund(options, tables, { id: refundId, to });
      const updatedAtMs = clock.now();
      const changed = { waitsFor: null, ...changes(updatedAtMs), updatedAtMs };
      if (changed.transaction) {
        await tables.holds.take(`fact paid in ${changed.transaction}`);
        await checkFree(tables, changed.transaction);
      }
      if (!(await tables.payouts.update(refund, changed))) throw busy(refundId);
      const after = { ...refund, ...changed };
      if (after.state === 'sent') await closeRefunded(tables, refund.orderId, updatedAtMs);
      return refundRecord(tables, after, sendsOn);
    });
  return {
    async list(filter, limit) {
      const rows = await store.tables.payouts.list(filter, limit);
      return Promise.all(rows.map((row) => refundRecord(store.tables, row, sendsOn)));
    },
    byId: async (id) => refundRecord(store.tables, await known(id), sendsOn),
    async approve(refundId, to, from) {
      const network = await refundNetwork(store.tables, await known(refundId));
      if (!sendsOn(network)) throw withoutWallet(network);
      const changes = (atMs: number) => ({ approvedBy: who, nextAtMs: atMs });
      return changed(refundId, to, changes, { from });
    },
    refuse: (refundId) =>
      changed(refundId, undefined, () => ({ state: 'refused', nextAtMs: null })),
    async markPaid(refundId, transaction, to) {
      const recorded = await store.tables.refunds.byId(storedRefundId(refundId));
      const spare = recorded === undefined ? await spareRefund(options, refundId, to) : undefined;
      const refund = spare ?? (await known(refundId));
      await checkPaid(options, { refund, transaction, to });
      const sent = { state: 'sent', transaction, nextAtMs: null } as const;
      return changed(refundId, to, () => sent, spare === undefined ? {} : { spare });
    },
  };
}

/** Under the hold of the order: one that is neither sent nor being sent, with its recipient. */
async function openRefund(
  options: RefundAdminOptions,
  tables: Tables,
  { id, to }: { readonly id: string; readonly to: string | undefined },
): Promise<RefundPayment> {
  const { refunds, holds } = tables;
  const { refundId, orderId } = await knownRefund(tables, id);
  await holds.take(`order ${orderId}`);
  const known = await knownRefund(tables, id);
  if (to !== undefined && known.recipient === null) {
    checkAddress(await railOf(options, tables, known), to);
    await refunds.address(orderId, to);
  }
  const refund = { ...known, ...(await refunds.byId(refundId)) };
  if (to !== undefined && refund.recipient !== to) {
    throw refused(t`Refund ${id} goes to ${refund.recipient ?? ''}`);
  }
  if (refund.state === 'open') return refund;
  throw refused(t`Refund ${id} is already ${refund.state}`);
}

/** @throws {ScripError} REFUND_UNKNOWN */
async function knownRefund({ refunds, payouts }: Tables, id: string): Promise<RefundPayment> {
  const refundId = storedRefundId(id);
  const refund = await refunds.byId(refundId);
  const payout = await payouts.byRefund(refundId);
  if (refund !== undefined && payout !== undefined) return { ...refund, ...payout };
  throw new ScripError('REFUND_UNKNOWN', t`There is no refund ${id}`);
}

function checkAddress({ isAddress, network }: ShopRail, address: string): void {
  if (isAddress(address)) return;
  throw refused(t`"${address}" is not an address on ${network}`);
}

/**
 * Where a refund is paid. Money that paid no order has the id of its transaction.
 * @throws {ScripError} INPUT_INVALID where the shop has no rail
 */
async function railOf(
  { rails }: RefundAdminOptions,
  tables: Tables,
  refund: RefundRow,
): Promise<ShopRail> {
  const network = await refundNetwork(tables, refund);
  const rail = (await rails()).find((one) =>
    refund.orderId === '' ? one.isTransactionId(refund.refundId) : one.network === network,
  );
  if (rail !== undefined) return rail;
  const id = refundIdOf(refund.refundId);
  throw refused(t`The shop takes no money where refund ${id} is owed`);
}

/** On any network; a shop whose network is not configured answers for shorter ids too. */
const SHORTEST_TRANSACTION_ID = 64;

/** The refund of money that paid no order, named by its transaction; undefined for any other id. */
async function spareRefund(
  { spareIn, rails, clock }: RefundAdminOptions,
  transaction: string,
  to: string | undefined,
): Promise<RefundRow | undefined> {
  if (transaction.length < SHORTEST_TRANSACTION_ID) return undefined;
  const rail = (await rails()).find((one) => one.isTransactionId(transaction));
  if (rail === undefined) return undefined;
  const amount = await spareIn(transaction, rail);
  if (amount === 0n) {
    throw refused(
      t`${transaction} is not final, or all that it brought the shop belongs to an order`,
    );
  }
  return {
    refundId: transaction,
    orderId: '',
    kind: 'refund',
    line: null,
    coin: 'USDC',
    amountAtomic: amount.toString(),
    decimals: USDC_DECIMALS,
    recipient: to ?? null,
    reason: 'It paid no order.',
    createdAtMs: clock.now(),
  };
}

interface Paid {
  readonly refund: RefundRow;
  readonly transaction: string;
  readonly to: string | undefined;
}

/** All nodes have to show a final transfer of the amount to the recipient, which paid nothing else. */
async function checkPaid(
  options: RefundAdminOptions,
  { refund, transaction, to }: Paid,
): Promise<void> {
  const { tables } = options.store;
  const recipient = refund.recipient ?? to;
  if (recipient === undefined) {
    throw refused(
      t`Refund ${refundIdOf(refund.refundId)} names no recipient`,
      t`Name the address that was paid with --to.`,
    );
  }
  const rail = await railOf(options, tables, refund);
  if (to !== undefined) checkAddress(rail, to);
  if (!rail.isTransactionId(transaction)) {
    throw refused(t`"${transaction}" is not the id of a transaction`);
  }
  await checkFree(tables, transaction);
  const seen = await rail.received(transaction, recipient);
  if (seen?.isFinal && seen.amountAtomic === parseAtomic(refund.amountAtomic)) return;
  throw new ScripError(
    'INPUT_INVALID',
    t`${transaction} is no final transfer of ${refundAmount(refund)} USDC to ${recipient}`,
    { details: { network: rail.network } },
  );
}

/** It pays no other refund, and the shop did not sign it: for a refund, or to move money to the treasury. */
async function checkFree({ payouts, claims }: Tables, transaction: string): Promise<void> {
  const taken =
    (await payouts.byTransaction(transaction)) ?? (await claims.byTransaction(transaction));
  if (taken === undefined) return;
  throw refused(t`${transaction} pays another refund, or is the shop’s own`);
}

function busy(id: string): ScripError {
  return refused(t`Refund ${id} changed meanwhile`, t`Run the command again.`);
}

function withoutWallet(network: string | undefined): ScripError {
  return refused(
    network === undefined
      ? t`The configuration names no wallet that refunds are sent from`
      : t`The configuration names no wallet that refunds are sent from on ${networkTitle(network)}`,
    t`Pay it by hand and record it with mark-paid, or add refunds to the configuration.`,
  );
}

/** A refund as its operator sees it. */
export async function refundRecord(
  tables: Tables,
  refund: RefundPayment,
  sendsOn: SendsOn,
): Promise<RefundRecord> {
  const record = commonRecord(refund);
  const isSent = sendsOn(await refundNetwork(tables, refund));
  const wait = refund.waitsFor ?? (isSent ? 'turn' : 'operator');
  return {
    ...record,
    order_id: refund.orderId || null,
    waits_for: record.state === 'waiting' ? (refund.recipient === null ? 'address' : wait) : null,
  };
}

// Gives what is owed for an order another address than the one that its buyer named.

interface Redirected {
  readonly refundId: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Under the hold of the order, as a payment is claimed: what is being sent, or was, keeps its address. The
 * checkout host has no other address than the wallet that signed the payment.
 * @throws {ScripError} INPUT_INVALID
 */
async function redirect(
  options: RefundAdminOptions,
  tables: Tables,
  { refundId: id, from, to }: Redirected,
): Promise<void> {
  const atMs = options.clock.now();
  const { refunds, payouts, partnerOrders, receivingAccounts, holds } = tables;
  const refundId = storedRefundId(id);
  const refund = await refunds.byId(refundId);
  const orderId = refund?.orderId ?? '';
  await holds.take(`order ${orderId}`);
  const order = await partnerOrders.byId(orderId);
  if (refund === undefined || order === undefined) {
    throw refused(t`Refunds of this order go to the wallet that paid it`);
  }
  const rail = await railOf(options, tables, refund);
  checkAddress(rail, to);
  const isShops = to === order.walletAddress || (await receivingAccounts.byOwner(to));
  if (!rail.isKeyAddress(to) || isShops) throw refused(t`"${to}" is not the address of a wallet`);
  const open = (await payouts.ofOrder(orderId)).filter(
    ({ state, recipient }) => state === 'open' && recipient === from,
  );
  if (!open.some((refund) => refund.refundId === refundId)) {
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
    if (!isOurs) throw busy(payout.refundId);
  }
  if (order.refundAddress === from) {
    const isOurs = await partnerOrders.update(order, { ...order, refundAddress: to });
    if (!isOurs) throw busy(id);
  }
}

function refused(sentence: Message, hint?: Message): ScripError {
  return new ScripError('INPUT_INVALID', sentence, { hint });
}
