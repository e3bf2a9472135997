/**
 * The sandbox's scenarios. The beneficiary chooses what the supplier does, as test-card numbers do;
 * the buyer chooses the steps before an order of the partner API can be paid.
 */

import type { OrderState, PaymentState } from '../contract/codes.ts';
import type { OrderEvent } from '../domain/order/order-transitions.ts';
import { atOnce, type PaymentSetup, type SetupStep } from '../service/partner/orders/progress.ts';
import type { Compliance } from '../service/partner/orders/reconcile.ts';

export interface Scenario {
  readonly name: string;
  /** Last digits of a phone number that choose this scenario. */
  readonly phoneEnding: string;
  /** Answer to whether the product can be bought. */
  readonly check: 'available' | 'out_of_stock' | 'unreachable';
  /** How long after the purchase its outcome stays `pending`, in milliseconds. */
  readonly pendingMs: number;
  /** Number of calls that get no answer although the purchase is recorded. */
  readonly lostAnswers: number;
  /** Why the purchase is refused; undefined if it is fulfilled. */
  readonly refusal?: string;
  /** One sentence for the documentation. */
  readonly meaning: string;
}

const scenario = (
  name: string,
  phoneEnding: string,
  meaning: string,
  more: Partial<Scenario> = {},
): Scenario => ({
  name,
  phoneEnding,
  meaning,
  check: 'available',
  pendingMs: 0,
  lostAnswers: 0,
  ...more,
});

/** The default: the first call returns the voucher. */
const INSTANT = scenario('instant', '9900', 'Delivered at the first call.');

/** All scenarios; docs/operate/scenarios.md shows this table. */
export const SCENARIOS: readonly Scenario[] = [
  INSTANT,
  scenario('delayed', '9901', 'Pending for 3 seconds, then delivered.', { pendingMs: 3_000 }),
  scenario('slow', '9902', 'Pending for 2 minutes, then delivered.', { pendingMs: 120_000 }),
  scenario('failing', '9903', 'Refused after payment: the order fails.', {
    refusal: 'the supplier declined this purchase',
  }),
  scenario('late-failing', '9904', 'Pending for 3 seconds, then refused.', {
    pendingMs: 3_000,
    refusal: 'the supplier declined this purchase',
  }),
  scenario('out-of-stock', '9905', 'Out of stock: refused before a payment is requested.', {
    check: 'out_of_stock',
    refusal: 'the supplier ran out of stock',
  }),
  scenario(
    'unknown',
    '9906',
    'Bought, but two answers are lost; the third call with the same reference is answered.',
    { lostAnswers: 2 },
  ),
  scenario('stuck', '9907', 'Bought, but no answer ever arrives.', {
    lostAnswers: Number.POSITIVE_INFINITY,
  }),
  scenario('unreachable', '9908', 'The supplier cannot be reached: answered 502 before payment.', {
    check: 'unreachable',
  }),
];

/**
 * Returns the scenario that a beneficiary chooses: an email address by its tag
 * (`ann+delayed@example.com`), a phone number by its last four digits; otherwise `instant`.
 */
export function scenarioFor(beneficiary: string): Scenario {
  const tag = /\+([^+@]+)@/.exec(beneficiary)?.[1]?.toLowerCase();
  const chosen = beneficiary.includes('@')
    ? SCENARIOS.find(({ name }) => name === tag)
    : SCENARIOS.find(({ phoneEnding }) => beneficiary.endsWith(phoneEnding));
  return chosen ?? INSTANT;
}

/** Steps before an order of the partner API can be paid. */
interface SetupScenario {
  readonly name: string;
  /**
   * Keyed by the payment state of a `Created` order, else by the order state; a state without a
   * step continues at once.
   */
  readonly steps: Readonly<Partial<Record<OrderState | PaymentState, SetupStep>>>;
  /** Whether it applies only to orders with a coupon. */
  readonly needsCoupon?: true;
  /** One sentence for the documentation. */
  readonly meaning: string;
}

const SETUP_MS = 2_000;
const later = (event: OrderEvent): SetupStep => ({ event, afterMs: SETUP_MS });
const now = (event: OrderEvent): SetupStep => ({ event, afterMs: 0 });

/** All setup scenarios; docs/operate/scenarios.md shows this table too. */
export const SETUP_SCENARIOS: readonly SetupScenario[] = [
  {
    name: 'slow-wallet',
    steps: { WalletRequested: later('wallet_created'), WalletCreated: later('payment_requested') },
    meaning:
      '`Created` with `WalletRequested` for 2 seconds and with `WalletCreated` for 2 more, then `WaitingForPayment`.',
  },
  {
    name: 'setup-failed',
    steps: { WalletRequested: later('setup_failed') },
    meaning:
      '`Created` for 2 seconds, then `PaymentSetupFailed`: the order has ended without a payment request.',
  },
  {
    name: 'nft-cards',
    steps: {
      WalletCreated: now('nft_awaited'),
      WaitingForNFTCards: later('nft_spent'),
      NFTCardsSpent: later('payment_requested'),
    },
    meaning:
      '`WaitingForNFTCards` for 2 seconds, `NFTCardsSpent` for 2 more, then `WaitingForPayment` for the whole price.',
  },
  {
    name: 'slow-coupon',
    steps: { WalletCreated: now('coupon_awaited'), WaitingForCoupon: later('coupon_spent') },
    needsCoupon: true,
    meaning:
      'With a coupon: `WaitingForCoupon` for 2 seconds, then `WaitingForPayment`, or delivery when the coupon covers all.',
  },
];

// Simulates the steps before an order can be paid; a tag in the buyer's address chooses a scenario.

/** `ann+slow-wallet@…` waits for its wallet; without a tag the payment is requested at once. */
export const sandboxSetup: PaymentSetup = (order) => {
  const { email, couponCode, orderState, paymentState } = order;
  const tags = tagsOf(email);
  const chosen = SETUP_SCENARIOS.find(({ name }) => tags.includes(name));
  if (chosen === undefined || (chosen.needsCoupon && couponCode === null)) return atOnce(order);
  return chosen.steps[orderState === 'Created' ? paymentState : orderState] ?? atOnce(order);
};

// Simulated compliance checks: a tag in the buyer's address decides the result.

/** How long a check takes. */
const CHECK_MS = 3_000;

const VERDICTS: Readonly<Record<string, ReturnType<Compliance>>> = {
  checked: 'cleared',
  quarantined: 'held',
};

/** `ann+checked@…` is checked and cleared, `ann+quarantined@…` is held; other buyers are not checked. */
export const sandboxCompliance: Compliance = ({ email, sinceMs, nowMs }) => {
  const tag = tagsOf(email).find((one) => Object.hasOwn(VERDICTS, one));
  if (tag === undefined) return 'none';
  return nowMs >= sinceMs + CHECK_MS ? (VERDICTS[tag] ?? 'none') : 'pending';
};

/** Returns the tags of an email address: the words after plus signs in its local part. */
export function tagsOf(email: string): readonly string[] {
  const name = email.slice(0, Math.max(email.lastIndexOf('@'), 0));
  return name.toLowerCase().split('+').slice(1);
}
