/** `scrip price`: what a product costs now. */

import type { Command } from 'commander';
import { callOptions } from '../../api/http/call-options.ts';
import { inCountry } from '../../api/in-country.ts';
import type { WirePriceQuote } from '../../contract/checkout.ts';
import { t } from '../../domain/message.ts';
import { goodsName } from '../../domain/product.ts';
import type { Bind } from '../command.ts';
import { addExamples } from '../examples.ts';
import { instantText } from '../output/instant.ts';
import type { Line, View } from '../output/view.ts';
import {
  addCoinOption,
  addSurfaceOption,
  isPartner,
  type SurfaceFlags,
} from '../parsing/surface.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

interface PriceOptions extends SurfaceFlags {
  readonly country: string;
  readonly brand: string;
  readonly value?: string;
}

export function register(command: Command, bind: Bind): void {
  addCoinOption(addSurfaceOption(command))
    .argument('<product_id>', 'from scrip catalog')
    .requiredOption('--country <code>', 'two-letter country code, such as us')
    .requiredOption('--brand <name>', 'brand of the product')
    .option('--value <amount>', 'face value, for products that let you choose it')
    .action((productId: string, options: PriceOptions) =>
      bind((context) => run(context, productId, options)),
    );
  addExamples(command, [
    'price <product_id> --country us --brand "Amazon.com"',
    'price <product_id> --country us --brand "Amazon.com" --value 25 --json',
    'price <product_id> --country us --brand "Amazon.com" --value 25 --coin BTC',
  ]);
}

async function run(context: ScripContext, productId: string, options: PriceOptions): Promise<View> {
  const { checkDecimal } = await import('../amount.ts');
  if (options.value !== undefined) checkDecimal(options.value);
  if (isPartner(options)) {
    const { partnerPrice } = await import('../browsing/partner-lists.ts');
    return partnerPrice(context, { productId, ...options });
  }
  const { quote: ask } = await import('../../api/checkout/quote.ts');
  const { listProducts } = await import('../../api/checkout/offer.ts');
  const { brand, value } = options;
  const deps = scripDeps(context);
  const { wire: quote } = await inCountry(deps, options, (countryCode) => {
    const host = { fetch: context.parts.fetch, baseUrl: context.settings.checkoutUrl };
    const wanted = { productId, countryCode, brandName: brand, value };
    return ask({ ...host, ...callOptions(context.parts) }, wanted, () =>
      listProducts(deps, countryCode, brand),
    );
  });
  const lines = linesOf(quote);
  return {
    kind: 'record',
    record: quote,
    title: goodsName(namedOf(quote)),
    lines,
    screen: [
      lines.map(([label, value]) => [
        label,
        label === VALID ? instantText(quote.quote_expires_at) : value,
      ]),
    ],
  };
}

const VALID = t`Valid until`;

function namedOf(quote: WirePriceQuote): Parameters<typeof goodsName>[0] {
  const { product_name, brand_name, face_value = '', currency } = quote;
  return { name: product_name ?? brand_name, faceValue: String(face_value), currency };
}

function linesOf(quote: WirePriceQuote): readonly Line[] {
  const bounds = quote.is_range
    ? [
        [
          t`Range`,
          t`${quote.min_value ?? '?'} to ${quote.max_value ?? '?'} ${quote.currency}`,
        ] as const,
      ]
    : [];
  return [
    [t`Product`, quote.product_id],
    [t`Brand`, quote.brand_name],
    [t`Face value`, `${quote.face_value ?? ''} ${quote.currency}`.trim()],
    ...bounds,
    [t`Price`, `${quote.price_usdc} USDC`],
    [VALID, quote.quote_expires_at],
  ];
}
