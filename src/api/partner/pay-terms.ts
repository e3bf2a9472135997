/** Dependencies and terms of a payment for an order, and the input of the pay gate. */

import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import type { FailPoint } from '../../domain/journal/fail-points.ts';
import { lastAttempt } from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, t } from '../../domain/message/message.ts';
import { capFor } from '../../domain/money/cap.ts';
import {
  type Atomic,
  atomic,
  formatDecimal,
  parseAtomic,
  parseDecimal,
} from '../../domain/money/money.ts';
import type { OrderedLine } from '../../domain/order/ordered-products.ts';
import type { PayGateRefusal, payGate } from '../../domain/payment/pay-gate.ts';
import type { KeySince } from '../../domain/policy/key-since.ts';
import type { Asset, PayingRail, Signer } from '../../rails/rail.ts';
import type { Vault } from '../../wallet/vault.ts';
import type { Spending } from '../payment/measure.ts';
import type { TransferDeps } from '../payment/transfer-transport.ts';
import type { PartnerHost } from './partner.ts';
import { createdOrder, type OrderJournal } from './partner-journal.ts';

export interface PayDeps extends PartnerHost, Omit<TransferDeps, 'clock' | 'signal' | 'failPoint'> {
  /** The merchant's name in the journal. */
  readonly hostName: string;
  /** Policy and spend log that limit each payment. */
  readonly spending: Spending;
  readonly signer: Signer;
  others(): Promise<readonly PayingRail[]>;
  /** Opened only when something is about to be paid, because that may ask for a passphrase. */
  vault(): Promise<Vault>;
  /** When idempotency keys can first have been used; default: the wallet's first payment. */
  readonly keySince?: KeySince | undefined;
  /** How long to wait for the merchant to see the payment. */
  readonly waitMs: number;
  /** How long to wait until the order can be paid; default: `waitMs`. */
  readonly setupMs?: number;
  /** Pause between reads of the order; 30 s by the interface. */
  readonly pollMs?: number | undefined;
  readonly failPoint?: (name: FailPoint) => void;
}

/** The payment about to be signed. */
export interface PaymentQuote {
  readonly order: WirePartnerOrder;
  readonly amountAtomic: Atomic;
  readonly decimals: number;
  readonly coin: string;
  readonly network: string;
  readonly payTo: string;
  /** Cost of opening the recipient's account, with its coin; null if it exists. */
  readonly openingCost: string | null;
  /** Refund address that the merchant was given; undefined if none was. */
  readonly refundsTo: string | undefined;
  /** E-mail addresses for the receipt and notices; empty when the merchant does not report them. */
  readonly emails?: readonly string[] | undefined;
  /** The first product of the journaled request, with its face value. */
  readonly product?: string | undefined;
  /** Recipients in the journaled request. */
  readonly ordered?: readonly OrderedLine[];
  /** Recipients of the goods, as shown to people. */
  readonly recipients?: readonly string[];
}

/**
 * Shown instead of a refund address when the order has none: the questions of a guided purchase do not ask
 * for one (interface: `purchaseElicitation`), so the merchant keeps refunds until it gets an address.
 */
export const NO_REFUND_ADDRESS = t`the order has none; the merchant keeps a refund until you give it an address`;

export interface PayRequest {
  readonly orderId: string;
  /** Pays only this part of the remaining amount. */
  readonly partAtomic?: Atomic | undefined;
  /** Pays the amount that the merchant reports missing, although another sender paid part of the order. */
  readonly trustsMissing?: boolean;
  /** Lets the buyer, who is shown that the merchant has no refund address, accept that. */
  readonly waivesRefund?: boolean;
  /** Asks the buyer to confirm. @throws {ScripError} when the buyer declines */
  agree(quote: PaymentQuote): Promise<void>;
}

/** How a payment ends. */
export type PayEnd =
  | ((
      | { readonly kind: 'refused'; readonly refusal: PayGateRefusal }
      /** All transfers for this run are final, or the merchant counts them as received. */
      | { readonly kind: 'paid' }
      /** Final, but the merchant has not confirmed it within the wait. */
      | { readonly kind: 'unseen'; readonly isOverdue: boolean }
      /** Another machine with this key has the turn to pay, and has not paid within the wait. */
      | { readonly kind: 'elsewhere'; readonly reason: Said }
    ) & { readonly order: WirePartnerOrder; readonly transactions: readonly string[] })
  /** Signed and sent, outcome unknown: the order must not be paid again until it is known. */
  | { readonly kind: 'unknown'; readonly reason: Said };

export type PayOutcome = PayEnd & {
  /** Number of payments that this run signed; 0 when the order was paid earlier or elsewhere. */
  readonly signatures: number;
};

/** The order in the journal, and what this run remembers. */
export interface Known {
  readonly orderJournal: OrderJournal;
  /** Amount landed before this run, from which a part payment is measured. */
  readonly startAtomic?: Atomic | undefined;
  /** The order as the buyer confirmed it. */
  readonly agreedOn?: WirePartnerOrder;
}

/** The known state, and the order as just read. */
export interface Situation extends Known {
  readonly fresh: WirePartnerOrder;
}

/** Returns the amount to pay now: a requested part once per run, otherwise all that is left. */
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
 * Fills in address and amount if the creation reply lacks them, since an order may be created before its
 * payment wallet. Takes the address from a signed attempt, and otherwise both from the order as confirmed or,
 * before that, as just read.
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
      wallet_address: payTo,
      coin_amount: amount,
    },
  };
}

/** Returns the maximum confirmed when the order was placed; only needed if its amount became known later. */
function capOf({ main }: OrderJournal): Atomic | undefined {
  const isNamed = main === undefined || createdOrder(main)?.coin_amount !== undefined;
  return isNamed ? undefined : parseAtomic(main.intent.capAtomic);
}

/** Returns the refund address that the merchant was given at creation. */
export function refundsTo({ main }: OrderJournal): string | undefined {
  return main?.intent.partner?.refundAddress ?? undefined;
}

export function cannotSend({ coin, network }: Means, orderId: string): ScripError {
  return new ScripError('ORDER_NOT_PAYABLE', t`This wallet cannot send ${coin} on ${network}`, {
    hint: commandText`At the partner API this wallet sends USDC and SOL on Solana; USDC on Base it pays only at a checkout host. Pay this order from another wallet: scrip pay ${orderId} --show prints amount, address and QR code.`,
    details: { coin, network },
  });
}

export function gateInput(
  deps: PayDeps,
  { orderJournal, fresh }: Situation,
  terms: { readonly asset: Asset; readonly means: Means; readonly request: PayRequest },
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
    isKeyAddress: deps.rail.isKeyAddress(created?.wallet_address ?? ''),
    refundAddress:
      refundsTo(orderJournal) ?? (terms.request.waivesRefund === true ? '' : undefined),
  };
}

/**
 * Returns what others paid by the merchant's count; never negative, so that no more than the price is signed
 * for.
 */
function foreignPart(
  orderJournal: OrderJournal,
  fresh: WirePartnerOrder,
  { decimals }: Asset,
): bigint {
  const { created, landedAtomic } = orderJournal;
  const missing = fresh.missing_amount;
  if (created?.coin_amount === undefined || missing === undefined || missing === null) return 0n;
  const price = parseDecimal(created.coin_amount, decimals);
  const foreign = price - parseDecimal(missing, decimals) - landedAtomic;
  return foreign > 0n ? foreign : 0n;
}

/**
 * Checks the user's maximum.
 * @param maxAmount as typed, in the order's coin.
 * @throws {ScripError} AMOUNT_OVER_CAP
 */
export function checkLimit(
  { amountAtomic, decimals, coin }: PaymentQuote,
  maxAmount: string | undefined,
): void {
  const amount = formatDecimal(amountAtomic, decimals);
  capFor({ priceAtomic: amountAtomic, decimals }, maxAmount, (_, most) => ({
    message: t`The payment asks for ${amount} ${coin}, more than the ${most} allowed`,
    details: { amount, max_amount: most, coin },
  }));
}

/**
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE when the user did not accept to open the recipient's account
 */
export function checkOpening(quote: PaymentQuote, opensAccount: boolean): void {
  if (quote.openingCost === null || opensAccount) return;
  throw new ScripError(
    'REQUIREMENT_UNACCEPTABLE',
    t`${quote.payTo} has no account for ${quote.coin}${openingText(quote)}`,
    { hint: t`Add --open-account to pay for opening it.` },
  );
}

export function openingText({ openingCost }: PaymentQuote): Message {
  return openingCost === null ? t`` : t` and ${openingCost} to open the recipient's account`;
}
