/** `scrip order`: buys a product and waits for its code. */

import type { Command } from 'commander';
import { CHECKOUT, PARTNER } from '../../api/abilities.ts';
import { patienceOf } from '../../api/patience.ts';
import { MAX_AMOUNT_HELP } from '../../domain/cap.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { checkPlainDecimal, parseDuration, parseUsdc } from '../amount.ts';
import { type CartFlags, checkNaming, readCartOptions } from '../batch/flags.ts';
import { parseQuantity } from '../batch/items.ts';
import type { Bind } from '../command.ts';
import type { With } from '../context.ts';
import { addExamples } from '../examples.ts';
import type { OrderInput } from '../ordering/ordering.ts';
import { checkNote } from '../parsing/note.ts';
import {
  addMeansOptions,
  addSurfaceOption,
  type MeansFlags,
  merchantMeant,
  type SurfaceFlags,
} from '../parsing/surface.ts';
import { checkCallbackUrl, checkKey, flagOf } from '../settings/flag-values.ts';

interface OrderFlags extends SurfaceFlags, CartFlags, MeansFlags {
  readonly quantity?: string;
  readonly refundWallet?: string;
  readonly pay?: boolean;
  readonly openAccount?: boolean;
  readonly timeout?: string;
  /** False after `--no-wait`. */
  readonly wait: boolean;
}

export function register(command: Command, bind: Bind): void {
  command
    .argument('[product_id]', 'from scrip catalog; or name a cart')
    .optionsGroup('What and for whom:')
    .option('--country <code>', 'two-letter country code, such as us')
    .option('--brand <name>', 'brand of the product')
    .option('--value <amount>', 'face value, for products that let you choose it')
    .option('--to <beneficiary>', 'who receives it: an e-mail, or +phone for a top-up')
    .option('--email <email>', 'where the merchant reaches you (default: the e-mail of --to)')
    .option('--note <text>', 'a remark of your own, kept on this machine and sent to nobody')
    .optionsGroup('Money:')
    .option('--max-amount <amount>', String(MAX_AMOUNT_HELP))
    .option('--yes', 'do not ask; off a terminal --max-amount is needed as well')
    .option('--dry-run', 'say what would be bought and whether it could be paid; send nothing')
    .option('--idempotency-key <key>', 'the same key never buys twice')
    .option('--allow-other-country', 'top up a phone of another country than the product’s')
    .option('--allow-duplicate', 'buy it though the same was ordered within ten minutes')
    .optionsGroup('Delivery:')
    .option('--timeout <time>', 'how long to wait for delivery (10m), and for any answer (35s)')
    .option('--no-wait', 'return when the order is accepted, before it is delivered')
    .option(
      '--reveal',
      'print the code in a pipe as well; without it, masked there unless --json or --ndjson',
    )
    .option('--callback-url <url>', 'address that is told of each change: docs/events.md')
    .optionsGroup('Many at once:')
    .option('--cart <file>', 'buy every line of a CSV or JSON file; - reads it: docs/batches.md')
    .option('--max-total <amount>', 'pay at most this for the whole cart')
    .option('--skip-invalid', 'buy the good lines of a cart, and tell of the bad ones')
    .option('--concurrency <number>', 'orders of a cart that are placed side by side', '4')
    .optionsGroup('Another coin, or the partner API:');
  addMeansOptions(addSurfaceOption(command))
    .option('--quantity <number>', 'how many (partner API)')
    .option('--pay', 'pay it at once from the wallet (partner API)')
    .option('--open-account', 'pay for opening the recipient’s account as well (partner API)')
    .option('--refund-wallet <address>', 'where money goes back to (partner API)')
    .action((productId: string | undefined, flags: OrderFlags) =>
      bind(orderWork(productId, flags)),
    );
  addExamples(command, [
    'order <product_id> --country us --brand "Amazon.com" --to you@example.com',
    'order <product_id> --country us --brand "Amazon.com" --value 25 --to friend@example.com --email you@example.com --max-amount 26 --yes --json',
    'order <product_id> --via partner --coin USDC --network Solana --to friend@example.com --email you@example.com --pay',
    'order <product_id> --country us --coin BTC --to friend@example.com --email you@example.com',
    'order <product_id> --country br --brand "Claro Credits" --to +5511987654321 --email you@example.com --dry-run',
    'order --cart gifts.csv --email you@example.com --dry-run',
    'order --cart gifts.csv --email you@example.com --yes --max-total 500 --skip-invalid --csv',
  ]);
}

type Work = Parameters<Bind>[0];

function orderWork(productId: string | undefined, flags: OrderFlags): Work {
  checkNaming(productId, flags);
  if (productId === undefined) return cartWork(flags);
  const input = readInput(productId, flags);
  return async (context) => {
    const { placeOrder } = await import('../ordering/ordering.ts');
    return placeOrder(context, placed(input, context), { isShown: false, isAnswered: false });
  };
}

function cartWork(flags: OrderFlags): Work {
  if (merchantMeant(flags) === 'partner') {
    throw new ScripError('USAGE', t`a cart is bought from the checkout host`, {
      hint: t`Leave --via partner out.`,
    });
  }
  checkExtras(flags);
  const options = readCartOptions(flags, patienceOf(timeoutOf(flags), flags.wait));
  return async (context) => (await import('../batch/ordering.ts')).orderCart(context, options);
}

/** Where a country may be left out, that of the settings is meant. */
function placed(input: OrderInput, { settings }: With<'settings'>): OrderInput {
  const { wish } = input;
  const items = wish.items.map((item) => ({
    ...item,
    country: item.country === '' ? settings.countryCode : item.country,
  }));
  return { ...input, wish: { ...wish, items } };
}

/** Options of merchants that take an order first: with any other they would be passed over in silence. */
const EXTRAS = ['pay', 'openAccount', 'refundWallet', 'quantity', 'coupon', 'paymentVia'] as const;

function checkExtras(flags: OrderFlags): void {
  const stray = EXTRAS.find((name) => flags[name] !== undefined);
  if (stray === undefined) return;
  throw new ScripError('USAGE', t`${flagOf(stray)} is for the partner API`, {
    hint: t`Add --via partner.`,
  });
}

/**
 * An e-mail is missed only once it is known that `--to` is none.
 * @throws {ScripError} BENEFICIARY_INVALID for what the merchant can neither write to nor call
 */
function givenTo(flags: OrderFlags): Readonly<Record<string, string | undefined>> {
  const { to } = flags;
  const isNobody = to !== undefined && to.trim() !== '' && !/@|^\s*\+?[0-9 ().-]+$/.test(to);
  if (isNobody && flags.email === undefined) {
    throw new ScripError(
      'BENEFICIARY_INVALID',
      t`--to "${to}" is neither an e-mail address nor a phone number`,
    );
  }
  const isOpen = to === undefined && flags.email === undefined;
  return { '--to': to, ...(isOpen ? {} : { '--email': emailOf(flags) }) };
}

/** Whoever buys for an e-mail address is taken to be reached there, unless another one is named. */
function emailOf({ email, to }: OrderFlags): string | undefined {
  return email ?? (to?.includes('@') === true ? to : undefined);
}

/** @throws {ScripError} INPUT_INVALID for one that is blank; USAGE naming every one that is missing */
function checkGiven(flags: Readonly<Record<string, string | undefined>>): void {
  const empty = Object.keys(flags).find((flag) => flags[flag]?.trim() === '');
  if (empty !== undefined) throw new ScripError('INPUT_INVALID', t`${empty} is empty`);
  const missing = Object.keys(flags).filter((flag) => flags[flag] === undefined);
  if (missing.length === 0) return;
  const named = missing.join(', ');
  const what =
    missing.length === 1
      ? t`required option not given: ${named}`
      : t`required options not given: ${named}`;
  throw new ScripError('USAGE', what, {
    hint: t`scrip order --help has examples; scrip wizard asks for everything.`,
  });
}

function readInput(productId: string, flags: OrderFlags): OrderInput {
  const merchant = merchantMeant(flags);
  const { ordersFirst, needs } = merchant === 'partner' ? PARTNER : CHECKOUT;
  if (!ordersFirst) checkExtras(flags);
  const needed = needs.map((name) => [`--${name}`, flags[name]] as const);
  checkGiven({ ...Object.fromEntries(needed), ...givenTo(flags) });
  const { to = '', email = to, country = '', brand, value, maxAmount } = flags;
  const patience = patienceOf(timeoutOf(flags), flags.wait);
  // Refused here, before anything is asked of anybody.
  if (maxAmount !== undefined) (ordersFirst ? checkPlainDecimal : parseUsdc)(maxAmount);
  const item = { productId, country, brand, value, to, quantity: parseQuantity(flags.quantity) };
  return {
    merchant,
    wish: {
      items: [item],
      email,
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
    patience,
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
