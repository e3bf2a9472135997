/** The verbs of an instance: what other programs do with a shop, a wallet and a journal. */

import { checkEmail } from '../../domain/beneficiary.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { FACE_DECIMALS, formatDecimal } from '../../domain/money.ts';
import { canonicalValue } from '../checkout/offer.ts';
import { checkoutCatalog, findProducts, type ListedProduct } from '../find.ts';
import { callOptions } from '../http/call-options.ts';
import { countryError, inCountry } from '../in-country.ts';
import type { Merchant } from '../merchant.ts';
import { type MerchantName, openMerchant } from '../merchants.ts';
import { explainProblem } from '../partner/problems.ts';
import { otherCountryError, strangersAmong } from '../recipient.ts';
import type { ScripDeps } from '../scrip.ts';
import { orderOnce, payOnce, type Wanted } from './order.ts';
import { recordOf } from './outcome.ts';
import type {
  OrderInput,
  Price,
  Problem,
  Product,
  Scrip,
  Wanted as WantedProduct,
} from './public.ts';
import { checkKeys, createRuns, type InstanceDeps } from './run.ts';
import { statesOf } from './track.ts';

export interface VerbDeps extends InstanceDeps {
  /** Which side of the merchant sells. */
  readonly via: MerchantName;
  /** Lets go of what is open. */
  release(): Promise<void>;
}

const PAY_OPTIONS = ['maxAmount', 'confirm', 'onStep', 'signal', 'waitMs'];
const ORDER_OPTIONS = [
  ...PAY_OPTIONS,
  'idempotencyKey',
  'note',
  'allowDuplicate',
  'allowOtherCountry',
];
const ORDER_INPUT = ['productId', 'country', 'brand', 'value', 'to', 'email'];

export function createVerbs({ via, release, ...parts }: VerbDeps): Scrip {
  const { run, stream, close: stop } = createRuns(parts);
  /** Products that were listed here are known by their id alone. */
  const listed = new Map<string, Product>();
  const keep = (product: ListedProduct): Product => {
    const told = productOf(product);
    listed.set(told.id, told);
    return told;
  };
  const placed = <In extends WantedProduct>(wanted: In): In & Pick<Wanted, 'country' | 'brand'> => {
    const known = listed.get(wanted.productId);
    const { country = known?.country, brand = known?.brand } = wanted;
    if (country === undefined || brand === undefined) {
      throw new ScripError(
        'USAGE',
        t`the product "${wanted.productId}" was not listed by this instance, and is asked for by country and brand`,
        { hint: t`Name both, or find the product first.` },
      );
    }
    return { ...wanted, country, brand, value: chosenValue(wanted.value, known) };
  };
  const close = async (): Promise<void> => {
    await stop();
    await release();
  };
  return {
    find: (words, { country, value, ...options }) =>
      run(options, async (deps) =>
        inCountry(deps, { country }, async (countryCode) => {
          const found = await findProducts(catalogOf(deps), { words, countryCode, value });
          return found.map(({ product, isExact }) => ({ ...keep(product), isExact }));
        }),
      ),
    brands: ({ country, ...options }) =>
      run(options, (deps) =>
        inCountry(deps, { country }, async (countryCode) => {
          const brands = await catalogOf(deps).brands(countryCode);
          // Hosts in the wild answer an unknown country with an empty list.
          if (brands.length === 0) throw await countryError(deps, country);
          return brands;
        }),
      ),
    catalog: ({ country, brand, family, ...options }) =>
      run(options, (deps) => {
        if (brand === undefined && family === undefined) {
          throw new ScripError('USAGE', t`name a brand or a family: the whole catalog is too much`);
        }
        return inCountry(deps, { country, brand, family }, async (countryCode) => {
          const products = await catalogOf(deps).products({ countryCode, brand, family });
          return products.map(keep);
        });
      }),
    price: (wanted, options = {}) => run(options, async (deps) => priceOf(deps, placed(wanted))),
    validate: (input, options = {}) =>
      run(options, async (deps) =>
        problemsOf(await openMerchant(deps, via), placed(checkedInput('validate', input))),
      ),
    order: (input, options = {}) =>
      run(options, async (deps) => {
        checkKeys('order', options, ORDER_OPTIONS);
        const wanted = placed(checkedInput('order', input));
        return orderOnce(deps, await openMerchant(deps, via), { wanted, options });
      }),
    track: (orderId, options = {}) =>
      stream(options, async function* (deps) {
        yield* statesOf(await openMerchant(deps, via), orderId);
      }),
    pay: (orderId, options = {}) =>
      run(options, async (deps) => {
        checkKeys('pay', options, PAY_OPTIONS);
        return payOnce(deps, await openMerchant(deps, via), { orderId, options });
      }),
    orders: (options = {}) =>
      run(options, async (deps) => {
        const journal = await deps.journal(await deps.signer());
        return (await journal.all()).map(recordOf).toReversed();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** A fixed product has its value without being told; some hosts take none for it. */
function chosenValue(value: string | undefined, known: Product | undefined): string | undefined {
  const isItsOwn = known?.value !== undefined && value !== undefined;
  return isItsOwn && canonicalValue(value) === known.value ? undefined : value;
}

function checkedInput(verb: string, input: OrderInput): OrderInput {
  checkKeys(verb, input, ORDER_INPUT);
  return input;
}

function catalogOf(deps: ScripDeps) {
  return checkoutCatalog({
    fetch: deps.fetch,
    baseUrl: deps.place.checkoutUrl,
    ...callOptions(deps),
  });
}

function productOf(product: ListedProduct): Product {
  const { id, name, brand, countryCode, kind, currency, isRange, values, priceUsdc } = product;
  const [min, max] = [values?.min, values?.max].map(
    (value) => value && formatDecimal(value, FACE_DECIMALS),
  );
  return {
    id,
    name,
    brand,
    country: countryCode.toLowerCase(),
    kind,
    currency,
    value: isRange ? undefined : min,
    range: isRange ? { min, max } : undefined,
    price: priceUsdc,
  };
}

async function priceOf(
  deps: ScripDeps,
  { productId, country, brand, value }: Pick<Wanted, 'productId' | 'country' | 'brand' | 'value'>,
): Promise<Price> {
  const { priceGoods } = await import('../checkout/offer.ts');
  const { quote } = await priceGoods(deps, { productId, country, brand, value });
  return {
    productId,
    productName: quote.product_name ?? quote.brand_name,
    brand: quote.brand_name,
    value: quote.face_value?.toString(),
    currency: quote.currency,
    price: quote.price_usdc,
    validUntil: quote.quote_expires_at,
  };
}

/** What is wrong with an order itself; a host that cannot be asked says nothing about it. */
async function problemsOf(
  merchant: Merchant,
  { productId, country, brand, value, to, email }: Wanted,
): Promise<readonly Problem[]> {
  try {
    const { problems, lines } = await merchant.quote({
      items: [{ productId, country, brand, value, to, quantity: 1 }],
      email: checkEmail(email ?? to),
    });
    const strange = strangersAmong(lines.map(({ recipient }) => recipient));
    return [
      ...problems.map((problem) => ({
        code: problem.problem,
        message: String(explainProblem(problem).meaning),
      })),
      ...strange.map(({ elsewhere }) => problemOf(otherCountryError(elsewhere))),
    ];
  } catch (error) {
    if (error instanceof ScripError && isOfInput(error)) return [problemOf(error)];
    throw error;
  }
}

/** Exit statuses 2 and 3: what was asked for is wrong, or is not there. */
function isOfInput({ exit, code }: ScripError): boolean {
  return exit === 2 || exit === 3 || code === 'OUT_OF_STOCK';
}

function problemOf({ code, message }: ScripError): Problem {
  return { code, message };
}
