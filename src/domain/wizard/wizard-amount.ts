/** The wizard's amount question: which answers are valid, and the order item each stands for. */

import { attempt } from '../attempt.ts';
import { ScripError } from '../message/errors.ts';
import { joined, Message, t } from '../message/message.ts';
import {
  type Atomic,
  atomic,
  checkThousands,
  FACE_DECIMALS,
  parseDecimal,
  withoutThousands,
} from '../money/money.ts';
import { formatFaceValue } from '../product/product.ts';
import {
  type Accepted,
  isWrong,
  quoted,
  type WizardProduct,
  type WrongAnswer,
} from './wizard-step.ts';

const MOST_SUGGESTIONS = 5;
/** Denomination in an order of a range product (interface: Rules of surface B, 1). */
const RANGE = 'range';
const UNIT = 10n ** BigInt(FACE_DECIMALS);

/** Whether a product is named by its value, as `25 USD`, not by what it contains, as `3 GB 30 days`. */
export function isMoney({ denomination, label }: WizardProduct): boolean {
  return denomination.isRange || /^\d+(\.\d+)?( [A-Z]{3})?$/.test(label);
}

/** Returns the labels of fixed products, and common amounts of ranges. */
export function amountOptions(products: readonly WizardProduct[]): readonly string[] {
  return [...new Set(products.flatMap(textsOf))];
}

/** Returns `1 to 2000 USD in steps of 1`, the amounts that are valid beside the options; undefined if none are. */
export function rangeFormat(products: readonly WizardProduct[]): Message | undefined {
  const ranges = products.flatMap((product) => describe(product) ?? []);
  return ranges.length === 0 ? undefined : joined(ranges, ', or ');
}

/** Returns `one of 10 USD, 25 USD, or 1 to 2000 USD in steps of 1`. */
export function amountFormat(products: readonly WizardProduct[]): Message {
  const fixed = products.filter(({ denomination }) => !denomination.isRange);
  const labels = fixed.map(({ label }) => label).join(', ');
  const ranges = products.flatMap((product) => describe(product) ?? []);
  return joined([...(labels === '' ? [] : [t`one of ${labels}`]), ...ranges], ', or ');
}

/**
 * Reads `25`, `25 USD`, `$25` or a label. Returns a label, or a value with its currency; reading that text
 * again gives the same result.
 */
export function readAmount(products: readonly WizardProduct[], text: string): Accepted {
  const wanted = spaced(text);
  const labelled = products.find(
    ({ denomination, label }) => !denomination.isRange && spaced(label) === wanted,
  );
  if (labelled) return { value: labelled.label };
  const [first] = products;
  if (!first) {
    return wrong(products, t`Nothing is sold under ${quoted(text)}`);
  }
  const read = readMoney(text, first.currency);
  return read instanceof Message ? wrong(products, read) : ofValue(products, read);
}

/**
 * Returns the product that an accepted amount stands for, and the value of a range.
 * @throws {ScripError} PRODUCT_UNKNOWN when it is no longer for sale
 */
export function chosenProduct<Product extends WizardProduct>(
  products: readonly Product[],
  amount: string,
): { readonly product: Product; readonly value: string | null } {
  const accepted = readAmount(products, amount);
  if ('error' in accepted) throw new ScripError('PRODUCT_UNKNOWN', accepted.error);
  const { value } = accepted;
  const fixed = products.find(
    ({ denomination, label }) => !denomination.isRange && label === value,
  );
  if (fixed !== undefined) return { product: fixed, value: null };
  const range = products.find((one) => one.denomination.isRange && isRead(one, value));
  if (range === undefined) throw new ScripError('PRODUCT_UNKNOWN', t`${value} is not sold`);
  return { product: range, value: value.split(' ')[0] ?? value };
}

const isRead = (product: WizardProduct, text: string): boolean =>
  !isWrong(readAmount([product], text));

/** Returns the order item of an accepted amount (interface: ProductDeliverable). @throws as `chosenProduct` */
export function goodsOf(products: readonly WizardProduct[], amount: string) {
  const { product, value } = chosenProduct(products, amount);
  return { denomination: value === null ? product.label : RANGE, product_value: value };
}

/** Prefers fixed products; if several have this value, the buyer chooses by label. */
function ofValue(products: readonly WizardProduct[], value: Atomic): Accepted {
  const fixed = products.filter(
    ({ denomination }) => !denomination.isRange && denomination.faceValue === value,
  );
  const [only, ...others] = fixed;
  if (only && others.length === 0) return { value: only.label };
  if (only) {
    return {
      error: t`${formatFaceValue(value)} ${only.currency} is the value of ${fixed.length} products`,
      fix: t`Answer with the name of one of them.`,
      suggestions: fixed.slice(0, MOST_SUGGESTIONS).map(({ label }) => label),
    };
  }
  const range = products.find((product) => nearestIn(product, value).includes(value));
  if (range) return { value: valueText(value, range) };
  return wrong(products, outside(products, value), value);
}

function outside(products: readonly WizardProduct[], value: Atomic): Message {
  const currency = products[0]?.currency ?? '';
  const isWithin = products.some(
    ({ denomination }) =>
      denomination.isRange && value >= denomination.min && value <= denomination.max,
  );
  const text = `${formatFaceValue(value)} ${currency}`;
  return isWithin ? t`${text} is not a multiple of the step` : t`${text} is not sold`;
}

/** Rejects an answer and suggests what is sold; the nearest first if it is a valid value. */
function wrong(products: readonly WizardProduct[], error: Message, value?: Atomic): WrongAnswer {
  const format = amountFormat(products);
  return {
    error,
    fix:
      String(format) === ''
        ? t`Send the action back and choose another brand.`
        : t`Answer with ${format}.`,
    suggestions: (value === undefined
      ? amountOptions(products)
      : nearestTexts(products, value)
    ).slice(0, MOST_SUGGESTIONS),
  };
}

function nearestTexts(products: readonly WizardProduct[], value: Atomic): readonly string[] {
  const away = (other: Atomic): bigint => (other > value ? other - value : value - other);
  const near = products.flatMap((product) =>
    nearestIn(product, value).map((candidate) => ({
      away: away(candidate),
      text: product.denomination.isRange ? valueText(candidate, product) : product.label,
    })),
  );
  const sorted = near.toSorted((one, other) => compare(one.away, other.away));
  return [...new Set(sorted.map(({ text }) => text))];
}

/** Returns the value of a fixed product; for a range, the valid values on both sides of `value`. */
function nearestIn({ denomination }: WizardProduct, value: Atomic): readonly Atomic[] {
  if (!denomination.isRange) return [denomination.faceValue];
  const { min, step } = denomination;
  const max = highest(denomination);
  if (value <= min) return [min];
  if (value >= max) return [max];
  const below = value - ((value - min) % step);
  return [...new Set([below, below === value ? value : below + step])].map(atomic);
}

interface RangeBounds {
  readonly min: Atomic;
  readonly max: Atomic;
  readonly step: Atomic;
}

/** Returns the largest value on the step, which may be below the maximum. */
function highest({ min, max, step }: RangeBounds): Atomic {
  return atomic(max - ((max - min) % step));
}

function textsOf(product: WizardProduct): readonly string[] {
  const { denomination, label } = product;
  if (!denomination.isRange) return [label];
  const usual = usualIn(denomination);
  const values = usual.length > 1 ? usual : [denomination.min, ...usual, highest(denomination)];
  return [...new Set(values)].map((value) => valueText(value, product));
}

/** Ours: common gift amounts in a currency like the dollar; multiplied by powers of ten for smaller units. */
const USUAL = [10n, 25n, 50n, 100n];
const MOST_SCALE = 6;

/** Returns the usual amounts within a range and on its step, at the smallest scale with most of them. */
function usualIn({ min, max, step }: RangeBounds): readonly Atomic[] {
  const scales = Array.from({ length: MOST_SCALE }, (_, power) => 10n ** BigInt(power));
  const found = scales.map((scale) =>
    USUAL.map((value) => atomic(value * scale * UNIT)).filter(
      (value) => value >= min && value <= max && (value - min) % step === 0n,
    ),
  );
  const most = Math.max(...found.map(({ length }) => length));
  return found.find(({ length }) => length === most) ?? [];
}

function describe({ denomination, currency }: WizardProduct): Message | undefined {
  if (!denomination.isRange) return undefined;
  const [min, max, step] = [denomination.min, highest(denomination), denomination.step].map(
    formatFaceValue,
  );
  return t`${min ?? ''} to ${max ?? ''} ${currency} in steps of ${step ?? ''}`;
}

const valueText = (value: Atomic, { currency }: Pick<WizardProduct, 'currency'>): string =>
  `${withoutThousands(formatFaceValue(value))} ${currency}`;

const spaced = (text: string): string => text.trim().toLowerCase().replace(/\s+/g, ' ');

const compare = (one: bigint, other: bigint): number => Number(one > other) - Number(one < other);

const MONEY = /^([^\d\s.,+-]*)\s*(\d[\d.]*)\s*([^\d\s.,+-]*)$/u;

/** Parses the value in 10^-6 of the currency, or returns what is wrong with the text. */
function readMoney(text: string, currency: string): Atomic | Message {
  const [, before = '', digits = '', after = ''] = MONEY.exec(text.trim()) ?? [];
  if (digits === '') return t`${quoted(text)} is not an amount`;
  const known = unitsOf(currency);
  const strange = [before, after].find(
    (unit) => unit !== '' && !known.includes(unit.toLowerCase()),
  );
  if (strange !== undefined) return t`This brand is sold in ${currency}, not in ${strange}`;
  return attempt(
    () => {
      checkThousands(digits);
      return parseDecimal(digits, FACE_DECIMALS);
    },
    ({ sentence }) => sentence,
  );
}

/** Returns how people write a currency: its code and symbols, such as `cad`, `ca$` and `$`. */
function unitsOf(currency: string): readonly string[] {
  const symbols = (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) =>
    new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay })
      .formatToParts(0)
      .find(({ type }) => type === 'currency'),
  );
  return [currency, ...symbols.map((part) => part?.value ?? currency)].map((unit) =>
    unit.toLowerCase(),
  );
}
