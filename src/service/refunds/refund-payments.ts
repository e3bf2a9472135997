/**
 * Pays recorded refunds in USDC from the shop's wallet on the network of their payment. Each refund has one payment at a
 * time, and a second one only if the first can never land; a payment counts once it is final.
 */

import { USDC_DECIMALS } from '../../contract/x402.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { atomic, formatDecimal } from '../../domain/money/money.ts';
import { type RefundLimits, refundWait } from '../../domain/refund/refund-limits.ts';
import type { Signer } from '../../rails/rail.ts';
import type { Store, Tables } from '../../store/store.ts';
import type { PayoutRow, RefundRow, WaitsFor } from '../../store/tables/refunds.ts';
import { networkGone } from '../checkout/settlement.ts';
import { sha256 } from '../digest.ts';
import { LONGEST_LEASE_MS, leaseDue } from '../lease-due.ts';
import { transitionOrder } from '../partner/orders/transition.ts';
import { receivedFor, refundNetwork, sumOf } from './refunds.ts';
import type { Mark, ShopTransfers } from './shop-transfers.ts';

export interface RefundPaymentOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** One for each network on which refunds are sent. */
  readonly senders: readonly RefundSender[];
  /** Opens the sender of a further network once a refund is due there. */
  openSender?(network: string): Promise<RefundSender | undefined>;
  readonly limits: RefundLimits;
  report(error: unknown): void;
}

export interface RefundSender {
  readonly transfers: ShopTransfers;
  /** Holds the money; its key signs only refunds. */
  readonly wallet: Signer;
  /** Fills the wallet with test money; a real one is filled by the operator. */
  topUp?(): Promise<void>;
}

/** One look at the chain a call: a payment is final after about 13 seconds. */
const AT_ONCE_MS = 0;
const DAY_MS = 86_400_000;
const PASS_MS = 1_000;
const PER_PASS = 50;
/** The next look at a payment under way, at a refund that waits, and at a recipient without an account. */
const FOLLOW_AGAIN_MS = 2_000;
const WAIT_MS = 60_000;
const ACCOUNT_WAIT_MS = 600_000;
const LONGEST_RETRY_MS = 3_600_000;

/** Returns the work, for a timer: each call moves on what is due. */
export function createRefundPayments(options: RefundPaymentOptions): () => Promise<void> {
  const { store, clock, report } = options;
  let nextAtMs = 0;
  return async () => {
    const atMs = clock.now();
    if (atMs < nextAtMs) return;
    nextAtMs = atMs + PASS_MS;
    const term = { atMs, untilMs: atMs + LONGEST_LEASE_MS, limit: PER_PASS };
    const rows = await leaseDue(store, ({ payouts }) => payouts, term);
    // One after another: each sees what the one before left in the wallet.
    for (const row of rows.toSorted((one, other) => one.updatedAtMs - other.updatedAtMs)) {
      await advance(options, row).catch(report);
    }
  };
}

/** An open refund that is not sent now is due again when its lease ends. */
async function advance(options: RefundPaymentOptions, row: PayoutRow): Promise<void> {
  const { store, clock, senders, report } = options;
  const refund = await store.tables.refunds.byId(row.refundId);
  if (refund === undefined) return;
  const network = await refundNetwork(store.tables, refund);
  const sender =
    senders.find(({ transfers }) => transfers.rail.network === network) ??
    (network === undefined ? undefined : await options.openSender?.(network));
  if (row.state === 'open') return begin(options, row, { refund, sender });
  if (row.state !== 'sending' || row.transfer === null) return;
  if (sender === undefined) return report(networkGone(network ?? refund.coin, refund.orderId));
  if (await follow(options, row, { sender, messageHash: row.transfer })) return;
  await store.tables.payouts.update(row, { nextAtMs: clock.now() + FOLLOW_AGAIN_MS });
}

interface Due {
  readonly refund: RefundRow;
  /** Undefined where refunds are not sent on its network. */
  readonly sender: RefundSender | undefined;
}

async function begin(options: RefundPaymentOptions, row: PayoutRow, due: Due): Promise<void> {
  const { refund, sender } = due;
  const wait = await waitOf(options, row, due);
  if (wait !== undefined) return setAside(options, row, wait);
  const { recipient } = refund;
  if (recipient === null || sender === undefined) return;
  const { transfers, wallet } = sender;
  const reference = referenceOf(row.refundId);
  const landed = await transfers.rail.landed({ owner: wallet.address, reference });
  if (landed?.kind === 'open') return;
  if (landed !== undefined) return close(options, row, landed.transaction);
  const transfer = {
    owner: wallet,
    payTo: recipient,
    amountAtomic: atomic(BigInt(refund.amountAtomic)),
    reference,
  };
  const messageHash = await transfers.begin(transfer, reserve(options, row, refund));
  if (messageHash === undefined) return;
  const sending = { ...row, state: 'sending', transfer: messageHash } as const;
  const begun = { ...sending, attempts: row.attempts + 1, version: row.version + 1 };
  await follow(options, begun, { sender, messageHash });
}

/** In the write that stores the transfer: all that the signature rests on is read once more. */
function reserve(
  { limits, clock, report }: RefundPaymentOptions,
  row: PayoutRow,
  refund: RefundRow,
): Mark {
  return async (tables, messageHash) => {
    const { payouts, refunds, holds } = tables;
    await holds.take(`order ${refund.orderId}`, 'fact refunds of the day');
    const now = await refunds.byId(refund.refundId);
    if (now?.recipient !== refund.recipient || now.amountAtomic !== refund.amountAtomic) {
      return false;
    }
    const nowMs = clock.now();
    if (!(await isCovered(tables, refund))) {
      await payouts.update(row, { waitsFor: 'operator', updatedAtMs: nowMs });
      report(uncovered(refund));
      return false;
    }
    const reserved = await payouts.reservedSince(nowMs - (nowMs % DAY_MS));
    if (reserved + BigInt(refund.amountAtomic) > limits.perDayAtomic) {
      await payouts.update(row, { waitsFor: 'limit', updatedAtMs: nowMs });
      return false;
    }
    return payouts.update(row, {
      state: 'sending',
      waitsFor: null,
      transfer: messageHash,
      reservedAtMs: nowMs,
      attempts: row.attempts + 1,
      nextAtMs: nowMs + FOLLOW_AGAIN_MS,
      updatedAtMs: nowMs,
    });
  };
}

/** Whether all that was and is being sent for the order, and this refund, is no more than it was paid. */
async function isCovered(tables: Tables, refund: RefundRow): Promise<boolean> {
  const received = await receivedFor(tables, refund.orderId);
  const others = (await tables.payouts.ofOrder(refund.orderId)).filter(
    ({ refundId, state }) =>
      refundId !== refund.refundId && (state === 'sending' || state === 'sent'),
  );
  return sumOf(others) + BigInt(refund.amountAtomic) <= received;
}

function uncovered({ orderId, refundId }: RefundRow): ScripError {
  return new ScripError(
    'MERCHANT_ERROR',
    t`The refunds of ${orderId} are more than was received for it; they are not sent`,
    { details: { subject: `uncovered ${refundId}` } },
  );
}

async function waitOf(
  options: RefundPaymentOptions,
  { approvedBy }: PayoutRow,
  { refund, sender }: Due,
): Promise<WaitsFor | undefined> {
  const { store, limits, report } = options;
  const { recipient } = refund;
  const amountAtomic = BigInt(refund.amountAtomic);
  const [isSendable, isApproved] = [sender !== undefined, approvedBy !== null];
  const wait = refundWait({ amountAtomic, recipient, isSendable, isApproved }, limits);
  if (wait !== undefined || recipient === null || sender === undefined) return wait;
  const { wallet, transfers, topUp } = sender;
  if (recipient === wallet.address || (await isReceiving(store.tables, recipient)))
    return 'operator';
  if (!(await transfers.rail.canReceive(recipient))) return 'account';
  const [held] = await transfers.rail.usdcOf([wallet.address]);
  const balance = held ?? 0n;
  if (balance >= amountAtomic) return undefined;
  if (topUp !== undefined) {
    await topUp();
    return undefined;
  }
  report(tooLow(wallet.address, balance));
  return 'balance';
}

/** A refund to an address of an order would be a late payment there, and refunded in turn. */
async function isReceiving({ receivingAccounts }: Tables, recipient: string): Promise<boolean> {
  return (await receivingAccounts.byOwner(recipient)) !== undefined;
}

function tooLow(address: string, balance: bigint): ScripError {
  const usdc = formatDecimal(atomic(balance), USDC_DECIMALS);
  return new ScripError(
    'FACILITATOR_UNAVAILABLE',
    t`The refund wallet ${address} has ${usdc} USDC, too little for a refund that is due`,
    { details: { subject: `refund wallet ${address}` } },
  );
}

async function setAside(
  { store, clock }: RefundPaymentOptions,
  row: PayoutRow,
  waitsFor: WaitsFor,
): Promise<void> {
  const nowMs = clock.now();
  const nextAtMs = nowMs + (waitsFor === 'account' ? ACCOUNT_WAIT_MS : WAIT_MS);
  await store.tables.payouts.update(row, { waitsFor, nextAtMs, updatedAtMs: nowMs });
}

/** Records what became of a transfer; false if it is undecided. */
async function follow(
  options: RefundPaymentOptions,
  row: PayoutRow,
  { sender, messageHash }: { readonly sender: RefundSender; readonly messageHash: string },
): Promise<boolean> {
  const { store, clock } = options;
  const outcome = await sender.transfers.follow(messageHash, AT_ONCE_MS);
  if (outcome === undefined) return false;
  const updatedAtMs = clock.now();
  if (outcome.state !== 'landed') {
    const retry = { nextAtMs: updatedAtMs + retryMs(row.attempts), updatedAtMs };
    const reopened = { state: 'open', transfer: null, reservedAtMs: null, ...retry } as const;
    await store.tables.payouts.update(row, reopened);
    return true;
  }
  await close(options, row, outcome.transaction);
  return true;
}

/** Records the final transaction that paid it. */
async function close(
  { store, clock }: RefundPaymentOptions,
  row: PayoutRow,
  transaction: string,
): Promise<void> {
  const updatedAtMs = clock.now();
  await store.write(async (tables) => {
    const refund = await tables.refunds.byId(row.refundId);
    if (refund === undefined) return;
    await tables.holds.take(`order ${refund.orderId}`);
    const sent = { state: 'sent', transaction, nextAtMs: null, updatedAtMs } as const;
    if (await tables.payouts.update(row, sent)) {
      await closeRefunded(tables, refund.orderId, updatedAtMs);
    }
  });
}

/** By which the chain shows that a refund was sent. A digest: the chain is public. */
function referenceOf(refundId: string): Uint8Array {
  return sha256(`refund reference ${refundId}`);
}

/** 30 seconds, doubling to an hour: each transfer that fails on the chain costs a fee. */
function retryMs(attempts: number): number {
  return Math.min(LONGEST_RETRY_MS, 15_000 * 2 ** Math.min(attempts, 16));
}

// When an order that ended unpaid becomes Refunded: when all that it received was sent back.

/**
 * Within the write that records a refund as paid, under the hold of the order. Does nothing for other
 * orders: support has already made them Refunded or Completed, or the goods were delivered.
 */
export async function closeRefunded(tables: Tables, orderId: string, atMs: number): Promise<void> {
  const order = await tables.partnerOrders.byId(orderId);
  if (order?.orderState !== 'Expired' && order?.orderState !== 'Canceled') return;
  const sent = (await tables.payouts.ofOrder(orderId)).filter(({ state }) => state === 'sent');
  if (sumOf(sent) < BigInt(order.receivedAtomic)) return;
  await transitionOrder(tables, order, 'refunded', { atMs });
}
