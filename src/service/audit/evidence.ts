/** What records are compared with: what landed on the chain, and what the supplier sold. */

import type { OperatedBy } from '../../domain/operator/audit.ts';
import type { Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { RefundRow } from '../../store/tables/refunds.ts';
import type { Cost } from '../delivery/supplier.ts';

/** A credit to one address in one transaction. */
export interface Transfer {
  readonly transaction: string;
  readonly amountAtomic: bigint;
  /** When the transaction was executed. */
  readonly atMs: number;
  /** Of money that pays nothing: the order whose address it came to. */
  readonly orderId?: string | undefined;
}

/** Money that landed at the service's addresses. */
export interface Landed<One extends Transfer = Transfer> {
  /** By session id, oldest first. */
  readonly bySession: ReadonlyMap<string, readonly One[]>;
  /** By partner order id, oldest first. */
  readonly byPartnerOrder: ReadonlyMap<string, readonly One[]>;
  /** To addresses of ours that the records do not have, oldest first. */
  readonly forgotten: readonly One[];
  readonly transactions: number;
  readonly transfers: number;
}

export interface Evidence<One extends Transfer = Transfer> {
  readonly landed: Landed<One>;
  /** Whether the records must know it by now. */
  isOld(transfer: One): boolean;
  /** When the chain was read; what was recorded later is not compared with it. */
  readonly readAtMs: number;
  /** What a transaction credited to the recipient of a refund. */
  credited(
    transaction: string,
    refund: RefundRow & { readonly recipient: string },
  ): Promise<bigint>;
  /** Payments of an order that no chain shows. */
  played(orderId: string): Promise<bigint>;
  readonly supplier: SupplierLedger;
  readonly operated: OperatedBy;
  /** Nothing is judged of what was made before; by default all is. */
  readonly sinceMs?: number | undefined;
  readonly nowMs: number;
}

/** What a supplier has sold, by its own records. */
export interface SupplierLedger {
  /** Of a line; undefined if the supplier knows nothing of it. */
  sold(row: DeliveryRow): Promise<Sold | undefined>;
  /** Every sale that it can list, with whether a line has its reference. Where it knows times: since one. */
  sales(tables: Tables, sinceMs: number): AsyncIterable<Sale>;
}

export interface Sold {
  readonly outcome: 'fulfilled' | 'refused' | 'pending';
  /** Whether it is what the line says; true where the supplier does not say what it sold. */
  readonly isSame: boolean;
  /** What it asks for it, where it says so. */
  readonly cost?: Cost | undefined;
}

export interface Sale {
  readonly reference: string;
  readonly hasLine: boolean;
  /** Just made: its order may be younger than the records that were read. */
  readonly isNew?: boolean;
}
