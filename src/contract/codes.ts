/**
 * States and problem codes of surface B, with their meaning: interface, "States and transitions"
 * and "Errors".
 */

/** The response schema's values, and the three that the tracking guide adds. */
export const ORDER_STATES = {
  Created: 'Order placed, no payment activity yet',
  WaitingForPayment: 'Waiting for the payment',
  PaymentStarted: 'Transaction broadcast, not yet confirmed',
  PaymentFailed: 'The payment attempt failed, for example on chain',
  PaymentSetupFailed: 'The payment could not be set up, for example a provider or quote failure',
  WaitingForNFTCards: 'Awaiting the NFT cards that pay for part of the order',
  NFTCardsSpent: 'The NFT cards were spent',
  PaymentReceived: 'Payment confirmed on chain, delivery not started',
  WaitingForDelivery: 'Payment confirmed, queued for delivery',
  WaitingForCoupon: 'Awaiting the coupon that pays for part of the order',
  Refunded: 'The money goes back to the buyer',
  Completed: 'Finished',
  WaitingForManualAction: 'Staff intervention needed; support is handling it',
  Done: 'Fully delivered',
  Expired: 'The payment window elapsed without a valid payment; a new order must be created',
  Canceled: 'Canceled by the buyer',
} as const;
export type OrderState = keyof typeof ORDER_STATES;

export const PAYMENT_STATES = {
  WalletRequested: 'The merchant requested a destination wallet',
  WalletCreated: 'The destination wallet exists',
  PaymentRequested: 'Nothing paid yet',
  PaymentStarted: 'A transaction was seen, not yet confirmed',
  WaitingForComplianceReport: 'The transaction is being checked',
  PaymentQuarantined: 'The transaction is on hold for a compliance check',
  PaymentReceived: 'The full payment is confirmed',
  PartialPaymentStarted: 'Less than the required amount was paid',
  Failed: 'The payment failed',
  WaitingForExpiry: 'The payment window is closing; checking once more for a payment',
  WaitingForExpiryAfterPaymentDetection:
    'The payment window is closing; a payment was seen but is incomplete',
  Expired: 'The payment window closed without a payment',
  ExpiredAfterPaymentDetection:
    'The payment window closed after a payment was seen; ask for a refund',
  PaymentCanceled: 'The buyer canceled it',
} as const;
export type PaymentState = keyof typeof PAYMENT_STATES;

interface ProblemMeaning {
  readonly meaning: string;
  /** What the buyer can do about it. */
  readonly remedy: string;
}

const problem = (meaning: string, remedy: string): ProblemMeaning => ({ meaning, remedy });

const OTHER_COUPON = 'Leave the coupon out, or use another one.';

/** Spelled as in the interface. */
export const PROBLEM_CODES = {
  AMOUNT_LESS_THEN_MINIMUM_ALLOWED: problem(
    'The order total is below the minimum of the coin',
    'Order more, or pay in another coin.',
  ),
  MAXIMUM_AMOUNT_PER_ORDER_EXCEEDED: problem(
    'The order total is above the maximum per order',
    'Split the order.',
  ),
  DAILY_SPENDING_LIMIT_EXCEEDED: problem(
    'The daily limit of the account tier is reached',
    'Wait a day, or verify the account for a higher tier.',
  ),
  MONTHLY_SPENDING_LIMIT_EXCEEDED: problem(
    'The monthly limit of the account tier is reached',
    'Wait, or verify the account for a higher tier.',
  ),
  PRODUCT_COUNT_EXCEEDED: problem('More products than one order may hold', 'Split the order.'),
  MULTIPLE_LIMITED_PRODUCT_SAME_ORDER: problem(
    'More than one rate-limited product in the order',
    'Order limited products one at a time.',
  ),
  NOT_AVAILABLE_PRODUCT: problem(
    'The product is no longer in the catalogue',
    'Choose another product: scrip catalog',
  ),
  OUT_OF_STOCK: problem(
    'The product is out of stock',
    'Choose another denomination, or try later.',
  ),
  NOT_ACTIVE: problem('The product is inactive or paused', 'Choose another product, or try later.'),
  INVALID_BENEFICIARY_ACCOUNT: problem(
    'The product needs another kind of beneficiary',
    'Use an email for gift cards and eSIMs, a phone number such as +14155550123 for top-ups.',
  ),
  NOT_ALLOWED_PAYMENT_VIA: problem(
    'This payment method is not allowed for this order',
    'Choose one of those allowed: scrip vias',
  ),
  UNSUPPORTED_PROTOCOL_COIN_COMBINATION: problem(
    'This coin cannot be paid on this network',
    'Choose a supported pair: scrip vias',
  ),
  LOGIN_REQUIRED: problem(
    'The product needs a signed-in user',
    'Sign in at the merchant, or choose another product.',
  ),
  COUPON_REQUIRES_LOGIN: problem(
    'The coupon needs a signed-in user',
    'Sign in at the merchant, or leave the coupon out.',
  ),
  COUPON_NOT_FOUND: problem('The coupon does not exist', 'Check its spelling.'),
  COUPON_NOT_ACTIVE: problem('The coupon is not active yet', 'Wait until the coupon is active.'),
  COUPON_ALREADY_SPENT: problem('The coupon was already redeemed by this user', OTHER_COUPON),
  COUPON_MAX_USAGE_REACHED: problem('The coupon has reached its usage limit', OTHER_COUPON),
  COUPON_EXPIRED: problem('The coupon has expired', OTHER_COUPON),
  COUPON_BELOW_MIN_AMOUNT: problem(
    'The order total is below the minimum of the coupon',
    'Order more, or leave the coupon out.',
  ),
  COUPON_NOT_VALID_FOR_USER: problem('The coupon is not valid for this user', OTHER_COUPON),
  COUPON_NOT_VALID_FOR_CATEGORY: problem(
    'The coupon is not valid for the categories of these products',
    OTHER_COUPON,
  ),
  COUPON_NOT_VALID_FOR_KIND: problem(
    'The coupon is not valid for this kind of product',
    OTHER_COUPON,
  ),
  COUPON_NOT_VALID_FOR_BRAND: problem('The coupon is not valid for these brands', OTHER_COUPON),
  COUPON_NOT_VALID_FOR_COUNTRY: problem('The coupon is not valid in this country', OTHER_COUPON),
  COUPON_NOT_VALID_FOR_STORE: problem(
    'The coupon is not valid for this store or region',
    OTHER_COUPON,
  ),
  KYC_MISSING: problem(
    'These products, or this amount, need a verified account',
    'Complete identity verification in the account and try again.',
  ),
  KYC_PENDING: problem(
    'Identity verification is in progress',
    'Wait: usually 20 minutes, up to 48 hours.',
  ),
  VERIFICATION_REQUIRED: problem(
    'Extra verification is needed before the order proceeds',
    'Follow what the merchant asks for and try again.',
  ),
} as const satisfies Record<string, ProblemMeaning>;
export type ProblemCode = keyof typeof PROBLEM_CODES;

/** Values of `detail` in a top-level error. */
export const SUSPENSION_CODES = {
  SUSPENDED_COIN: 'The coin is temporarily suspended',
  SUSPENDED_NETWORK: 'The network is temporarily suspended',
} as const;
export type SuspensionCode = keyof typeof SUSPENSION_CODES;

/** The field of a problem caused by the chosen value: the interface has no code for it. */
export const VALUE_FIELD = 'product_value';
