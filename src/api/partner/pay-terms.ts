/** What a payment of an order works with, and what the gate is asked: terms, parts, and money of others. */

import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import type { FailPoint } from '../../domain/fail-points.ts';
import { type Journal, lastAttempt } from '../../domain/journal.ts';
import type { KeySince } from '../../domain/key-since.ts';
import { type Said, t } from '../../domain/message.ts';
import { type Atomic, atomic, parseAtomic, parseDecimal } from '../../domain/money.ts';
import type { OrderedLine } from '../../domain/ordered-products.ts';
import type { PayGateRefusal, payGate } from '../../domain/pay-gate.ts';
import type { DirectAsset, Signer } from '../../rails/rail.ts';
import type { Vault } from '../../wallet/vault.ts';
import type { Spending } from '../payment/measure.ts';
import type { TransferDeps } from '../payment/transfer-transport.ts';
import type { PartnerHost } from './partner.ts';
import { createdOrder, type OrderJournal } from './partner-journal.ts';

export interface PayDeps extends PartnerHost, Omit<TransferDeps, 'clock' | 'signal' | 'failPoint'> {
  /** As the journal names the merchant. */
  readonly hostName: string;
  readonly journal: Journal;
  /** Policy and spend log that a payment is measured by. */
  readonly spending: Spending;
  readonly signer: Signer;
  /** Opened when something is about to be paid: a passphrase may be asked for. */
  vault(): Promise<Vault>;
  /** From when on idempotency keys can have been used; from the wallet's first payment without it. */
  readonly keySince?: KeySince | undefined;
  /** How long to wait for the merchant to see the payment. */
  readonly waitMs: number;
  /** How long to wait until the order can be paid; `waitMs` without it. */
  readonly setupMs?: number;
  /** Between readings of the order; 30 s by the interface. */
  readonly pollMs?: number;
  readonly failPoint?: (name: FailPoint) => void;
}

/** What is about to be signed for. */
export interface PaymentQuote {
  readonly order: WirePartnerOrder;
  readonly amountAtomic: Atomic;
  readonly decimals: number;
  readonly coin: string;
  readonly network: string;
  readonly payTo: string;
  /** What opening the recipient's account takes, in the chain's own coin; 0n when it is there. */
  readonly openingCost: bigint;
  /** Where the merchant was told to send money back to; undefined when it was not told. */
  readonly refundsTo: string | undefined;
  /** Where the receipt and notices of the order go to; empty where the merchant does not tell. */
  readonly emails?: readonly string[] | undefined;
  /** Whom the goods were ordered for, by the request on record. */
  readonly ordered?: readonly OrderedLine[];
  /** Who receives the goods, as people are shown it. */
  readonly recipients?: readonly string[];
}

/**
 * What stands in place of an address that the order has none of: the questions of a guided purchase
 * have no place for one (interface: `purchaseElicitation`), and the merchant keeps what it owes back.
 */
export const NO_REFUND_ADDRESS = t`the order has none; the merchant keeps a refund until you give it an address`;

export interface PayRequest {
  readonly orderId: string;
  /** Pays only this part of the amount that is left to pay. */
  readonly partAtomic?: Atomic | undefined;
  /** Pays what the merchant misses although a part of the amount came from elsewhere. */
  readonly trustsMissing?: boolean;
  /** The buyer is shown that the merchant knows no address to send money back to, and may agree. */
  readonly waivesRefund?: boolean;
  /** Asks the buyer to confirm. @throws {ScripError} when they decline */
  agree(offer: PaymentQuote): Promise<void>;
}

/** How a payment ends. */
export type PayEnd =
  /** Everything that was to be sent now is final, or the merchant counts it as received. */
  | {
      readonly kind: 'paid';
      readonly order: WirePartnerOrder;
      readonly transactions: readonly string[];
    }
  | {
      readonly kind: 'refused';
      readonly order: WirePartnerOrder;
      readonly refusal: PayGateRefusal;
      readonly transactions: readonly string[];
    }
  /** Final, and the merchant has not said so within the wait. */
  | {
      readonly kind: 'unseen';
      readonly order: WirePartnerOrder;
      readonly isOverdue: boolean;
      readonly transactions: readonly string[];
    }
  /** Another machine with this key has the turn to pay it, and has not paid within the wait. */
  | {
      readonly kind: 'elsewhere';
      readonly order: WirePartnerOrder;
      readonly reason: Said;
      readonly transactions: readonly string[];
    }
  /** Signed and sent, outcome unknown: the order must not be paid again until it is known. */
  | { readonly kind: 'unknown'; readonly reason: Said };

export type PayOutcome = PayEnd & {
  /** Number of payments that this run signed; 0 when the order was paid earlier or elsewhere. */
  readonly signatures: number;
};

/** What the journal knows of the order, and what this run remembers. */
export interface Known {
  readonly orderJournal: OrderJournal;
  /** What landed before this run: a part is measured from there. */
  readonly startAtomic?: Atomic | undefined;
  /** The order as it was when the buyer agreed to pay it. */
  readonly agreedOn?: WirePartnerOrder;
}

/** What is known when the next step is chosen. */
export interface Situation extends Known {
  readonly fresh: WirePartnerOrder;
}

/** A part is paid once in a run; without one, everything that is left is. */
export function partOf(
  { partAtomic }: PayRequest,
  { orderJournal, startAtomic = orderJournal.landedAtomic }: Known,
  left: Atomic,
): Atomic {
  if (partAtomic === undefined) return left;
  const sent = orderJournal.landedAtomic - startAtomic;
  if (sent >= partAtomic) return atomic(0n);
  return partAtomic < left ? partAtomic : left;
}

export interface Means {
  readonly coin: string;
  readonly network: string;
}

export function meansOf({ main }: OrderJournal, fresh: WirePartnerOrder): Means {
  const agreed = main?.intent.partner;
  return {
    coin: agreed?.coin ?? fresh.coin ?? '',
    network: agreed?.network ?? fresh.network ?? '',
  };
}

/**
 * What the creation left open stands as it was first signed for or agreed on, and until then as it is
 * read: an order may be made before its wallet is.
 */
export function withNamedTerms(
  { orderJournal, agreedOn }: Known,
  fresh: WirePartnerOrder,
): OrderJournal {
  const { main, created } = orderJournal;
  if (main === undefined || created === undefined) return orderJournal;
  const read = agreedOn ?? fresh;
  const payTo = created.wallet_address || lastAttempt(main)?.payTo || read.wallet_address;
  const amount = created.coin_amount ?? read.coin_amount;
  return {
    ...orderJournal,
    created: {
      ...created,
      ...(payTo === undefined ? {} : { wallet_address: payTo }),
      ...(amount === undefined ? {} : { coin_amount: amount }),
    },
  };
}

/** The maximum confirmed when the order was placed limits an amount that came later. */
function capOf({ main }: OrderJournal): Atomic | undefined {
  const isNamed = main === undefined || createdOrder(main)?.coin_amount !== undefined;
  return isNamed ? undefined : parseAtomic(main.intent.capAtomic);
}

/** Where money comes back to, as the merchant was told at creation. */
export function refundsTo({ main }: OrderJournal): string | undefined {
  return main?.intent.partner?.refundAddress ?? undefined;
}

export function cannotSend({ coin, network }: Means, orderId: string): ScripError {
  return new ScripError('ORDER_NOT_PAYABLE', t`This wallet cannot send ${coin} on ${network}`, {
    hint: commandText`Pay it from a wallet that can: scrip pay ${orderId} --show prints amount, address and QR code.`,
    details: { coin, network },
  });
}

export function gateInput(
  deps: PayDeps,
  { orderJournal, fresh }: Situation,
  terms: { readonly asset: DirectAsset; readonly means: Means; readonly request: PayRequest },
): Parameters<typeof payGate>[0] {
  const { created } = orderJournal;
  const foreign =
    terms.request.trustsMissing === true ? foreignPart(orderJournal, fresh, terms.asset) : 0n;
  return {
    created,
    capAtomic: capOf(orderJournal),
    fresh,
    means: terms.means,
    decimals: terms.asset.decimals,
    landedAtomic: atomic(orderJournal.landedAtomic + foreign),
    liveAtomic: orderJournal.liveAtomic,
    nowSeconds: Math.floor(deps.clock.now() / 1_000),
    ownAddress: deps.signer.address,
    isDestinationOnCurve: deps.rail.direct.isOnCurve(created?.wallet_address ?? ''),
    refundAddress:
      refundsTo(orderJournal) ?? (terms.request.waivesRefund === true ? '' : undefined),
  };
}

/** What others paid by the merchant's count; never so much that more than the price would be signed for. */
function foreignPart(
  orderJournal: OrderJournal,
  fresh: WirePartnerOrder,
  { decimals }: DirectAsset,
): bigint {
  const { created, landedAtomic } = orderJournal;
  const missing = fresh.missing_amount;
  if (created?.coin_amount === undefined || missing === undefined || missing === null) return 0n;
  const price = parseDecimal(created.coin_amount, decimals);
  const foreign = price - parseDecimal(missing, decimals) - landedAtomic;
  return foreign > 0n ? foreign : 0n;
}
