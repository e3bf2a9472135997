/** `scrip order`: buys a product and waits for its code. */

import { Command } from 'commander';
import { MAX_AMOUNT_HELP } from '../../domain/cap.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { checkPlainDecimal, parseUsdc } from '../amount.ts';
import { type CartFlags, checkNaming, readCartOptions } from '../batch/flags.ts';
import { checkNote } from '../buying/note.ts';
import { type CheckoutOrder, type OrderCaller, orderByCheckout } from '../buying/ordering.ts';
import { readPatience } from '../buying/purchasing.ts';
import type { Bind } from '../command.ts';
import { addExamples } from '../examples.ts';
import { forOutput } from '../orders/codes.ts';
import { addMeansOptions, addSurfaceOption, isPartner, type SurfaceFlags } from '../partner/api.ts';
import type { PartnerOrderFlags } from '../partner/ordering.ts';
import { checkCallbackUrl, checkKey, flagOf } from '../settings/flag-values.ts';

interface OrderFlags extends SurfaceFlags, CartFlags, Omit<PartnerOrderFlags, 'to' | 'email'> {
  readonly timeout?: string;
  readonly reveal?: boolean;
  readonly note?: string;
}

export function register(command: Command, bind: Bind): void {
  declare(command).action((productId: string | undefined, flags: OrderFlags) =>
    bind(orderWork(productId, flags, { isShown: false, isAnswered: false })),
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

/**
 * The work of an order by its words, without `scrip order` before them: what another command orders
 * is what the same line typed by hand would order.
 * @throws {ScripError} as the command line does for words that make no sense
 */
export function readOrder(words: readonly string[], caller: OrderCaller): Work {
  const command = declare(new Command('order')).exitOverride();
  command.parse([...words], { from: 'user' });
  return orderWork(command.args[0], command.opts<OrderFlags>(), caller);
}

function declare(command: Command): Command {
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
  return addMeansOptions(addSurfaceOption(command))
    .option('--quantity <number>', 'how many (partner API)')
    .option('--pay', 'pay it at once from the wallet (partner API)')
    .option('--open-account', 'pay for opening the recipient’s account as well (partner API)')
    .option('--refund-wallet <address>', 'where money goes back to (partner API)');
}

type Work = Parameters<Bind>[0];

function orderWork(productId: string | undefined, flags: OrderFlags, caller: OrderCaller): Work {
  checkNaming(productId, flags);
  if (productId === undefined) return byCart(flags);
  return (isPartner(flags) ? byPartner : byCheckout)(productId, flags, caller);
}

function byCart(flags: OrderFlags): Work {
  if (isPartner(flags)) {
    throw new ScripError('USAGE', t`a cart is bought from the checkout host`, {
      hint: t`Leave --via partner out.`,
    });
  }
  checkSurface(flags);
  const options = readCartOptions(flags, readPatience(flags.timeout, flags.wait));
  return async (context) => (await import('../batch/ordering.ts')).orderCart(context, options);
}

function byCheckout(productId: string, flags: OrderFlags, caller: OrderCaller): Work {
  const options = { ...readOptions(productId, flags), ...caller };
  return (context) => orderByCheckout(context, options);
}

function byPartner(productId: string, flags: OrderFlags, caller: OrderCaller): Work {
  const { waitMs } = readPatience(flags.timeout, flags.wait);
  const key = flags.idempotencyKey;
  if (key !== undefined) checkKey(key);
  const note = flags.note === undefined ? undefined : checkNote(flags.note);
  if (flags.maxAmount !== undefined) checkPlainDecimal(flags.maxAmount);
  if (flags.callbackUrl !== undefined) checkCallbackUrl(flags.callbackUrl);
  const { to = '', email = to } = flags;
  checkGiven(givenTo(flags));
  return async (context) => {
    const { partnerOrder } = await import('../partner/ordering.ts');
    const asked = { ...flags, to, email, ...caller, note, waitMs };
    const view = await partnerOrder(context, productId, asked);
    return forOutput(context, view, { isRevealed: flags.reveal ?? false });
  };
}

/** Flags of the partner API alone: with the checkout host they would be passed over in silence. */
const PARTNER_ALONE = [
  'pay',
  'openAccount',
  'refundWallet',
  'quantity',
  'coupon',
  'paymentVia',
] as const;

function checkSurface(flags: OrderFlags): void {
  const stray = PARTNER_ALONE.find((name) => flags[name] !== undefined);
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

function readOptions(productId: string, flags: OrderFlags): Omit<CheckoutOrder, keyof OrderCaller> {
  checkSurface(flags);
  const { to = '', email = to, country = '', brand = '', value, maxAmount } = flags;
  checkGiven({
    '--country': flags.country,
    '--brand': flags.brand,
    ...givenTo(flags),
  });
  const patience = readPatience(flags.timeout, flags.wait);
  // Refused here, before anything is asked of anybody.
  if (maxAmount !== undefined) parseUsdc(maxAmount);
  return {
    wish: { productId, country, brand, email, value, beneficiary: to, maxAmount },
    callbackUrl: flags.callbackUrl === undefined ? undefined : checkCallbackUrl(flags.callbackUrl),
    isAgreed: flags.yes ?? false,
    isDryRun: flags.dryRun ?? false,
    isRevealed: flags.reveal ?? false,
    isUnawaited: !flags.wait,
    patience,
    key: flags.idempotencyKey === undefined ? undefined : checkKey(flags.idempotencyKey),
    allowsDuplicate: flags.allowDuplicate ?? false,
    allowsOtherCountry: flags.allowOtherCountry ?? false,
    note: flags.note === undefined ? undefined : checkNote(flags.note),
  };
}
