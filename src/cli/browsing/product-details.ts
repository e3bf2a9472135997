/** What one buys, told before it is paid: where it is redeemed, in which regions, how it comes. */

import type { ProductDetails } from '../../api/catalog-reader.ts';
import { countryName } from '../../api/country-name.ts';
import { type Said, t } from '../../domain/message.ts';
import type { Line } from '../output/view.ts';
import { fitWords, textWidth } from '../output/width.ts';

const NOT_PROVIDED = t`not provided`;

/** All of it, whether the merchant says it or not. @param lang what countries are named in */
export function detailLines(details: ProductDetails, lang: string): readonly Line[] {
  const { howToRedeem, redeemMethods, validity, terms, note } = details;
  const methods = methodsText(redeemMethods);
  return [
    [t`How to redeem`, howToRedeem === undefined ? NOT_PROVIDED : plain(howToRedeem)],
    ...(methods === '' ? [] : [[t`Where`, methods] as const]),
    [t`Regions`, regionsText(details, lang) ?? NOT_PROVIDED],
    [t`Validity`, validity === undefined ? NOT_PROVIDED : plain(validity)],
    [t`Delivery`, deliveryText(details) ?? NOT_PROVIDED],
    ...(note === undefined ? [] : [[t`Note`, plain(note)] as const]),
    [t`Terms`, terms === undefined ? NOT_PROVIDED : plain(terms)],
  ];
}

/** Where, in which regions, how long: within so many columns; undefined where nothing is said. */
export function redeemText(
  details: ProductDetails,
  { lang, columns }: { readonly lang: string; readonly columns: number },
): string | undefined {
  const { howToRedeem, redeemMethods, validity } = details;
  const where = howToRedeem === undefined ? methodsText(redeemMethods) : plain(howToRedeem);
  const rest = [regionsText(details, lang), validity && plain(validity)].filter(Boolean);
  const after = rest.map((part) => ` · ${part}`).join('');
  const room = columns - textWidth(after);
  // Too narrow for both: what follows the first words is told whole in the details.
  const told = room < LEAST_WHERE ? `${where}${after}` : `${fitWords(where, room)}${after}`;
  const text = fitWords(told.replace(/^ · /, ''), columns);
  return text === '' ? undefined : text;
}

const LEAST_WHERE = 16;

function regionsText({ regions }: ProductDetails, lang: string): string | undefined {
  const names = regions.map((region) =>
    /^[a-z]{2}$/i.test(region) ? countryName({ code: region }, lang) : plain(region),
  );
  return names.length === 0 ? undefined : [...new Set(names)].join(', ');
}

const DELIVERY_TEXTS: ReadonlyMap<string, Said> = new Map([
  ['by_email', t`by e-mail`],
  ['by_sms', t`by SMS`],
  ['inline', t`shown here`],
]);

function deliveryText({ deliveryType }: ProductDetails): Said | undefined {
  return deliveryType === undefined
    ? undefined
    : (DELIVERY_TEXTS.get(deliveryType) ?? plain(deliveryType));
}

/** Such as `in_store`. */
function methodsText(methods: readonly string[]): string {
  return methods.map((method) => plain(method.replaceAll('_', ' '))).join(', ');
}

/** A text that may be written for a page, on one line. */
function plain(text: string): string {
  return text
    .replace(/<\/?[a-z][^<>]*>/gi, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}
