/** The shortest command line for the same order as a guided purchase. */

import { openCatalog } from '../../api/merchants.ts';
import { commandText, wordList } from '../../domain/command-text.ts';
import type { Message } from '../../domain/message.ts';
import { wordsOrId } from '../browsing/shortest-words.ts';
import { type KnownSettings, orderLine } from '../ordering/order-line.ts';
import type { PlaceOrderInput } from '../ordering/ordering.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

interface Asked {
  /** As answered, such as `25 USD`. */
  readonly amount: string;
  /** As typed; undefined for the default. */
  readonly timeout: string | undefined;
  /** Whether the purchase was confirmed by options. */
  readonly isAgreed: boolean;
  readonly known: KnownSettings;
}

export async function lineAgain(
  context: ScripContext,
  input: PlaceOrderInput,
  { amount, timeout, isAgreed, known }: Asked,
): Promise<Message> {
  const { maxAmount } = input.orderInput;
  const line = orderLine(input, {
    words: await productWords(context, input, amount),
    known,
    timeout,
    agreed: isAgreed ? { maxAmount, isAsked: context.settings.mayPrompt } : undefined,
  });
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
  const words = await wordsOrId(catalog, { ...item, value });
  const chosen = words === item.productId ? item.value : value;
  return [...words.split(' '), ...(chosen === undefined ? [] : [chosen])];
}
