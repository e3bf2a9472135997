/** The rules that refuse an order of the partner API, by problem code: interface, 'Errors', B. Pure. */

import { PROBLEM_CODES, type ProblemCode, type SuspensionCode } from '../../../contract/codes.ts';
import type { Coin } from '../../../domain/money/coin.ts';
import { type Atomic, atomic, formatDecimal } from '../../../domain/money/money.ts';
import {
  type BuyerContext,
  type CheckedOrder,
  type ChosenPayment,
  type Coupon,
  type Details,
  faultyLines,
  flaggedLines,
  formatUsd,
  type OrderContext,
  type OrderLine,
  type PricedLines,
  type PricedProduct,
  type ProductRule,
  type Rule,
  totalUsd,
} from './order-context.ts';

const notInCatalog = (order: PricedLines) =>
  faultyLines(order, ({ goods, goodsFault }) => {
    if (goods === undefined) return goodsFault ?? true;
    return goods.flags.includes('withdrawn');
  });

const outOfStock = (order: PricedLines) =>
  faultyLines(
    order,
    ({ goods }) => goods?.product.brand.isOutOfStock || goods?.flags.includes('out_of_stock'),
  );

const inactive = (order: PricedLines) => flaggedLines(order, 'inactive');

const wrongBeneficiary = (order: PricedLines) =>
  faultyLines(order, ({ beneficiaryFault }) => beneficiaryFault);

const loginRequired: ProductRule = (order, { customer }) =>
  customer.isSignedIn ? undefined : flaggedLines(order, 'login');

const identityMissing: ProductRule = (order, facts) =>
  facts.customer.verification === 'none' ? identityNeeded(order, facts) : undefined;

const identityPending: ProductRule = (order, facts) =>
  facts.customer.verification === 'pending' ? identityNeeded(order, facts) : undefined;

const reviewRequired: ProductRule = (order, { customer }) => {
  const flagged = flaggedLines(order, 'verification');
  if (!customer.needsReview) return flagged;
  return { reasons: ['account'], ...flagged };
};

/** Returns why the order needs a verified identity: its products, its amount, or the account. */
function identityNeeded(order: PricedLines, facts: BuyerContext): Details | undefined {
  const products = flaggedLines(order, 'kyc');
  const amount = overUnverifiedLimit(order, facts);
  const reasons = [
    ...(products ? ['products'] : []),
    ...(amount ? ['amount'] : []),
    ...(facts.customer.mustVerify ? ['account'] : []),
  ];
  return reasons.length === 0 ? undefined : { reasons, ...products, ...amount };
}

function overUnverifiedLimit(order: PricedLines, facts: BuyerContext) {
  const limit = facts.limits.unverifiedMonthlyUsd;
  const spent = spentThisMonth(facts);
  if (spent + totalUsd(order) <= limit) return undefined;
  return { limit_usd: formatUsd(limit), spent_usd: formatUsd(spent) };
}

/**
 * Ours: compares the amount still to pay, not the products' price, since the minimum is about
 * sending. An order fully covered by coupon and NFT cards needs no payment.
 */
const belowMinimum: Rule = ({ payment }, { payable }) => {
  if (payable === undefined || payable.amount === 0n || payable.amount >= payable.minimum) {
    return undefined;
  }
  const { amount, minimum, decimals } = payable;
  return {
    coin: payment.coin,
    coin_amount: formatDecimal(amount, decimals),
    minimum_coin_amount: formatDecimal(minimum, decimals),
  };
};

const aboveMaximum: Rule = (order, { limits }) => {
  const total = totalUsd(order);
  if (total <= limits.maximumUsd) return undefined;
  return { total_usd: formatUsd(total), maximum_usd: formatUsd(limits.maximumUsd) };
};

const overDailyLimit: Rule = (order, facts) =>
  overLimit(order, facts, facts.spentUsd.today, facts.customer.tier.dailyUsd);

const overMonthlyLimit: Rule = (order, facts) =>
  overLimit(order, facts, spentThisMonth(facts), facts.customer.tier.monthlyUsd);

const tooManyProducts: Rule = ({ lines }, { limits }) =>
  lines.length <= limits.maximumProducts
    ? undefined
    : { count: lines.length, maximum: limits.maximumProducts };

const severalLimitedProducts: Rule = (order) => {
  const limited = flaggedLines(order, 'limited');
  return limited !== undefined && limited.deliveries.length > 1 ? limited : undefined;
};

/** This customer's spending since the first of the month, in 10^-6 USD. */
function spentThisMonth({
  spentUsd,
  customer,
}: Pick<OrderContext, 'spentUsd' | 'customer'>): Atomic {
  return atomic(spentUsd.thisMonth + customer.spentElsewhereUsd);
}

function overLimit(
  order: CheckedOrder,
  { customer }: OrderContext,
  spent: Atomic,
  limit: Atomic,
): Details | undefined {
  const total = totalUsd(order);
  if (spent + total <= limit) return undefined;
  return {
    tier: customer.tier.name,
    limit_usd: formatUsd(limit),
    spent_usd: formatUsd(spent),
    remaining_usd: formatUsd(atomic(spent < limit ? limit - spent : 0n)),
    total_usd: formatUsd(total),
  };
}

/** A top-level error (interface: Errors). */
export interface Suspension {
  readonly status: number;
  readonly detail: SuspensionCode;
  readonly moreDetails: Readonly<Record<string, string>>;
}

/** Ours: the interface shows no status. 403: the request is valid but refused. */
const SUSPENDED_STATUS = 403;

/** Ours: NFT cards are a means of payment too, and no market here accepts them. */
const viaNotAllowed: Rule = ({ payment, nftCards }, { market }) => {
  const isAllowed = market.via(payment.via) !== undefined;
  if (isAllowed && nftCards === 0) return undefined;
  const allowed = market.vias.map(({ name }) => name);
  if (!isAllowed) return allowed;
  return { vias: allowed, nft_codes: Array.from({ length: nftCards }, (_, index) => ({ index })) };
};

/**
 * Lists the supported pairs of the chosen via, except suspended ones; `viaNotAllowed` handles a via
 * that is not allowed.
 */
const pairNotSupported: Rule = ({ payment }, { market }) => {
  const via = market.via(payment.via);
  if (via === undefined) return undefined;
  const coin = via.coins.find(({ name }) => name === payment.coin);
  if (coin && isCarried(coin, payment.network)) return undefined;
  return via.coins
    .filter((other) => !market.isSuspended(other))
    .flatMap((other) => pairsOf(other, market));
};

/** A coin without networks is moved by the via itself. */
function isCarried({ networks }: Coin, network: string | undefined): boolean {
  if (networks.length === 0 || network === undefined) return true;
  return networks.some(({ name }) => name === network);
}

function pairsOf({ name: coin, networks }: Coin, market: OrderContext['market']) {
  if (networks.length === 0) return [{ coin }];
  return networks
    .filter(({ name }) => !market.isSuspendedNetwork(name))
    .map(({ name: network }) => ({ coin, network }));
}

/** Returns the suspension that closes this way to pay; the coin's first if both are suspended. */
export function suspension(
  { coin, network }: ChosenPayment,
  { market }: Pick<OrderContext, 'market'>,
): Suspension | undefined {
  const known = market.coin(coin);
  if (known?.name === coin && market.isSuspended(known)) {
    return { status: SUSPENDED_STATUS, detail: 'SUSPENDED_COIN', moreDetails: { coin } };
  }
  if (network !== undefined && market.isSuspendedNetwork(network)) {
    return { status: SUSPENDED_STATUS, detail: 'SUSPENDED_NETWORK', moreDetails: { network } };
  }
  return undefined;
}

// Coupons: the rules that refuse them, and their discount.

const BPS = 10_000n;

/** Applies a check to the order's coupon; passes if there is none. */
const couponRule =
  (check: (coupon: Coupon, ...order: Parameters<Rule>) => Details | undefined): Rule =>
  (order, facts) =>
    order.couponCode === undefined || facts.coupon === undefined
      ? undefined
      : check(facts.coupon, order, facts);

const couponNotFound: Rule = ({ couponCode }, { coupon }) =>
  couponCode === undefined || coupon ? undefined : { coupon_code: couponCode };

const couponNotActive = couponRule(({ startsAtMs }, _order, { nowMs }) =>
  startsAtMs === undefined || nowMs >= startsAtMs ? undefined : { starts_at: instant(startsAtMs) },
);

const couponExpired = couponRule(({ endsAtMs }, _order, { nowMs }) =>
  endsAtMs === undefined || nowMs < endsAtMs ? undefined : { ended_at: instant(endsAtMs) },
);

const couponAlreadySpent = couponRule((coupon, _order, { couponUse }) => {
  const uses = coupon.usedElsewhere.byCustomer + couponUse.byCustomer;
  return uses < coupon.usesPerCustomer ? undefined : { maximum_uses: coupon.usesPerCustomer };
});

const couponUsedUp = couponRule((coupon, _order, { couponUse }) => {
  const { maximumUses } = coupon;
  const uses = coupon.usedElsewhere.total + couponUse.total;
  return maximumUses === undefined || uses < maximumUses
    ? undefined
    : { maximum_uses: maximumUses };
});

const couponBelowMinimum = couponRule(({ minimumUsd }, order) => {
  const total = totalUsd(order);
  if (minimumUsd === undefined || total >= minimumUsd) return undefined;
  return { total_usd: formatUsd(total), minimum_usd: formatUsd(minimumUsd) };
});

const couponForOthers = couponRule(({ customers }, { email }) =>
  isListed(customers, email ?? '') ? undefined : { coupon_is_personal: true },
);

/** The product's trait must be in the coupon's list. */
const couponForOther = (
  listOf: (coupon: Coupon) => readonly string[] | undefined,
  traitOf: (goods: PricedProduct) => string,
) => couponRule((coupon, order) => misfits(order.lines, listOf(coupon), traitOf));

const couponForOtherStores = couponRule(({ stores }, { store }) =>
  isListed(stores, store) ? undefined : { store },
);

const couponRequiresLogin = couponRule(({ code, requiresLogin }, _order, { customer }) =>
  requiresLogin && !customer.isSignedIn ? { coupon_code: code } : undefined,
);

/**
 * Returns the discount on a total, both in 10^-6 USD: rounded down, at most the total. Zero without
 * a coupon.
 */
export function discountUsd(coupon: Coupon | undefined, total: Atomic): Atomic {
  if (coupon === undefined) return atomic(0n);
  const { discount } = coupon;
  const wanted = discount.kind === 'fixed' ? discount.usd : (total * BigInt(discount.bps)) / BPS;
  return atomic(wanted < total ? wanted : total);
}

/** Ours: a coupon applies to the whole order, so every product must match its list. */
function misfits(
  lines: readonly OrderLine[],
  allowed: readonly string[] | undefined,
  traitOf: (goods: PricedProduct) => string,
): Details | undefined {
  const found = faultyLines({ lines }, ({ goods }) =>
    goods === undefined || isListed(allowed, traitOf(goods)) ? undefined : traitOf(goods),
  );
  return found && { allowed, ...found };
}

function isListed(list: readonly string[] | undefined, text: string): boolean {
  const wanted = text.toLowerCase();
  return list === undefined || list.some((entry) => entry.toLowerCase() === wanted);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}

/** Rules that depend only on the product. */
const OF_PRODUCT = {
  NOT_AVAILABLE_PRODUCT: notInCatalog,
  OUT_OF_STOCK: outOfStock,
  NOT_ACTIVE: inactive,
} as const satisfies Partial<Record<ProblemCode, (order: PricedLines) => Details | undefined>>;

/** Rules that also depend on the buyer. */
const OF_BUYER = {
  LOGIN_REQUIRED: loginRequired,
  KYC_MISSING: identityMissing,
  KYC_PENDING: identityPending,
  VERIFICATION_REQUIRED: reviewRequired,
} as const satisfies Partial<Record<ProblemCode, ProductRule>>;

/** In the order of the interface's table. */
const PRODUCT_RULES = { ...OF_PRODUCT, ...OF_BUYER };

export type ProductProblemCode = keyof typeof PRODUCT_RULES;

export interface ProductProblem {
  readonly problem: ProductProblemCode;
  readonly moreDetails: Details;
}

/** Returns the first problem; without a known buyer, checks only the products. */
export function firstProductProblem(
  order: PricedLines,
  buyer: BuyerContext | undefined,
): ProductProblem | undefined {
  for (const [problem, rule] of entriesOf(OF_PRODUCT)) {
    const moreDetails = rule(order);
    if (moreDetails !== undefined) return { problem, moreDetails };
  }
  if (buyer === undefined) return undefined;
  for (const [problem, rule] of entriesOf(OF_BUYER)) {
    const moreDetails = rule(order, buyer);
    if (moreDetails !== undefined) return { problem, moreDetails };
  }
  return undefined;
}

function entriesOf<K extends string, V>(table: Readonly<Record<K, V>>): [K, V][] {
  return Object.entries(table) as [K, V][];
}

export interface Problem {
  readonly problem: ProblemCode;
  readonly moreDetails: Details;
}

/** The rule of each code; a code without one does not compile. */
const RULES: Readonly<Record<ProblemCode, Rule>> = {
  ...PRODUCT_RULES,
  AMOUNT_LESS_THEN_MINIMUM_ALLOWED: belowMinimum,
  MAXIMUM_AMOUNT_PER_ORDER_EXCEEDED: aboveMaximum,
  DAILY_SPENDING_LIMIT_EXCEEDED: overDailyLimit,
  MONTHLY_SPENDING_LIMIT_EXCEEDED: overMonthlyLimit,
  PRODUCT_COUNT_EXCEEDED: tooManyProducts,
  MULTIPLE_LIMITED_PRODUCT_SAME_ORDER: severalLimitedProducts,
  INVALID_BENEFICIARY_ACCOUNT: wrongBeneficiary,
  NOT_ALLOWED_PAYMENT_VIA: viaNotAllowed,
  UNSUPPORTED_PROTOCOL_COIN_COMBINATION: pairNotSupported,
  COUPON_REQUIRES_LOGIN: couponRequiresLogin,
  COUPON_NOT_FOUND: couponNotFound,
  COUPON_NOT_ACTIVE: couponNotActive,
  COUPON_ALREADY_SPENT: couponAlreadySpent,
  COUPON_MAX_USAGE_REACHED: couponUsedUp,
  COUPON_EXPIRED: couponExpired,
  COUPON_BELOW_MIN_AMOUNT: couponBelowMinimum,
  COUPON_NOT_VALID_FOR_USER: couponForOthers,
  COUPON_NOT_VALID_FOR_CATEGORY: couponForOther(
    ({ categories }) => categories,
    ({ product }) => product.brand.category,
  ),
  COUPON_NOT_VALID_FOR_KIND: couponForOther(
    ({ kinds }) => kinds,
    ({ product }) => product.brand.kind,
  ),
  COUPON_NOT_VALID_FOR_BRAND: couponForOther(
    ({ brands }) => brands,
    ({ product }) => product.brand.name,
  ),
  COUPON_NOT_VALID_FOR_COUNTRY: couponForOther(
    ({ countries }) => countries,
    ({ product }) => product.brand.countryCode,
  ),
  COUPON_NOT_VALID_FOR_STORE: couponForOtherStores,
};

const CODES = Object.keys(PROBLEM_CODES) as readonly ProblemCode[];
const COUPON_CODES = CODES.filter((code) => code.startsWith('COUPON_'));

/** Returns all problems of an order, in the order of the interface's table. */
export function validate(order: CheckedOrder, facts: OrderContext): readonly Problem[] {
  return CODES.flatMap((problem) => {
    const moreDetails = RULES[problem](order, facts);
    return moreDetails === undefined ? [] : [{ problem, moreDetails }];
  });
}

/**
 * Returns the coupon for pricing the order, unless a rule refuses it. Ignores `facts.payable`,
 * which depends on the coupon.
 */
export function redeemableCoupon(
  order: CheckedOrder,
  facts: Omit<OrderContext, 'payable'>,
): Coupon | undefined {
  if (order.couponCode === undefined) return undefined;
  const known = { ...facts, payable: undefined };
  return COUPON_CODES.some((code) => RULES[code](order, known)) ? undefined : facts.coupon;
}
