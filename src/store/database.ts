/** The tables as SQL engines store them: the port's rows, except for types that engines lack. */

import type { CallerFeeRow } from './caller-fees.ts';
import type { CatalogRow } from './catalogs.ts';
import type { ChainAccountRow, ChainTransactionRow } from './chain-records.ts';
import type { DeliveryRow, OrderRow, SessionRow, SettlementRow } from './checkout-orders.ts';
import type { ClaimRow } from './claims.ts';
import type { OperatorActionRow } from './operator-actions.ts';
import type { OrderEventRow, OutboxRow } from './order-events.ts';
import type { PartnerOrderRow } from './partner-orders.ts';
import type { PartnerRow } from './partners.ts';
import type { PaymentLeaseRow } from './payment-leases.ts';
import type { PaymentRequestRow } from './payment-requests.ts';
import type { PayoutRow } from './payouts.ts';
import type { PurchaseRow } from './purchases.ts';
import type { ReceivingAccountRow } from './receiving-accounts.ts';
import type { RefundRow } from './refunds.ts';
import type { RateRow } from './shared-rates.ts';
import type { WizardSessionRow } from './wizard-sessions.ts';

/** SQLite has no booleans, so every engine stores 0 or 1. */
type Flag = 0 | 1;

export interface ChainAccountRecord extends Omit<ChainAccountRow, 'executable'> {
  readonly executable: Flag;
}

export interface ChainTransactionRecord extends ChainTransactionRow {
  /** Order of execution, from 1. */
  readonly position: number;
}

/** Which transaction named which account. */
interface ChainMentionRecord {
  readonly address: string;
  readonly position: number;
}

/** Tries of work whose own row does not count them; a settlement's are named by its message. */
export interface TryRecord {
  readonly name: string;
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
}

interface FactRecord {
  readonly name: string;
  readonly value: string;
}

export interface Database {
  readonly sessions: SessionRow;
  readonly settlements: SettlementRow;
  readonly orders: OrderRow;
  readonly deliveries: DeliveryRow;
  /** Exists only inside the step that copies it. */
  readonly boundDeliveries: DeliveryRow;
  readonly partnerOrders: PartnerOrderRow;
  readonly paymentLeases: PaymentLeaseRow;
  readonly orderEvents: OrderEventRow;
  readonly outbox: OutboxRow;
  readonly wizardSessions: WizardSessionRow;
  readonly claims: ClaimRow;
  readonly purchases: PurchaseRow;
  readonly refunds: RefundRow;
  readonly paymentRequests: PaymentRequestRow;
  readonly payouts: PayoutRow;
  readonly receivingAccounts: ReceivingAccountRow;
  readonly partners: PartnerRow;
  readonly catalogs: CatalogRow;
  readonly operatorActions: OperatorActionRow;
  readonly callerFees: CallerFeeRow;
  readonly chainAccounts: ChainAccountRecord;
  readonly chainTransactions: ChainTransactionRecord;
  readonly chainMentions: ChainMentionRecord;
  readonly facts: FactRecord;
  readonly tries: TryRecord;
  readonly rates: RateRow;
  readonly servers: { readonly name: string };
}
