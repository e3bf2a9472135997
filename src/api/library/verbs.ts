/** The verbs of a library instance. */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { FACE_DECIMALS, formatDecimal } from '../../domain/money/money.ts';
import type { CatalogReader, ListedProduct } from '../catalog-reader.ts';
import { canonicalValue } from '../checkout/checkout-quote.ts';
import { findProducts } from '../find.ts';
import type { Merchant } from '../merchant.ts';
import { type MerchantName, openCatalog, openMerchant } from '../merchants.ts';
import { explainProblem } from '../partner/problems.ts';
import { otherCountryError, strangersAmong } from '../recipient.ts';
import { fetchOnce, requestOf } from './fetch.ts';
import { type LocatedOrderInput, orderInputOf, orderOnce, payOnce } from './order.ts';
import { recordOf, withRefunds } from './outcome.ts';
import type {
  OrderInput,
  Price,
  Problem,
  Product,
  Scrip,
  PriceInput as WantedProduct,
} from './public.ts';
import { checkKeys, createRuns, type InstanceDeps } from './run.ts';
import { statesOf } from './track.ts';

export interface VerbDeps extends InstanceDeps {
  /** Which merchant to buy from; undefined if the program named none. */
  readonly via: MerchantName | undefined;
  /** Closes what the instance has opened. */
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
const FETCH_OPTIONS = ['maxAmount', 'idempotencyKey', 'confirm', 'onStep', 'waitMs'];
/** Of the global `fetch`, with what undici adds. */
const INIT = [
  ...[
    'method',
    'headers',
    'body',
    'signal',
    'redirect',
    'mode',
    'credentials',
    'cache',
    'integrity',
  ],
  ...['keepalive', 'referrer', 'referrerPolicy', 'window', 'duplex', 'priority', 'dispatcher'],
];
const ORDER_INPUT = ['productId', 'country', 'brand', 'value', 'to', 'email'];

export function createVerbs({ via: named, release, ...parts }: VerbDeps): Scrip {
  const via = (): MerchantName => {
    if (named === undefined) throw noMerchant();
    return named;
  };
  const { run, stream, close: stop } = createRuns(parts);
  /** Products that this instance listed, so that their id alone identifies them. */
  const listed = new Map<string, Product>();
  const keep = (product: ListedProduct): Product => {
    const told = productOf(product);
    listed.set(told.id, told);
    return told;
  };
  const placed = <In extends WantedProduct>(
    wanted: In,
  ): In & Pick<LocatedOrderInput, 'country' | 'brand'> => {
    const known = listed.get(wanted.productId);
    const { country = known?.country, brand = known?.brand } = wanted;
    if (country === undefined || brand === undefined) {
      throw new ScripError(
        'USAGE',
        t`The product "${wanted.productId}" was not listed by this instance, so it needs country and brand`,
        { hint: t`Pass country and brand, or find the product first.` },
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
      run(options, async (deps) => {
        const found = await findProducts(await openCatalog(deps, via()), { words, country, value });
        return found.map(({ product, isExact }) => ({ ...keep(product), isExact }));
      }),
    brands: ({ country, ...options }) =>
      run(options, async (deps) => {
        const brands = await (await openCatalog(deps, via())).brands(country);
        return brands.map(({ name, family, category }) => ({ name, family, category }));
      }),
    catalog: ({ country, brand, family, ...options }) =>
      run(options, async (deps) => {
        if (brand === undefined && family === undefined) {
          throw new ScripError(
            'USAGE',
            t`Name a brand or a family: the whole catalog is too large`,
          );
        }
        const catalog = await openCatalog(deps, via());
        return (await catalog.products({ country, brand, family })).map(keep);
      }),
    price: (wanted, options = {}) =>
      run(options, async (deps) => priceOf(await openCatalog(deps, via()), placed(wanted))),
    validate: (input, options = {}) =>
      run(options, async (deps) =>
        problemsOf(await openMerchant(deps, via()), placed(checkedInput('validate', input))),
      ),
    order: (input, options = {}) =>
      run(options, async (deps) => {
        checkKeys('order', options, ORDER_OPTIONS);
        const wanted = placed(checkedInput('order', input));
        const merchant = await openMerchant(deps, via());
        return withRefunds(deps, merchant, await orderOnce(deps, merchant, { wanted, options }));
      }),
    track: (orderId, options = {}) =>
      stream(options, async function* (deps) {
        yield* statesOf(deps, await openMerchant(deps, via()), orderId);
      }),
    pay: (orderId, options = {}) =>
      run(options, async (deps) => {
        checkKeys('pay', options, PAY_OPTIONS);
        const merchant = await openMerchant(deps, via());
        return withRefunds(deps, merchant, await payOnce(deps, merchant, { orderId, options }));
      }),
    fetch: (input, init = {}) => {
      const signal = init.signal ?? (input instanceof Request ? input.signal : undefined);
      return run({ onStep: init.onStep, signal }, async (deps) => {
        checkKeys('fetch', init, [...FETCH_OPTIONS, ...INIT]);
        return fetchOnce(deps, await requestOf(input, init), init);
      });
    },
    orders: (options = {}) =>
      run(options, async (deps) => {
        const journal = await deps.journal(await deps.signer());
        return (await journal.all()).map(recordOf).toReversed();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The error of a program that names no merchant. */
export function noMerchant(): ScripError {
  return new ScripError('USAGE', t`CreateScrip needs checkoutUrl, apiUrl or sandbox`, {
    hint: t`Pass checkoutUrl or apiUrl, or sandbox: { dataDir } for the built-in service.`,
  });
}

/** Drops the value of a fixed product, since some hosts reject one. */
function chosenValue(value: string | undefined, known: Product | undefined): string | undefined {
  const isItsOwn = known?.value !== undefined && value !== undefined;
  return isItsOwn && canonicalValue(value) === known.value ? undefined : value;
}

function checkedInput(verb: string, input: OrderInput): OrderInput {
  checkKeys(verb, input, ORDER_INPUT);
  return input;
}

function productOf(product: ListedProduct): Product {
  const { id, name, brand, countryCode, kind, currency, isRange, values, price } = product;
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
    price,
  };
}

async function priceOf(
  catalog: CatalogReader,
  { value: typed, ...wanted }: Pick<LocatedOrderInput, 'productId' | 'country' | 'brand' | 'value'>,
): Promise<Price> {
  const chosen = typed === undefined ? undefined : canonicalValue(typed);
  const priced = await catalog.price({ ...wanted, value: chosen });
  const { productId, name, brand, value, currency, price, expiresAt } = priced;
  if (price === undefined) {
    throw new ScripError('MERCHANT_REPLY_INVALID', t`The merchant returned no price for ${name}`);
  }
  return { productId, productName: name, brand, value, currency, price, validUntil: expiresAt };
}

/** Returns what is wrong with the order itself; throws other errors, such as an unreachable host. */
async function problemsOf(
  merchant: Merchant,
  wanted: LocatedOrderInput,
): Promise<readonly Problem[]> {
  try {
    const { problems, lines } = await merchant.quote(orderInputOf(wanted));
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

/** Whether the request is at fault: exit status 2 (invalid) or 3 (not found), or out of stock. */
function isOfInput({ exit, code }: ScripError): boolean {
  return exit === 2 || exit === 3 || code === 'OUT_OF_STOCK';
}

function problemOf({ code, message }: ScripError): Problem {
  return { code, message };
}
