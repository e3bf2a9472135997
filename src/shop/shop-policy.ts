/** The rules of a shop: limits of the configuration, the same for every customer, and no coupons. */

import { MAX_DELIVERIES_PER_ORDER } from '../contract/partner-orders.ts';
import { FACE_DECIMALS, parseDecimal } from '../domain/money.ts';
import type { PartnerPolicy } from '../service/partner/merchant-rules.ts';
import type { ShopConfig } from './shop-config.ts';

export function createShopPolicy({
  maximum_usd,
  daily_usd,
  monthly_usd,
}: ShopConfig['limits']): PartnerPolicy {
  const usd = (text: string) => parseDecimal(text, FACE_DECIMALS);
  const monthlyUsd = usd(monthly_usd);
  return {
    limits: {
      maximumUsd: usd(maximum_usd),
      maximumProducts: MAX_DELIVERIES_PER_ORDER,
      unverifiedMonthlyUsd: monthlyUsd,
      feeBps: {},
    },
    customer: () => ({
      tier: { name: 'customer', dailyUsd: usd(daily_usd), monthlyUsd },
      isSignedIn: false,
      verification: 'none',
      mustVerify: false,
      needsReview: false,
      spentElsewhereUsd: usd('0'),
    }),
    flagsOf: () => [],
    coupon: () => undefined,
  };
}
