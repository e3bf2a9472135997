/** `scrip validate`: lists everything wrong with an order, without creating it. */

import type { Command } from 'commander';
import { checkOrder } from '../../api/partner/partner-quote.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { readItems } from '../batch/cart-file.ts';
import { countryFor } from '../browsing/country.ts';
import { priceQuestion } from '../browsing/product-choice.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { checkedView } from '../orders/rehearsal.ts';
import type { View } from '../output/view.ts';
import {
  isProductId,
  MEANS_OPTIONS,
  type TypedProduct,
  typedProduct,
} from '../parsing/order-options.ts';
import { scripDeps } from '../scrip-deps.ts';

const OPTIONS = {
  '--cart <file>': 'file with product,to,value,quantity lines as CSV or JSON; - is standard input',
  '--to <beneficiary>': 'recipient: an e-mail, or +phone for a top-up',
  '--email <email>': 'your own address',
  '--value <amount>': 'face value, for products with a variable value',
  '--quantity <number>': ['how many', '1'],
  '--country <code>': 'country of the product (default: from your settings)',
  '--brand <name>': 'brand of the product; makes the search faster',
  ...MEANS_OPTIONS,
} as const;

type ValidateFlags = FlagsOf<typeof OPTIONS>;

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS)
    .argument('[product...]', 'brand and face value, such as: amazon 25; or an id; or name a cart')
    .action((words: readonly string[], flags: ValidateFlags) => {
      const typed = typedProduct(command, words, flags.value);
      return bind((context) => run(context, typed, flags));
    });
  addExamples(command, [
    'validate amazon 25 --country us --to friend@example.com',
    'validate <product_id> --country us --to friend@example.com --email you@example.com --coin USDC --network Solana',
    'validate --cart gifts.csv --email you@example.com --json',
    'validate --cart - --to friend@example.com < gifts.jsonl',
  ]);
}

async function run(
  context: BuyerContext,
  named: TypedProduct,
  flags: ValidateFlags,
): Promise<View> {
  if ((named.product === undefined) === (flags.cart === undefined)) {
    throw new ScripError('USAGE', t`Name a product, or a cart with --cart`, {
      hint: t`Such as: scrip validate <product_id> --to <beneficiary> --email <email>, or: scrip validate --cart <file>`,
    });
  }
  const { product, ...more } = await meantBy(context, named, flags);
  const { settings } = context;
  const people = { email: flags.email ?? settings.email, to: flags.to ?? settings.to };
  const settled = { ...flags, ...people };
  const items = await readItems(context, product, { ...settled, ...more });
  context.io.progress.step(t`Checking the order`);
  const checked = await checkOrder(scripDeps(context), { ...settled, items });
  context.io.progress.done();
  return checkedView({ ...checked, ...checked.means });
}

/** A product id needs no brand; words are searched in the partner API's catalog. */
async function meantBy(
  context: BuyerContext,
  { product, value, rest }: TypedProduct,
  flags: ValidateFlags,
) {
  const { brand, country: typed } = flags;
  const asTyped = { product, value, brand, country: typed };
  if (product === undefined || brand !== undefined || isProductId(product)) return asTyped;
  const country = await countryFor(context, typed);
  const wanted = { words: product, value, country, merchant: 'partner' } as const;
  const { productId, ...sold } = await priceQuestion(context, wanted, ['validate', ...rest]);
  return { ...asTyped, ...sold, product: productId };
}
