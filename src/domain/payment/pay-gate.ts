/**
 * The checks right before the buyer's own wallet pays a partner API order. Each check can stop the payment,
 * with one required outcome. The rail checks what happened to a sent transfer, and the rent of a missing
 * token account (docs/inside/payments.md).
 */

import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { attempt } from '../attempt.ts';
import { type Said, t } from '../message/message.ts';
import { type Atomic, atomic, formatDecimal, parseDecimal } from '../money/money.ts';
import { isPaid, isSettingUp, isTerminal, type ToldStates } from '../order/order-states.ts';
import { isSameName } from './payment-means.ts';

export interface PayGateInput {
  /**
   * The order as created and journaled, completed with what its first reading added; undefined if this
   * journal has none.
   */
  readonly created: WirePartnerOrder | undefined;
  /** The maximum the order may cost, if the creation named no amount. */
  readonly capAtomic?: Atomic | undefined;
  /** The order as just read. */
  readonly fresh: WirePartnerOrder;
  /** What the buyer chose to pay with. */
  readonly means: { readonly coin: string; readonly network: string };
  /** Decimals of the coin; all amounts here are in units of 10^-decimals. */
  readonly decimals: number;
  /** Sum of our own finalized transfers to the order. */
  readonly landedAtomic: Atomic;
  /** Sum of our signed transfers that are neither finalized nor proven dead. */
  readonly liveAtomic?: Atomic;
  /** Unix seconds. */
  readonly nowSeconds: number;
  /** End of the payment window in Unix seconds; if omitted, 15 minutes after the creation. */
  readonly windowEndsAtSeconds?: number;
  readonly ownAddress: string;
  /** Whether the destination address can have a private key. */
  readonly isKeyAddress: boolean;
  /** The refund address that the merchant was given at creation. */
  readonly refundAddress: string | undefined;
}

/** Why nothing is signed now; errors carry it in `details.gate` (docs/inside/payments.md). */
export type PayGateReason =
  /** The journal has no record of what the order should cost. */
  | 'unrecorded'
  /** An earlier transfer may still land. */
  | 'in-flight'
  | 'paid'
  /** Merchant and buyer disagree on the missing amount, or the merchant has not credited the payment yet. */
  | 'part-paid'
  /** Not payable yet, too late, or ended. */
  | 'not-payable'
  /** The order expires although the merchant saw a payment. */
  | 'late-payment'
  | 'no-refund-address'
  /** The merchant's compliance check holds the order. */
  | 'on-hold'
  /** The order differs from the one that was created. */
  | 'changed'
  /** Coin, network, amount or address differ from the confirmed order. */
  | 'mismatch';

/**
 * What to do instead of paying: `stop` for good, `wait` and read again, `rebroadcast` the signed transfer, or
 * `attention`: a person has to decide, and nothing more is paid.
 */
type PayGateOutcome = 'stop' | 'wait' | 'rebroadcast' | 'attention';

export interface PayGateRefusal {
  readonly reason: PayGateReason;
  readonly outcome: PayGateOutcome;
  /** One sentence for the buyer. */
  readonly sentence: Said;
}

type PayGateDecision = { readonly pay: Atomic } | { readonly refusal: PayGateRefusal };

/** Below this, a transfer could become final only after the window ends. */
const LEAST_REMAINING_SECONDS = 180;
const ASSUMED_WINDOW_SECONDS = 15 * 60;

type Check = (input: PayGateInput, known: Known) => PayGateRefusal | undefined;

interface Known {
  readonly created: WirePartnerOrder;
  /** The order's full price. */
  readonly priceAtomic: Atomic;
}

/**
 * Returns the amount to sign for now, or why nothing may be signed. For any answer of the merchant, all signed
 * amounts together never exceed the amount of the creation.
 */
export function payGate(input: PayGateInput): PayGateDecision {
  const { created, landedAtomic } = input;
  if (created === undefined) {
    return refused('unrecorded', 'attention', t`This machine has no record of creating this order`);
  }
  const early = notYet(input);
  if (early !== undefined) return { refusal: early };
  const priceAtomic = readAmount(created.coin_amount, input.decimals);
  if (priceAtomic === undefined) {
    return refused('mismatch', 'stop', t`The amount ${created.coin_amount ?? ''} cannot be paid`);
  }
  const known = { created, priceAtomic };
  const broken = CHECKS.map((check) => check(input, known)).find((found) => found !== undefined);
  if (broken) return { refusal: broken };
  return { pay: atomic(priceAtomic - landedAtomic) };
}

/** Waits while the merchant is setting up the order; its fields are checked once it can be paid. */
function notYet({ fresh, landedAtomic, liveAtomic = atomic(0n) }: PayGateInput) {
  if (landedAtomic > 0n || liveAtomic > 0n || !isSettingUp(statesOf(fresh))) return undefined;
  return refusal('not-payable', 'wait', t`The order cannot be paid yet: ${stateText(fresh)}`);
}

/** A status response may omit address and amount (interface: Order response). */
const sameOrder: Check = ({ fresh }, { created }) => {
  const changed = (['order_id', 'wallet_address', 'coin_amount'] as const).find(
    (field) => fresh[field] !== undefined && fresh[field] !== created[field],
  );
  if (changed === undefined) return undefined;
  const change = t`${changed} changed from ${created[changed] ?? ''} to ${fresh[changed] ?? ''}`;
  return refusal('changed', 'attention', t`The order changed after it was made: ${change}`);
};

const rightMeans: Check = ({ fresh, means }, { created }) => {
  for (const field of ['coin', 'network'] as const) {
    const other = [created[field], fresh[field]].find((asked) => !isAgreed(asked, means[field]));
    if (other !== undefined) {
      return refusal(
        'mismatch',
        'stop',
        t`The order asks for the ${field} ${other}, not ${means[field]}`,
      );
    }
  }
  return undefined;
};

/** An omitted field means the buyer's choice stands. */
function isAgreed(asked: string | null | undefined, agreed: string): boolean {
  return asked === undefined || asked === null || isSameName(asked, agreed);
}

const withinAgreed: Check = ({ capAtomic, decimals }, { priceAtomic }) =>
  capAtomic === undefined || priceAtomic <= capAtomic
    ? undefined
    : refusal(
        'mismatch',
        'stop',
        t`The order asks for ${formatDecimal(priceAtomic, decimals)}, more than the accepted maximum of ${formatDecimal(capAtomic, decimals)}`,
      );

const rightDestination: Check = ({ ownAddress, isKeyAddress }, { created }) => {
  const address = created.wallet_address;
  if (address === undefined || address === '') {
    return refusal('mismatch', 'stop', t`The order has no payment address`);
  }
  if (address === ownAddress) {
    return refusal(
      'mismatch',
      'stop',
      t`The payment would go to the paying wallet itself, ${address}`,
    );
  }
  if (isKeyAddress) return undefined;
  return refusal('mismatch', 'stop', t`${address} is not the address of a wallet`);
};

const noLiveTransfer: Check = ({ liveAtomic = atomic(0n) }) =>
  liveAtomic === 0n
    ? undefined
    : refusal('in-flight', 'rebroadcast', t`An earlier signed transfer may still be confirmed`);

const notPaidByUs: Check = ({ landedAtomic }, { priceAtomic }) =>
  landedAtomic < priceAtomic
    ? undefined
    : refusal('paid', 'wait', t`The full amount was paid; the merchant has not confirmed it yet`);

const inCompliance: Check = ({ fresh }) => {
  const isHeld =
    ['PaymentQuarantined', 'WaitingForComplianceReport'].includes(fresh.payment_state) ||
    fresh.order_state === 'WaitingForManualAction';
  return isHeld
    ? refusal('on-hold', 'wait', t`The merchant holds the order: ${stateText(fresh)}`)
    : undefined;
};

const expiredInFlight: Check = ({ fresh }) =>
  /AfterPaymentDetection$/.test(fresh.payment_state)
    ? refusal(
        'late-payment',
        'attention',
        t`The order is expiring although a payment was seen: ${stateText(fresh)}`,
      )
    : undefined;

/** Ours: a payment that the merchant sees, but that our records do not count, must be settled first. */
const stillWaiting: Check = ({ fresh, landedAtomic }) => {
  const states = statesOf(fresh);
  if (isPaid(states))
    return refusal('paid', 'wait', t`The merchant says it is paid: ${stateText(fresh)}`);
  if (isTerminal(states))
    return refusal('not-payable', 'stop', t`The order has ended: ${stateText(fresh)}`);
  if (fresh.payment_state === 'PaymentStarted') {
    return refusal('paid', 'wait', t`The merchant sees a payment on its way: ${stateText(fresh)}`);
  }
  const payable = ['WalletCreated', 'PaymentRequested'];
  if (landedAtomic > 0n) payable.push('PartialPaymentStarted');
  if (fresh.order_state === 'WaitingForPayment' && payable.includes(fresh.payment_state)) {
    return undefined;
  }
  if (fresh.payment_state === 'PartialPaymentStarted') {
    return refusal(
      'part-paid',
      'attention',
      t`The merchant received part of the amount from another sender`,
    );
  }
  return refusal(
    'not-payable',
    'stop',
    t`The order is not waiting for a payment: ${stateText(fresh)}`,
  );
};

const windowOpen: Check = ({ nowSeconds, windowEndsAtSeconds }, { created }) => {
  const endsAt = windowEndsAtSeconds ?? created.created_at + ASSUMED_WINDOW_SECONDS;
  const left = endsAt - nowSeconds;
  if (left >= LEAST_REMAINING_SECONDS) return undefined;
  return refusal(
    'not-payable',
    'stop',
    t`The payment window ends in ${Math.max(0, left)} s; a payment needs at least ${LEAST_REMAINING_SECONDS} s`,
  );
};

/** After a partial payment, merchant and buyer must agree on the missing amount. */
const agreedOnRest: Check = (input, { priceAtomic }) => {
  const { fresh, landedAtomic, decimals } = input;
  const { missing_amount: text } = fresh;
  if (landedAtomic === 0n && (text === undefined || text === null)) return undefined;
  if (text === undefined || text === null) {
    return refusal('part-paid', 'wait', t`The merchant has not credited the payment yet`);
  }
  const ours = atomic(priceAtomic - landedAtomic);
  if (readAmount(text, decimals) === ours) return undefined;
  return refusal(
    'part-paid',
    'attention',
    t`The merchant says ${text} is missing; by the journal of this machine, another amount is left to pay`,
  );
};

const refundable: Check = ({ refundAddress }) =>
  refundAddress === undefined
    ? refusal('no-refund-address', 'stop', t`The order has no refund address`)
    : undefined;

/** The first check that refuses gives the reason, so the order matters. */
const CHECKS: readonly Check[] = [
  sameOrder,
  rightMeans,
  withinAgreed,
  rightDestination,
  noLiveTransfer,
  inCompliance,
  expiredInFlight,
  notPaidByUs,
  stillWaiting,
  windowOpen,
  agreedOnRest,
  refundable,
];

function statesOf({ order_state, payment_state }: WirePartnerOrder): ToldStates {
  return { orderState: order_state, paymentState: payment_state };
}

function stateText({ order_state, payment_state }: WirePartnerOrder): string {
  return `${order_state}, ${payment_state}`;
}

/** Parses a positive amount from the wire; undefined if it is not one in the coin's decimals. */
function readAmount(text: string | undefined, decimals: number): Atomic | undefined {
  const amount = attempt(
    () => parseDecimal(text ?? '', decimals),
    () => atomic(0n),
  );
  return amount > 0n ? amount : undefined;
}

function refusal(reason: PayGateReason, outcome: PayGateOutcome, sentence: Said): PayGateRefusal {
  return { reason, outcome, sentence };
}

function refused(...parts: Parameters<typeof refusal>): PayGateDecision {
  return { refusal: refusal(...parts) };
}
