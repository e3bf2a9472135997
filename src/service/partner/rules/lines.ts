/** Converts the deliveries of a request to priced lines, faulty ones included. */
import type { WireDeliverable, WireRequestedDelivery } from '../../../contract/partner-orders.ts';
import { ScripError } from '../../../domain/message/errors.ts';
import { type Atomic, FACE_DECIMALS, parseDecimal } from '../../../domain/money/money.ts';
import { acceptFaceValue, type Product } from '../../../domain/product/product.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { faceValueUsd, priceUsdc } from '../../catalog/pricing.ts';
import type { ServiceOptions } from '../../options.ts';
import type { OrderLine, PartnerPolicy, PricedProduct } from './order-context.ts';

/** The denomination of a range product (interface: Rules of surface B, 1). */
const RANGE = 'range';

export interface LineDeps extends Pick<ServiceOptions, 'rates' | 'marginBps' | 'checkBeneficiary'> {
  readonly catalog: Pick<Catalog, 'products'>;
  readonly policy: Pick<PartnerPolicy, 'flagsOf'>;
}

/** Converts deliveries to lines; the older wrapped form gives as many lines as its quantity. */
export async function orderLines(
  deps: LineDeps,
  deliveries: readonly WireRequestedDelivery[],
): Promise<readonly OrderLine[]> {
  const lines = await Promise.all(
    deliveries.map(async (delivery) => {
      if (!('deliverable' in delivery)) return [await orderLine(deps, delivery)];
      const line = await orderLine(deps, delivery.deliverable);
      return Array.from({ length: delivery.quantity ?? 1 }, () => line);
    }),
  );
  return lines.flat();
}

async function orderLine(deps: LineDeps, wire: WireDeliverable): Promise<OrderLine> {
  const countryCode = wire.country_code.toLowerCase();
  const named = { brandName: wire.brand_name, countryCode };
  const found = findGoods(deps, wire, countryCode);
  if (typeof found === 'string') {
    const beneficiary = wire.beneficiary_account;
    return { ...named, beneficiary, goods: undefined, goodsFault: found };
  }
  return { ...named, goods: found, ...(await checkedBeneficiary(deps, wire, found)) };
}

/** Finds the product that a request names, or says why it cannot. */
function findGoods(
  deps: LineDeps,
  wire: WireDeliverable,
  countryCode: string,
): PricedProduct | string {
  const products = deps.catalog.products(countryCode, { brandName: wire.brand_name });
  if (products.length === 0) {
    return `${wire.brand_name} is not sold in ${countryCode.toUpperCase()}`;
  }
  const product = productCalled(products, wire.denomination);
  if (product === undefined) return `${wire.brand_name} has no denomination ${wire.denomination}`;
  const faceValue = faultOr(() => acceptFaceValue(product, chosenValue(wire)));
  if (typeof faceValue === 'string') return faceValue;
  return {
    product,
    faceValue,
    valueUsd: faceValueUsd(product, faceValue, deps.rates),
    // A price in USDC equals one in USD, with as many decimals.
    priceUsd: priceUsdc(product, faceValue, deps.rates, deps),
    flags: deps.policy.flagsOf(product, faceValue),
    rate: deps.rates.picoUsdPer(product.brand.currency)?.toString(),
  };
}

/** A fixed product is named by its label or bare face value, a range product by `range`. */
function productCalled(products: readonly Product[], name: string): Product | undefined {
  const named = products.find(({ label, denomination }) =>
    denomination.isRange ? name === RANGE : name === label,
  );
  if (named !== undefined) return named;
  const value = faultOr(() => parseDecimal(name, FACE_DECIMALS));
  return products.find(
    ({ denomination }) => !denomination.isRange && denomination.faceValue === value,
  );
}

/** Returns the chosen value; empty text means none. */
function chosenValue({ product_value: value }: WireDeliverable): string | undefined {
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

async function checkedBeneficiary(
  { checkBeneficiary }: LineDeps,
  { beneficiary_account: account }: WireDeliverable,
  { product }: PricedProduct,
): Promise<Pick<OrderLine, 'beneficiary' | 'beneficiaryFault'>> {
  try {
    const { kind, countryCode } = product.brand;
    return { beneficiary: await checkBeneficiary(kind, account, { e164Of: countryCode }) };
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    return { beneficiary: account, beneficiaryFault: error.message };
  }
}

function faultOr(read: () => Atomic): Atomic | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof ScripError) return error.message;
    throw error;
  }
}
