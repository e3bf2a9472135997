/** The shortest command line for the same order as a guided purchase. */

import type { CatalogReader } from '../../api/catalog-reader.ts';
import type { ProductSelection } from '../../api/checkout/checkout-quote.ts';
import { findProducts } from '../../api/find.ts';
import { openCatalog } from '../../api/merchants.ts';
import { expected } from '../../domain/attempt.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import type { Message } from '../../domain/message/message.ts';
import { onlyMeant } from '../../domain/product/product-match.ts';
import type { PlaceOrderInput } from '../ordering/ordering.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

/** Values from the settings, which the line can omit. */
export interface KnownSettings {
  readonly country: string | undefined;
  readonly email: string | undefined;
}

interface Asked {
  /** As answered, such as `25 USD`. */
  readonly amount: string;
  /** As typed; undefined for the default. */
  readonly timeout: string | undefined;
  readonly known: KnownSettings;
}

/** Returns the line. It has no idempotency key, so running it again buys again; at a terminal it asks again. */
export async function lineAgain(
  context: ScripContext,
  input: PlaceOrderInput,
  { amount, timeout, known }: Asked,
): Promise<Message> {
  const { merchant, orderInput, isPaid, isWaiting, isAgreed } = input;
  const { email, coin, network, maxAmount, items } = orderInput;
  const [item] = items;
  const line = [
    'order',
    ...(await productWords(context, input, amount)),
    ...option('--country', item?.country === known.country ? undefined : item?.country),
    ...option('--to', item?.to),
    ...option('--email', email === (known.email ?? item?.to) ? undefined : email),
    ...(isWaiting ? option('--timeout', timeout) : ['--no-wait']),
    ...(input.isRevealed ? ['--reveal'] : []),
    ...(input.allowsDuplicate ? ['--allow-duplicate'] : []),
    ...(input.allowsOtherCountry ? ['--allow-other-country'] : []),
    ...(merchant === 'partner'
      ? [
          ...['--via', merchant],
          ...option('--coin', coin),
          ...option('--network', network),
          ...(isPaid ? ['--pay'] : []),
        ]
      : []),
    ...(isAgreed ? option('--max-amount', maxAmount) : []),
    ...(isAgreed && !context.settings.mayPrompt ? ['--yes'] : []),
  ];
  return commandText`scrip ${wordList(line, ' ')}`;
}

/** The brand's name if that and the value mean only this product; otherwise the product id. */
async function productWords(
  context: ScripContext,
  { merchant, orderInput: { items } }: PlaceOrderInput,
  amount: string,
): Promise<readonly string[]> {
  const [item] = items;
  if (item === undefined) return [];
  const [named] = /^\d+(?:\.\d+)?(?= [A-Z]{3}$|$)/.exec(amount) ?? [];
  const value = item.value ?? named;
  const catalog = await openCatalog(scripDeps(context), merchant);
  // If the lists cannot be read, the id names it.
  const words = await shortestWords(catalog, { ...item, value }).catch(
    expected(() => item.productId),
  );
  const chosen = words === item.productId ? item.value : value;
  return [...words.split(' '), ...(chosen === undefined ? [] : [chosen])];
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}

/**
 * Returns the shortest form of the brand's name that, with the value, means only this product; otherwise the
 * id.
 */
export async function shortestWords(
  catalog: CatalogReader,
  { productId, brand, country, value }: ProductSelection,
): Promise<string> {
  if (brand === undefined) return productId;
  const short = brand.replace(/(?<=\S)\.com$/i, '').toLowerCase();
  for (const words of new Set([short, brand])) {
    const found = await findProducts(catalog, { words, value, country });
    const meant = onlyMeant(found, { hasValue: value !== undefined });
    if (meant?.id === productId) return words;
  }
  return productId;
}
