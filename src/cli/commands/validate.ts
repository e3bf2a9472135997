/** `scrip validate`: everything that is wrong with an order, before one is made. */

import type { Command } from 'commander';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { Bind } from '../command.ts';
import { addExamples } from '../examples.ts';
import type { View } from '../output/view.ts';
import { addMeansOptions, type MeansFlags } from '../parsing/surface.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

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
      .argument('[product_id]', 'from scrip catalog; or name a cart')
      .option('--cart <file>', 'lines of product,to,value,quantity as CSV or JSON; - reads them')
      .option('--to <beneficiary>', 'who receives it: an e-mail, or +phone for a top-up')
      .option('--email <email>', 'your own address')
      .option('--value <amount>', 'face value, for products that let you choose it')
      .option('--quantity <number>', 'how many', '1')
      .option('--country <code>', 'country of the product (default: that of the settings)')
      .option('--brand <name>', 'brand of the product; finds it faster'),
  ).action((productId: string | undefined, flags: ValidateFlags) =>
    bind((context) => run(context, productId, flags)),
  );
  addExamples(command, [
    'validate <product_id> --country us --to friend@example.com --email you@example.com --coin USDC --network Solana',
    'validate --cart gifts.csv --email you@example.com --json',
    'validate --cart - --to friend@example.com < gifts.jsonl',
  ]);
}

async function run(
  context: ScripContext,
  productId: string | undefined,
  flags: ValidateFlags,
): Promise<View> {
  const [{ readItems }, { checkedView }, { checkOrder }] = await Promise.all([
    import('../batch/items.ts'),
    import('../orders/rehearsal.ts'),
    import('../../api/partner/offer.ts'),
  ]);
  if ((productId === undefined) === (flags.cart === undefined)) {
    throw new ScripError('USAGE', t`name a product, or a cart with --cart`, {
      hint: t`Such as: scrip validate <product_id> --to <beneficiary> --email <email>, or: scrip validate --cart <file>`,
    });
  }
  const settled = { ...settledPeople(context), ...flags };
  const items = await readItems(context, productId, settled);
  context.io.progress.step(t`Checking the order`);
  const checked = await checkOrder(scripDeps(context), { ...settled, items });
  context.io.progress.done();
  return checkedView({ ...checked, ...checked.means });
}

/** Who the settings say it is for. */
function settledPeople({ settings: { email, to } }: ScripContext) {
  return { ...(email === undefined ? {} : { email }), ...(to === undefined ? {} : { to }) };
}
