/** Formats face values for a language. */
import { type Atomic, FACE_DECIMALS, formatDecimal } from '../../domain/money.ts';
import { formatFaceValue, type Product } from '../../domain/product.ts';

export interface Localise {
  /** BCP 47 tag in its canonical form. */
  readonly lang: string;
  /** `$25.00`, `$5.00 – $500.00`; plans keep their own label. */
  denomination(product: Product): string;
}

export const DEFAULT_LANG = 'en';

/** Returns undefined if the text is not a language tag. */
export function createLocalise(lang: string = DEFAULT_LANG): Localise | undefined {
  const tag = canonicalTag(lang);
  if (tag === undefined) return undefined;
  const formats = new Map<string, Intl.NumberFormat>();
  const formatOf = (currency: string): Intl.NumberFormat => {
    const known = formats.get(currency);
    if (known) return known;
    const format = new Intl.NumberFormat(tag, { style: 'currency', currency });
    formats.set(currency, format);
    return format;
  };
  return { lang: tag, denomination: (product) => write(product, formatOf(product.brand.currency)) };
}

/** Many programs send `en_US` for `en-US`. */
export function canonicalTag(lang: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(lang.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

function write({ denomination, label, brand }: Product, format: Intl.NumberFormat): string {
  const text = (value: Atomic) => format.format(Number(formatDecimal(value, FACE_DECIMALS)));
  if (denomination.isRange) return `${text(denomination.min)} – ${text(denomination.max)}`;
  const { faceValue } = denomination;
  const isPlain = label === `${formatFaceValue(faceValue)} ${brand.currency}`;
  return isPlain ? text(faceValue) : label;
}
