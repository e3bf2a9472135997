/** Applies the partner API's product rules on the checkout host, with its own codes. */
import type { WireOrderRequest } from '../contract/checkout.ts';
import { PROBLEM_CODES } from '../contract/codes.ts';
import { type Refusal, refuse, type WireErrorCode } from './errors.ts';
import type { PricedLine } from './line.ts';
import type { ServiceOptions } from './options.ts';
import { spentUsd } from './partner/examination.ts';
import type { PartnerPolicy } from './partner/merchant-rules.ts';
import type { OrderLine } from './partner/order-context.ts';
import {
  firstProductProblem,
  type ProductProblem,
  type ProductProblemCode,
} from './partner/product-rules.ts';
import { faceValueUsd } from './pricing.ts';

const ERRORS: Readonly<Record<ProductProblemCode, WireErrorCode>> = {
  NOT_AVAILABLE_PRODUCT: 'product_not_found',
  OUT_OF_STOCK: 'out_of_stock',
  NOT_ACTIVE: 'not_active',
  LOGIN_REQUIRED: 'login_required',
  KYC_MISSING: 'kyc_missing',
  KYC_PENDING: 'kyc_pending',
  VERIFICATION_REQUIRED: 'verification_required',
};

/**
 * Returns the refusal if a product may not be bought by this account; without a policy only the
 * catalog decides.
 */
export async function refuseProducts(
  { partner, rates, store, clock }: ServiceOptions,
  { email }: Pick<WireOrderRequest, 'email'>,
  priced: readonly PricedLine[],
): Promise<Refusal | undefined> {
  const policy = partner?.policy;
  const order = { lines: priced.map((line) => orderLine(policy, rates, line)) };
  const account = email.toLowerCase();
  const problem = firstProductProblem(
    order,
    policy && {
      customer: policy.customer(account),
      limits: policy.limits,
      spentUsd: await spentUsd(store.tables, account, clock.now()),
    },
  );
  return problem && refusalOf(problem, priced);
}

function orderLine(
  policy: PartnerPolicy | undefined,
  rates: ServiceOptions['rates'],
  { product, faceValue, priceAtomic: priceUsd, beneficiary }: PricedLine,
): OrderLine {
  const valueUsd = faceValueUsd(product, faceValue, rates);
  const flags = policy?.flagsOf(product, faceValue) ?? [];
  const { name: brandName, countryCode } = product.brand;
  const goods = { product, faceValue, valueUsd, priceUsd, flags };
  return { brandName, countryCode, beneficiary, goods };
}

/** Names the item's index, unless the problem is the account or the amount. */
function refusalOf(
  { problem, moreDetails }: ProductProblem,
  lines: readonly PricedLine[],
): Refusal {
  const { meaning } = PROBLEM_CODES[problem];
  const index = placeOf(moreDetails);
  const line = index === undefined ? undefined : lines[index];
  const told = meaning.charAt(0).toLowerCase() + meaning.slice(1);
  const message = line ? `items.${index}: ${line.product.name}: ${told}.` : `${meaning}.`;
  // The body is at fault, even if the code has another status elsewhere.
  return refuse(ERRORS[problem], message, { status: 400 });
}

function placeOf(details: ProductProblem['moreDetails']): number | undefined {
  if (!('deliveries' in details) || !Array.isArray(details.deliveries)) return undefined;
  return details.deliveries[0]?.index;
}
