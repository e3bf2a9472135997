/** Details of a product to read before buying: where to redeem it, in which regions, how it is delivered. */

import type { ProductDetails } from '../../api/catalog-reader.ts';
import { countryName } from '../../api/nearest-country.ts';
import { joined, type Said, t } from '../../domain/message/message.ts';
import { given, type Line } from '../output/view.ts';
import { fitWords, textWidth } from '../output/wrap.ts';

const NOT_PROVIDED = t`not provided`;

/** All details, also those that the merchant does not provide. @param lang for country names */
export function detailLines(details: ProductDetails, lang: string): readonly Line[] {
  const { howToRedeem, redeemMethods, validity, terms, note } = details;
  const methods = methodsText(redeemMethods);
  return [
    [t`How to redeem`, howToRedeem === undefined ? NOT_PROVIDED : plain(howToRedeem)],
    ...given(t`Where`, methods),
    [t`Regions`, regionNames(details, lang).join(', ') || NOT_PROVIDED],
    [t`Validity`, validity === undefined ? NOT_PROVIDED : plain(validity)],
    [t`Delivery`, deliveryText(details) ?? NOT_PROVIDED],
    ...given(t`Note`, note && plain(note)),
    [t`Terms`, terms === undefined ? NOT_PROVIDED : plain(terms)],
  ];
}

/** How or where to redeem it, in which regions, and for how long; undefined if nothing is known. */
export function redeemText(details: ProductDetails, lang: string): Said | undefined {
  const { howToRedeem, redeemMethods, validity = '' } = details;
  const where = howToRedeem === undefined ? methodsText(redeemMethods) : plain(howToRedeem);
  const [steps, time] = [stepsText(where), plain(validity)].map((part) => part.replace(/\.$/, ''));
  const parts = [steps, fewRegions(regionNames(details, lang)), time].flatMap((part) => part || []);
  return parts.length === 0 ? undefined : joined(parts, ' · ');
}

/** More regions than these are counted, with the first few as examples. */
const MOST_REGIONS = 6;
const EXAMPLES = 3;

function fewRegions(names: readonly string[]): Said {
  if (names.length <= MOST_REGIONS) return names.join(', ');
  return t`${names.length} countries, such as ${names.slice(0, EXAMPLES).join(', ')}`;
}

/** Longer instructions are shortened; the product's details show them whole. */
const MOST_STEPS = 160;
const ADDRESS = /(?:https?:\/\/|www\.)[^\s<>"']+[^\s<>"'.,;:)]/gi;

/** Shortens a long text to its first sentences, followed by the URLs of the others. */
function stepsText(text: string): string {
  if (textWidth(text) <= MOST_STEPS) return text;
  const [first = '', ...sentences] = text.match(/.+?(?:[.!?](?=\s)|$)\s*/g) ?? [];
  let kept = fitWords(first.trim(), MOST_STEPS);
  for (const one of sentences) {
    if (textWidth(`${kept} ${one.trim()}`) > MOST_STEPS) break;
    kept = `${kept} ${one.trim()}`;
  }
  const addresses = [...new Set(text.match(ADDRESS) ?? [])];
  return [kept.replace(/[^…]$/, '$& …'), ...addresses.filter((one) => !kept.includes(one))].join(
    ' ',
  );
}

function regionNames({ regions }: ProductDetails, lang: string): readonly string[] {
  const names = regions.map((region) =>
    /^[a-z]{2}$/i.test(region) ? countryName({ code: region }, lang) : plain(region),
  );
  return [...new Set(names)];
}

const DELIVERY_TEXTS: ReadonlyMap<string, Said> = new Map([
  ['by_email', t`by e-mail; a code that the merchant returns is shown here too`],
  ['by_sms', t`by SMS; a code that the merchant returns is shown here too`],
  ['inline', t`shown here`],
]);

function deliveryText({ deliveryType }: ProductDetails): Said | undefined {
  return deliveryType === undefined
    ? undefined
    : (DELIVERY_TEXTS.get(deliveryType) ?? plain(deliveryType));
}

/** Turns names such as `in_store` into words. */
function methodsText(methods: readonly string[]): string {
  return methods.map((method) => plain(method.replaceAll('_', ' '))).join(', ');
}

/** Turns a text that may be HTML into one line. */
function plain(text: string): string {
  return text
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
