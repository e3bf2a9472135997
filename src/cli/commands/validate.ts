/** `scrip validate`: lists everything wrong with an order, without creating it. */

import type { Command } from 'commander';
import { checkOrder } from '../../api/partner/partner-quote.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { readItems } from '../batch/cart-file.ts';
import { countryFor } from '../browsing/country.ts';
import { priceQuestion } from '../browsing/product-choice.ts';
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { checkedView } from '../orders/rehearsal.ts';
import type { View } from '../output/view.ts';
import {
  addMeansOptions,
  isProductId,
  type MeansFlags,
  type NamedProduct,
  productWords,
  typedOptions,
} from '../parsing/order-options.ts';
import { scripDeps } from '../scrip-deps.ts';

interface ValidateFlags extends MeansFlags {
  readonly cart?: string;
  readonly to?: string;
  readonly email?: string;
  readonly value?: string;
  readonly quantity: string;
  readonly country?: string;
  readonly brand?: string;
  readonly coupon?: string;
}

export function register(command: Command, bind: Bind): void {
  addMeansOptions(
    command
      .argument(
        '[product...]',
        'brand and face value, such as: amazon 25; or an id; or name a cart',
      )
      .option(
        '--cart <file>',
        'file with product,to,value,quantity lines as CSV or JSON; - is standard input',
      )
      .option('--to <beneficiary>', 'recipient: an e-mail, or +phone for a top-up')
      .option('--email <email>', 'your own address')
      .option('--value <amount>', 'face value, for products with a variable value')
      .option('--quantity <number>', 'how many', '1')
      .option('--country <code>', 'country of the product (default: from your settings)')
      .option('--brand <name>', 'brand of the product; makes the search faster'),
  ).action((words: readonly string[], flags: ValidateFlags) => {
    const named = productWords(words, flags.value);
    const rest = typedOptions(command);
    return bind((context) => run(context, { ...named, rest }, flags));
  });
  addExamples(command, [
    'validate amazon 25 --country us --to friend@example.com',
    'validate <product_id> --country us --to friend@example.com --email you@example.com --coin USDC --network Solana',
    'validate --cart gifts.csv --email you@example.com --json',
    'validate --cart - --to friend@example.com < gifts.jsonl',
  ]);
}

interface Named extends NamedProduct {
  /** The other options, as typed. */
  readonly rest: readonly string[];
}

async function run(context: BuyerContext, named: Named, flags: ValidateFlags): Promise<View> {
  if ((named.product === undefined) === (flags.cart === undefined)) {
    throw new ScripError('USAGE', t`Name a product, or a cart with --cart`, {
      hint: t`Such as: scrip validate <product_id> --to <beneficiary> --email <email>, or: scrip validate --cart <file>`,
    });
  }
  const { product, ...more } = await meantBy(context, named, flags);
  const settled = { ...settledPeople(context), ...flags };
  const items = await readItems(context, product, { ...settled, ...more });
  context.io.progress.step(t`Checking the order`);
  const checked = await checkOrder(scripDeps(context), { ...settled, items });
  context.io.progress.done();
  return checkedView({ ...checked, ...checked.means });
}

/** Recipient and e-mail from the settings. */
function settledPeople({ settings: { email, to } }: BuyerContext) {
  return { ...(email === undefined ? {} : { email }), ...(to === undefined ? {} : { to }) };
}

/** A product id needs no brand; words are searched in the partner API's catalog. */
async function meantBy(
  context: BuyerContext,
  { product, value, rest }: Named,
  flags: ValidateFlags,
): Promise<Pick<ValidateFlags, 'value' | 'brand' | 'country'> & { readonly product?: string }> {
  const valued = value === undefined ? {} : { value };
  if (product === undefined) return valued;
  if (flags.brand !== undefined || isProductId(product)) return { product, ...valued };
  const country = await countryFor(context, flags.country);
  const wanted = { words: product, value, country, merchant: 'partner' } as const;
  const {
    productId,
    value: chosen,
    ...sold
  } = await priceQuestion(context, wanted, ['validate', ...rest]);
  return { product: productId, ...sold, ...(chosen === undefined ? {} : { value: chosen }) };
}
