/** Lines of an order: product, price and beneficiary. */
import { MAX_ITEMS_PER_ORDER, type WireOrderItem } from '../../contract/checkout.ts';
import { type Atomic, atomic, parseAtomic } from '../../domain/money/money.ts';
import type { NumberPlan } from '../../domain/product/beneficiary.ts';
import {
  acceptFaceValue,
  type Denomination,
  type Product,
  type ProductKind,
} from '../../domain/product/product.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { priceUsdc, type Rates } from '../catalog/pricing.ts';
import { isRefusal, type Refusal, refusalOf, refuse } from '../http/replies.ts';

/** A snapshot: the buyer gets what was paid for, even after the catalog changed. */
export interface PricedLine {
  readonly product: Product;
  /** In 10^-6 of the product's currency. */
  readonly faceValue: Atomic;
  /** In atomic units of USDC. */
  readonly priceAtomic: Atomic;
  readonly beneficiary: string;
  /** Value of one unit of the product's currency at the time of the price, in 10^-12 USD; earlier orders lack it. */
  readonly rate?: string | undefined;
}

/** What pricing an order needs. */
export interface Pricing {
  readonly catalog: Catalog;
  readonly rates: Rates;
  /** Margin on the face value, in hundredths of a percent. */
  readonly marginBps?: number;
  /**
   * Normalizes a beneficiary for this kind of product: an email address, or a phone number in
   * E.164.
   * @param plan how to read a phone number without +; without a plan, such a number is refused
   * @throws {ScripError} EMAIL_INVALID, PHONE_INVALID
   */
  checkBeneficiary(kind: ProductKind, account: string, plan?: NumberPlan): Promise<string>;
}

/** Prices all items, or refuses for the first faulty one and names its index. */
export async function priceLines(
  pricing: Pricing,
  items: readonly WireOrderItem[],
): Promise<readonly PricedLine[] | Refusal> {
  const lines: PricedLine[] = [];
  for (const [index, item] of items.entries()) {
    const line = await priceLine(pricing, item);
    if (isRefusal(line)) return { ...line, message: `items.${index}: ${line.message}` };
    for (let bought = 0; bought < (item.quantity ?? 1); bought += 1) lines.push(line);
    if (lines.length > MAX_ITEMS_PER_ORDER) {
      const message = `items.${index}: with their quantities, more than ${MAX_ITEMS_PER_ORDER} items.`;
      return refuse('invalid_request', message);
    }
  }
  return lines;
}

async function priceLine(pricing: Pricing, item: WireOrderItem): Promise<PricedLine | Refusal> {
  const product = pricing.catalog.product(item.product_id);
  // The body is at fault, hence 400 where GET /v1/price answers 404 (interface: POST /v1/orders).
  if (!product || !isSold(pricing.catalog, product)) {
    return refuse('product_not_found', 'No product has this id.', { status: 400 });
  }
  try {
    const faceValue = acceptFaceValue(product, decimalText(item.product_value));
    const priceAtomic = priceUsdc(product, faceValue, pricing.rates, pricing);
    const { kind, countryCode } = product.brand;
    const account = item.beneficiary_account;
    const beneficiary = await pricing.checkBeneficiary(kind, account, { e164Of: countryCode });
    const rate = pricing.rates.picoUsdPer(product.brand.currency)?.toString();
    return { product, faceValue, priceAtomic, beneficiary, rate };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return refusal;
  }
}

/** The site lists more countries than the checkout host sells in. */
function isSold(catalog: Catalog, { brand }: Product): boolean {
  return catalog.countries.some(({ code, isSold }) => isSold && code === brand.countryCode);
}

/** Converts a decimal of the wire to text; one in exponent notation is refused later. */
export function decimalText(value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

/** Sums the prices. @throws {ScripError} AMOUNT_INVALID if the sum exceeds 64 bits */
export function totalAtomic(lines: readonly PricedLine[]): Atomic {
  return atomic(lines.reduce((sum, line) => sum + line.priceAtomic, 0n));
}

/** Describes the order in one short line; its length is bounded because it goes into a header. */
export function describeLines(lines: readonly PricedLine[]): string {
  const [first] = lines;
  if (!first) return 'Order';
  const more = lines.length > 1 ? ` and ${lines.length - 1} more` : '';
  return `${first.product.name.slice(0, 100)}${more}`;
}

/** Amounts become digits, since JSON has no bigint. */
type Digits<T> = T extends bigint
  ? string
  : T extends object
    ? { [K in keyof T]: Digits<T[K]> }
    : T;

export function encodeLine(line: PricedLine): string {
  return JSON.stringify(line, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

/** Parses the output of `encodeLine`. */
export function decodeLine(text: string): PricedLine {
  const wire: Digits<PricedLine> = JSON.parse(text);
  const { brand, denomination } = wire.product;
  return {
    ...wire,
    faceValue: parseAtomic(wire.faceValue),
    priceAtomic: parseAtomic(wire.priceAtomic),
    product: {
      ...wire.product,
      denomination: decodeDenomination(denomination),
      brand: {
        ...brand,
        minFaceValue: parseAtomic(brand.minFaceValue),
        maxFaceValue: parseAtomic(brand.maxFaceValue),
      },
    },
  };
}

function decodeDenomination(wire: Digits<Denomination>): Denomination {
  if (!wire.isRange) return { isRange: false, faceValue: parseAtomic(wire.faceValue) };
  return {
    isRange: true,
    min: parseAtomic(wire.min),
    max: parseAtomic(wire.max),
    step: parseAtomic(wire.step),
  };
}
