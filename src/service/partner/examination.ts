/** Examines a request: its lines, its problems and its price. */
import type { WireValidationRequest } from '../../contract/partner-orders.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import type { Tables } from '../../store/store.ts';
import { type Assessment, assess, type Circumstances } from './assessment.ts';
import { orderLines } from './lines.ts';
import {
  type CheckedOrder,
  chosenPayment,
  type OrderContext,
  type OrderLine,
} from './order-context.ts';
import type { PartnerOrderDeps } from './order-deps.ts';
import type { Problem } from './validation.ts';

export interface Examined {
  readonly order: CheckedOrder;
  /** Partner id of the caller. */
  readonly applicationId: string;
  /** The problem if the supplier cannot deliver now. */
  readonly supply: Problem | undefined;
}

/**
 * Finds a request's products and asks the supplier whether they are available.
 * @throws {ScripError} MERCHANT_ERROR when the supplier cannot be reached
 */
export async function examine(
  deps: PartnerOrderDeps,
  request: WireValidationRequest,
  applicationId: string,
): Promise<Examined> {
  const { catalog, policy, rates, marginBps, checkBeneficiary } = deps;
  const unpriced = { catalog, policy, rates, checkBeneficiary };
  const priced = marginBps === undefined ? unpriced : { ...unpriced, marginBps };
  const lines = await orderLines(priced, request.deliveries);
  const couponCode = request.coupon_code?.toUpperCase();
  const order = {
    lines,
    payment: chosenPayment(request.payment),
    // An account is its email address, compared in lower case.
    email: request.user?.email.toLowerCase(),
    couponCode: couponCode === '' ? undefined : couponCode,
    nftCards: request.nft_codes?.length ?? 0,
  };
  return { order, applicationId, supply: await checkSupply(deps, lines) };
}

/** Assesses the order against the current state of the store. */
export async function assessNow(
  deps: PartnerOrderDeps,
  tables: Pick<Tables, 'partnerOrders'>,
  { order, applicationId, supply }: Examined,
): Promise<Assessment> {
  const { market, policy } = deps;
  const known = await knownOf(tables, order, deps.clock.now());
  const assessment = assess(order, { ...known, store: applicationId, market, policy });
  const { problems } = assessment;
  // Skip it if the catalog already reports the product as out of stock.
  const isTold = problems.some(({ problem }) => problem === 'OUT_OF_STOCK');
  return supply && !isTold ? { ...assessment, problems: [...problems, supply] } : assessment;
}

type Known = Pick<Circumstances, 'nowMs' | 'spentUsd' | 'couponUse'>;

async function knownOf(
  { partnerOrders }: Pick<Tables, 'partnerOrders'>,
  { email, couponCode }: CheckedOrder,
  nowMs: number,
): Promise<Known> {
  const couponUse =
    couponCode === undefined
      ? { total: 0, byCustomer: 0 }
      : await partnerOrders.couponUse(couponCode, email ?? '');
  return { nowMs, couponUse, spentUsd: await spentUsd({ partnerOrders }, email, nowMs) };
}

/** Returns an account's spending here since midnight and since the first of the month, in UTC. */
export async function spentUsd(
  { partnerOrders }: Pick<Tables, 'partnerOrders'>,
  email: string | undefined,
  nowMs: number,
): Promise<OrderContext['spentUsd']> {
  const now = new Date(nowMs);
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  const dayMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  const paid = email === undefined ? [] : await partnerOrders.paidBy(email, monthMs);
  return {
    today: sumUsd(paid.filter(({ createdAtMs }) => createdAtMs >= dayMs)),
    thisMonth: sumUsd(paid),
  };
}

function sumUsd(orders: readonly { readonly valueUsd: string }[]): Atomic {
  return atomic(orders.reduce((sum, { valueUsd }) => sum + BigInt(valueUsd), 0n));
}

/** Asks the supplier before payment; skipped if the order has too many products anyway. */
async function checkSupply(
  { supplier, policy }: PartnerOrderDeps,
  lines: readonly OrderLine[],
): Promise<Problem | undefined> {
  if (lines.length > policy.limits.maximumProducts) return undefined;
  const answers = await Promise.all(
    lines.map(({ goods, beneficiary, beneficiaryFault }) =>
      goods === undefined || beneficiaryFault !== undefined
        ? 'available'
        : supplier.check({ product: goods.product, faceValue: goods.faceValue, beneficiary }),
    ),
  );
  const deliveries = lines.flatMap(({ brandName }, index) =>
    answers[index] === 'out_of_stock' ? [{ index, brand_name: brandName }] : [],
  );
  return deliveries.length === 0
    ? undefined
    : { problem: 'OUT_OF_STOCK', moreDetails: { deliveries } };
}
