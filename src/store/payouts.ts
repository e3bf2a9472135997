/** How refunds are paid: one row for each, written with the refund and changed until it is paid. */

import type { RefundFilter } from '../domain/operator.ts';
import type { DueWork } from './due-work.ts';
import type { RefundRow } from './refunds.ts';

/** What an open refund waits for; `operator` is one that only a person can pay. */
export type WaitsFor = 'address' | 'account' | 'approval' | 'operator' | 'limit' | 'balance';

export interface PayoutRow {
  readonly refundId: string;
  /** `sending`: a transfer is on record and not decided. `sent` and `refused` are final. */
  readonly state: 'open' | 'sending' | 'sent' | 'refused';
  readonly waitsFor: WaitsFor | null;
  /** Who let it be sent although the limits ask for a person. */
  readonly approvedBy: string | null;
  /** Message hash of the transfer under way, or of the one that paid it. */
  readonly transfer: string | null;
  /** Id of the transaction that paid it. */
  readonly transaction: string | null;
  /** When its amount was last counted for the limit of a day. */
  readonly reservedAtMs: number | null;
  /** Transfers signed so far. */
  readonly attempts: number;
  /** When to advance it next; null once it is final. */
  readonly nextAtMs: number | null;
  readonly updatedAtMs: number;
  /** Increases with every change. */
  readonly version: number;
}

/** The payment of a refund that is just recorded. */
export function openPayout(refundId: string, atMs: number): PayoutRow {
  return {
    refundId,
    state: 'open',
    waitsFor: null,
    approvedBy: null,
    transfer: null,
    transaction: null,
    reservedAtMs: null,
    attempts: 0,
    nextAtMs: atMs,
    updatedAtMs: atMs,
    version: 0,
  };
}

/** A refund and its payment; null for a refund that was recorded before payments were. */
export interface RefundPayment {
  readonly refund: RefundRow;
  readonly payout: PayoutRow | null;
}

/** Due is what is not final. */
export interface Payouts extends DueWork<PayoutRow> {
  insert(row: PayoutRow): Promise<void>;
  byRefund(refundId: string): Promise<PayoutRow | undefined>;
  byTransaction(transaction: string): Promise<PayoutRow | undefined>;
  ofOrder(orderId: string): Promise<readonly PayoutRow[]>;
  /** Makes an order's rows due that wait for an address. */
  wake(orderId: string, atMs: number): Promise<void>;
  /** Sum of the amounts counted since an instant, in atomic units of USDC. */
  reservedSince(atMs: number): Promise<bigint>;
  /** Compare-and-swap on `version`, which it increases; false if another process was first. */
  update(
    before: Pick<PayoutRow, 'refundId' | 'version'>,
    changes: Partial<Omit<PayoutRow, 'refundId' | 'version'>>,
  ): Promise<boolean>;
  /** Refunds with their payments, oldest first; losses are left out. */
  list(filter: RefundFilter, limit: number): Promise<readonly RefundPayment[]>;
}
