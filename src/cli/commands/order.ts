/** `scrip order`: buys a product and waits for its code. */

import type { Command } from 'commander';
import { ABILITIES } from '../../api/abilities.ts';
import type { Abilities, Extra } from '../../api/merchant.ts';
import { timeoutsOf } from '../../api/timeouts.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { MAX_AMOUNT_HELP } from '../../domain/money/cap.ts';
import { checkPlainDecimal, parseDuration, parseQuantity, parseUsdc } from '../amount.ts';
import {
  type CartFlags,
  checkCallbackUrl,
  checkKey,
  checkNaming,
  checkNote,
  flagOf,
  readCartOptions,
} from '../batch/flags.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { PlaceOrderInput } from '../ordering/ordering.ts';
import {
  MEANS_OPTIONS,
  merchantMeant,
  type NamedProduct,
  productWords,
  SURFACE_OPTIONS,
  typedOptions,
} from '../parsing/order-options.ts';

/** Another coin, or the partner API. */
const OTHER_OPTIONS = {
  ...SURFACE_OPTIONS,
  ...MEANS_OPTIONS,
  '--quantity <number>': 'how many (partner API)',
  '--pay': 'pay it at once from the wallet (partner API)',
  '--open-account': 'also pay for opening the recipient’s token account (partner API)',
  '--refund-wallet <address>': 'refund address (partner API)',
} as const;

type OrderFlags = CartFlags &
  FlagsOf<typeof OTHER_OPTIONS> & {
    readonly timeout?: string;
    /** False with `--no-wait`. */
    readonly wait: boolean;
  };

export function register(command: Command, bind: Bind): void {
  command
    .argument('[product...]', 'such as amazon 25; a product id; or again [order id]')
    .optionsGroup('What and for whom:')
    .option('--country <code>', 'two-letter code, such as us (default: your settings)')
    .option('--brand <name>', 'brand of the product, if you give a product id')
    .option('--value <amount>', 'face value, for products with a variable value')
    .option('--to <beneficiary>', 'recipient: an e-mail, or +phone for a top-up')
    .option('--email <email>', 'your own e-mail address (default: settings, or --to)')
    .option('--note <text>', 'your own note, kept on this machine and never sent')
    .optionsGroup('Money:')
    .option('--max-amount <amount>', String(MAX_AMOUNT_HELP))
    .option('--yes', 'do not ask; scripts also need --max-amount')
    .option('--dry-run', 'show what would be bought and paid; send nothing')
    .option('--idempotency-key <key>', 'the same key never buys twice')
    .option('--allow-other-country', 'allow a phone number from another country than the product’s')
    .option(
      '--allow-duplicate',
      'buy the same again within ten minutes; an unfinished order is finished',
    )
    .optionsGroup('Delivery:')
    .option('--timeout <time>', 'how long to wait for delivery (10m), and for any answer (35s)')
    .option('--no-wait', 'return when the order is accepted, before it is delivered')
    .option(
      '--reveal',
      'print the code even when the output is not a terminal; --json and --ndjson always do',
    )
    .option(
      '--callback-url <url>',
      'address that receives a webhook on each change (docs/automate/events.md)',
    )
    .optionsGroup('Many at once:')
    .option('--cart <file>', 'buy every line of a CSV (brand,value,to) or JSON file')
    .option('--max-total <amount>', 'maximum to pay for the whole cart')
    .option('--skip-invalid', 'buy the valid lines of a cart and report the others')
    .option('--concurrency <number>', 'orders of a cart to place at the same time', '4')
    .optionsGroup('Another coin, or the partner API:');
  addOptions(command, OTHER_OPTIONS).action((words: readonly string[], flags: OrderFlags) =>
    bind(
      words[0] === AGAIN
        ? againWork(words.slice(1), flags, command)
        : orderWork(productWords(words, flags.value), flags, command),
    ),
  );
  addExamples(command, [
    'order amazon 25 --to friend@example.com',
    'order airtel 500 --country in --to +919876543210 --email you@example.com',
    'order <product_id> --country us --to you@example.com',
    'order amazon 50 --country us --to friend@example.com --email you@example.com --max-amount 51 --yes --json',
    'order <product_id> --via partner --coin USDC --network Solana --to friend@example.com --email you@example.com --pay',
    'order <product_id> --country us --coin BTC --to friend@example.com --email you@example.com',
    'order <product_id> --country br --brand "Claro Credits" --to +5511987654321 --email you@example.com --dry-run',
    'order again <order_id>',
    'order --cart gifts.csv --email you@example.com --dry-run',
    'order --cart gifts.csv --email you@example.com --yes --max-total 500 --skip-invalid --csv',
  ]);
}

/** Used in place of a product; no brand has this name. */
const AGAIN = 'again';

type Work = Parameters<Bind>[0];

function orderWork({ product, value }: NamedProduct, flags: OrderFlags, command: Command): Work {
  checkNaming(product, flags);
  if (flags.cart !== undefined) return cartWork(flags, command);
  const { country, brand, to, email } = flags;
  checkNotBlank({ '--country': country, '--brand': brand, '--to': to, '--email': email });
  const quantity = parseQuantity(flags.quantity);
  const named = product === undefined ? { product: brand } : { product, brand };
  const request = {
    words: { brand: undefined, ...named, value, country, to, email, quantity },
    input: readInput(flags),
    options: typedOptions(command, NAMED_ANEW),
  };
  return async (context) => {
    const { orderInWords } = await import('../ordering/order-request.ts');
    return orderInWords(context, request);
  };
}

/** Repeats an earlier order; options typed now override its own. */
function againWork([id, ...others]: readonly string[], flags: OrderFlags, command: Command): Work {
  if (others.length > 0 || flags.cart !== undefined) {
    throw new ScripError('USAGE', t`Only one order can be repeated at a time`, {
      hint: t`Such as: scrip order again <order_id>`,
    });
  }
  return async (context) => {
    const { repeatedOrder } = await import('../ordering/again.ts');
    const isAsking = context.settings.mayPrompt && flags.yes !== true;
    const { product, flags: recorded } = await repeatedOrder(context, { id, isAsking });
    const merged: OrderFlags = { ...recorded, ...flags };
    return orderWork({ product, value: merged.value }, merged, command)(context);
  };
}

/** Options that a suggested command with a product id replaces. */
const NAMED_ANEW: ReadonlySet<string> = new Set(['value', 'brand', 'yes', 'maxAmount']);

/** Options that a suggested cart command replaces or does not need. */
const LISTED_ANEW: ReadonlySet<string> = new Set(['yes', 'dryRun', 'reveal']);

function cartWork(flags: OrderFlags, command: Command): Work {
  const abilities = ABILITIES[merchantMeant(flags)];
  if (abilities.ordersFirst) {
    throw new ScripError('USAGE', t`A cart can be bought only from the checkout host`, {
      hint: t`Leave --via partner out.`,
    });
  }
  checkExtras(flags, abilities);
  const options = readCartOptions(
    flags,
    timeoutsOf(timeoutOf(flags), flags.wait),
    typedOptions(command, LISTED_ANEW),
  );
  return async (context) => (await import('../batch/ordering.ts')).orderCart(context, options);
}

/** What each option needs from a merchant; one that cannot do it would silently ignore the option. */
const ASKED = {
  pay: 'ordersFirst',
  openAccount: 'ordersFirst',
  refundWallet: 'refundAddress',
  quantity: 'quantity',
  coupon: 'coupon',
  paymentVia: 'paymentVia',
} as const satisfies Partial<Record<keyof OrderFlags, Extra | 'ordersFirst'>>;

function checkExtras(flags: OrderFlags, { ordersFirst, takes }: Abilities): void {
  const isTaken = (asked: Extra | 'ordersFirst'): boolean =>
    asked === 'ordersFirst' ? ordersFirst : takes.has(asked);
  const named = (Object.keys(ASKED) as (keyof typeof ASKED)[]).filter(
    (name) => flags[name] !== undefined,
  );
  const stray = named.find((name) => !isTaken(ASKED[name]));
  if (stray === undefined) return;
  throw new ScripError('USAGE', t`${flagOf(stray)} works only with the partner API`, {
    hint: t`Add --via partner.`,
  });
}

/** @throws {ScripError} INPUT_INVALID */
function checkNotBlank(flags: Readonly<Record<string, string | undefined>>): void {
  const empty = Object.keys(flags).find((flag) => flags[flag]?.trim() === '');
  if (empty !== undefined) throw new ScripError('INPUT_INVALID', t`${empty} is empty`);
}

/** Reads all options except product and people. */
function readInput(flags: OrderFlags): PlaceOrderInput {
  const merchant = merchantMeant(flags);
  const abilities = ABILITIES[merchant];
  const { ordersFirst } = abilities;
  checkExtras(flags, abilities);
  const { maxAmount } = flags;
  const timeouts = timeoutsOf(timeoutOf(flags), flags.wait);
  // Validate it here, before any request is sent.
  if (maxAmount !== undefined) (ordersFirst ? checkPlainDecimal : parseUsdc)(maxAmount);
  return {
    merchant,
    orderInput: {
      items: [],
      maxAmount,
      coin: flags.coin,
      network: flags.network,
      paymentVia: flags.paymentVia,
      coupon: flags.coupon,
      refundAddress: flags.refundWallet,
      callbackUrl:
        flags.callbackUrl === undefined ? undefined : checkCallbackUrl(flags.callbackUrl),
    },
    isPaid: !ordersFirst || flags.pay === true,
    isAgreed: flags.yes ?? false,
    isDryRun: flags.dryRun ?? false,
    isRevealed: flags.reveal ?? false,
    isWaiting: flags.wait,
    timeouts,
    key: flags.idempotencyKey === undefined ? undefined : checkKey(flags.idempotencyKey),
    allowsDuplicate: flags.allowDuplicate ?? false,
    allowsOtherCountry: flags.allowOtherCountry ?? false,
    opensAccount: flags.openAccount ?? false,
    note: flags.note === undefined ? undefined : checkNote(flags.note),
  };
}

function timeoutOf({ timeout }: OrderFlags): number | undefined {
  return timeout === undefined ? undefined : parseDuration(timeout);
}
