/** Coupons: the rules that refuse them, and their discount. */
import { type Atomic, atomic } from '../../domain/money.ts';
import type { Coupon } from './merchant-rules.ts';
import {
  type Details,
  faultyLines,
  formatUsd,
  type OrderLine,
  type PricedProduct,
  type Rule,
  totalUsd,
} from './order-context.ts';

const BPS = 10_000n;

/** Applies a check to the order's coupon; passes if there is none. */
const couponRule =
  (check: (coupon: Coupon, ...order: Parameters<Rule>) => Details | undefined): Rule =>
  (order, facts) =>
    order.couponCode === undefined || facts.coupon === undefined
      ? undefined
      : check(facts.coupon, order, facts);

export const couponNotFound: Rule = ({ couponCode }, { coupon }) =>
  couponCode === undefined || coupon ? undefined : { coupon_code: couponCode };

export const couponNotActive = couponRule(({ startsAtMs }, _order, { nowMs }) =>
  startsAtMs === undefined || nowMs >= startsAtMs ? undefined : { starts_at: instant(startsAtMs) },
);

export const couponExpired = couponRule(({ endsAtMs }, _order, { nowMs }) =>
  endsAtMs === undefined || nowMs < endsAtMs ? undefined : { ended_at: instant(endsAtMs) },
);

export const couponAlreadySpent = couponRule((coupon, _order, { couponUse }) => {
  const uses = coupon.usedElsewhere.byCustomer + couponUse.byCustomer;
  return uses < coupon.usesPerCustomer ? undefined : { maximum_uses: coupon.usesPerCustomer };
});

export const couponUsedUp = couponRule((coupon, _order, { couponUse }) => {
  const { maximumUses } = coupon;
  const uses = coupon.usedElsewhere.total + couponUse.total;
  return maximumUses === undefined || uses < maximumUses
    ? undefined
    : { maximum_uses: maximumUses };
});

export const couponBelowMinimum = couponRule(({ minimumUsd }, order) => {
  const total = totalUsd(order);
  if (minimumUsd === undefined || total >= minimumUsd) return undefined;
  return { total_usd: formatUsd(total), minimum_usd: formatUsd(minimumUsd) };
});

export const couponForOthers = couponRule(({ customers }, { email }) =>
  isListed(customers, email ?? '') ? undefined : { coupon_is_personal: true },
);

export const couponForOtherCategories = couponRule(({ categories }, order) =>
  misfits(order.lines, categories, ({ product }) => product.brand.category),
);

export const couponForOtherKinds = couponRule(({ kinds }, order) =>
  misfits(order.lines, kinds, ({ product }) => product.brand.kind),
);

export const couponForOtherBrands = couponRule(({ brands }, order) =>
  misfits(order.lines, brands, ({ product }) => product.brand.name),
);

export const couponForOtherCountries = couponRule(({ countries }, order) =>
  misfits(order.lines, countries, ({ product }) => product.brand.countryCode),
);

export const couponForOtherStores = couponRule(({ stores }, _order, { store }) =>
  isListed(stores, store) ? undefined : { store },
);

export const couponRequiresLogin = couponRule(({ code, requiresLogin }, _order, { customer }) =>
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
