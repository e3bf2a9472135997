/** The error for a value between two steps of a range product: the nearest values, and the commands that name them. */

import { openCatalog } from '../../api/merchants.ts';
import { BESIDE_PRICE_MS, readDetails } from '../../api/product-details.ts';
import { ScripError } from '../../domain/errors.ts';
import { joined, t } from '../../domain/message.ts';
import { type Atomic, atomic, FACE_DECIMALS, parseDecimal } from '../../domain/money.ts';
import { formatFaceValue } from '../../domain/product.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { priced } from './offered-product.ts';
import type { ProductWords } from './product-choice.ts';
import { hintLine, type LineFor, recordOf } from './unclear-product.ts';

interface Refused extends Pick<ProductWords, 'merchant' | 'value'> {
  readonly productId: string;
  readonly country: string;
  readonly brand: string | undefined;
}

/**
 * Runs what needs a product at a value, and adds the nearest values to its VALUE_OFF_STEP if the merchant tells the
 * product's step. Other errors, and those after a payment, stay as they are.
 */
export async function orNearestValues<T>(
  context: ScripContext,
  refused: Refused,
  lineFor: LineFor,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ScripError) || error.code !== 'VALUE_OFF_STEP') throw error;
    throw await withNearestValues(context, error, refused, lineFor).catch((unread: unknown) => {
      if (!(unread instanceof ScripError) || unread.code === 'INTERRUPTED') throw unread;
      // The merchant's own words are enough where its lists cannot be read.
      return error;
    });
  }
}

async function withNearestValues(
  context: ScripContext,
  error: ScripError,
  refused: Refused,
  lineFor: LineFor,
): Promise<ScripError> {
  const { productId, country, brand, value } = refused;
  if (error.fundsAtRisk !== 'none' || brand === undefined || value === undefined) return error;
  const deps = scripDeps(context);
  const catalog = await openCatalog(deps, refused.merchant);
  const [products, { valueStep }] = await Promise.all([
    catalog.products({ country, brand }),
    readDetails(deps, { productId, country, brand }, BESIDE_PRICE_MS),
  ]);
  const product = products.find(({ id }) => id === productId);
  if (product?.values === undefined || valueStep === undefined) return error;
  const { name, values, currency = '' } = product;
  const near = nearestOnStep({ ...values, step: valueStep }, parseDecimal(value, FACE_DECIMALS));
  const offers = await Promise.all(
    near.map((one) => priced(catalog, product, formatFaceValue(one))),
  );
  const [from, to, step] = [values.min, values.max, valueStep].map(formatFaceValue);
  return new ScripError(
    'VALUE_OFF_STEP',
    t`${name} is sold from ${from ?? ''} to ${to ?? ''} ${currency} in steps of ${step ?? ''}, not at ${value}`,
    {
      cause: error,
      details: { ...error.details, value, country, products: offers.map(recordOf) },
      hint: joined(
        offers.map((offer) => hintLine(offer, lineFor(offer))),
        '\n',
      ),
    },
  );
}

/** The values on the step below and above. Steps are counted from the minimum. */
function nearestOnStep(
  { min, max, step }: { readonly min: Atomic; readonly max: Atomic; readonly step: Atomic },
  value: Atomic,
): readonly Atomic[] {
  const below = value - ((value - min) % step);
  return [below, below + step].filter((one) => one >= min && one <= max).map(atomic);
}
