/** `scrip order`: buys a product and waits for its code. */
import { Command } from 'commander';
import type { PurchaseRequest } from '../../client/intent.ts';
import { ScripError } from '../../domain/errors.ts';
import { atomic } from '../../domain/money.ts';
import { unasked } from '../agreement.ts';
import { checkPlainDecimal, formatUsdc, parseUsdc } from '../amount.ts';
import { type CartFlags, checkNaming, readCartOptions } from '../batch/flags.ts';
import { forOutput } from '../codes.ts';
import type { Bind } from '../commands.ts';
import type { Context } from '../context.ts';
import { addExamples } from '../examples.ts';
import { checkCallbackUrl, checkKey, flagOf } from '../flag-values.ts';
import { checkNote } from '../note.ts';
import { agree, checkCheckoutHost, roomFor, summaryLines } from '../order-agreement.ts';
import type { View } from '../output/view.ts';
import { addMeansOptions, addSurfaceOption, isPartner, type SurfaceFlags } from '../partner.ts';
import type { PartnerOrderFlags } from '../partner-ordering.ts';
import { type Patience, patienceAfter, purchaseTools, readPatience } from '../purchasing.ts';
import { type Preview, preview, requestBody, type Wish } from '../quoting.ts';
import { isAlreadyBought, outcomeError, receiptOf, receiptView } from '../receipt.ts';
import { watchResumption } from '../resuming.ts';
import type { Rehearsal } from '../schemas/purchase.ts';
import { headroomText } from '../spending.ts';

interface OrderFlags extends SurfaceFlags, CartFlags, Omit<PartnerOrderFlags, 'to' | 'email'> {
  readonly timeout?: string;
  readonly reveal?: boolean;
  readonly note?: string;
}

/** What a caller says that no flag does. */
interface OrderCaller {
  /** All of it was shown already: it is not told again. */
  readonly isShown: boolean;
  /** Somebody has just answered for it, and is there to be asked what is unusual about it. */
  readonly isAnswered: boolean;
}

interface OrderOptions extends OrderCaller {
  readonly wish: Wish;
  readonly isAgreed: boolean;
  readonly isDryRun: boolean;
  readonly patience: Patience;
  readonly key: string | undefined;
  readonly allowsDuplicate: boolean;
  readonly note: string | undefined;
  /** Told of each change of the order. */
  readonly callbackUrl: string | undefined;
  /** The code may go into a pipe. */
  readonly isRevealed: boolean;
  /** An order that is accepted and not delivered is what was asked for. */
  readonly isUnawaited: boolean;
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
    .option('--max-amount <amount>', 'pay at most this; without it, the quote and 0.5 %')
    .option('--yes', 'do not ask; off a terminal --max-amount is needed as well')
    .option('--dry-run', 'say what would be bought and whether it could be paid; send nothing')
    .option('--idempotency-key <key>', 'the same key never buys twice')
    .option('--allow-duplicate', 'buy it though the same was ordered within ten minutes')
    .optionsGroup('Delivery:')
    .option('--timeout <time>', 'how long to wait for delivery (10m), and for any answer (35s)')
    .option('--no-wait', 'return when the order is accepted, before it is delivered')
    .option('--reveal', 'print the code in a pipe as well; without it, masked there')
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
    throw new ScripError('USAGE', 'a cart is bought from the checkout host', {
      hint: 'Leave --via partner out.',
    });
  }
  checkSurface(flags);
  const options = readCartOptions(flags, readPatience(flags.timeout, flags.wait));
  return async (context) => (await import('../batch/ordering.ts')).orderCart(context, options);
}

function byCheckout(productId: string, flags: OrderFlags, caller: OrderCaller): Work {
  const options = { ...readOptions(productId, flags), ...caller };
  return (context) => run(context, options);
}

function byPartner(productId: string, flags: OrderFlags, caller: OrderCaller): Work {
  const { waitMs } = readPatience(flags.timeout, flags.wait);
  const key = flags.idempotencyKey;
  if (key !== undefined) checkKey(key);
  const note = flags.note === undefined ? undefined : checkNote(flags.note);
  if (flags.maxAmount !== undefined) checkPlainDecimal(flags.maxAmount);
  if (flags.callbackUrl !== undefined) checkCallbackUrl(flags.callbackUrl);
  const { to = '', email = to } = flags;
  checkGiven({ '--to': flags.to, '--email': emailOf(flags) });
  return async (context) => {
    const { partnerOrder } = await import('../partner-ordering.ts');
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
  throw new ScripError('USAGE', `${flagOf(stray)} is for the partner API`, {
    hint: 'Add --via partner.',
  });
}

/** Whoever buys for an e-mail address is taken to be reached there, unless another one is named. */
function emailOf({ email, to }: OrderFlags): string | undefined {
  return email ?? (to?.includes('@') === true ? to : undefined);
}

/** @throws {ScripError} INPUT_INVALID for one that is blank; USAGE naming every one that is missing */
function checkGiven(flags: Readonly<Record<string, string | undefined>>): void {
  const empty = Object.keys(flags).find((flag) => flags[flag]?.trim() === '');
  if (empty !== undefined) throw new ScripError('INPUT_INVALID', `${empty} is empty`);
  const missing = Object.keys(flags).filter((flag) => flags[flag] === undefined);
  if (missing.length === 0) return;
  const plural = missing.length === 1 ? '' : 's';
  throw new ScripError('USAGE', `required option${plural} not given: ${missing.join(', ')}`, {
    hint: 'scrip order --help has examples; scrip wizard asks for everything.',
  });
}

function readOptions(productId: string, flags: OrderFlags): Omit<OrderOptions, keyof OrderCaller> {
  checkSurface(flags);
  const { to = '', email = to, country = '', brand = '', value, maxAmount } = flags;
  checkGiven({
    '--country': flags.country,
    '--brand': flags.brand,
    '--to': flags.to,
    '--email': emailOf(flags),
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
    note: flags.note === undefined ? undefined : checkNote(flags.note),
  };
}

async function run(context: Context, options: OrderOptions): Promise<View> {
  if (!options.isDryRun) {
    checkAgreement(context, options);
    await checkCheckoutHost(context, options.key !== undefined);
  }
  context.progress.step('Asking for the price');
  const askedMs = context.clock.now();
  const offer = await preview(context, options.wish);
  const patience = patienceAfter(options.patience, context.clock.now() - askedMs);
  context.progress.done();
  if (options.isDryRun) return rehearse(context, offer, requestFor(offer, options));
  const begun = watchResumption(context);
  const tools = { ...(await purchaseTools(context, patience)), resuming: begun.say };
  const request = await agree(context, tools, {
    offer,
    request: requestFor(offer, options),
    isAgreed: options.isAgreed,
    isShown: options.isShown,
    isAnswered: options.isAnswered,
    resuming: begun.say,
  });
  const { lookAfterOthers } = await import('../looking-after.ts');
  await lookAfterOthers(context, tools, { body: request.body, key: options.key });
  const { purchase } = await import('../../client/purchase.ts');
  const outcome = await purchase(tools, request);
  const error = outcomeError(outcome);
  if (error !== undefined && !HAS_RECEIPT.has(outcome.kind)) throw error;
  const isWanted = outcome.kind === 'pending' && options.isUnawaited;
  const isBought = isAlreadyBought(outcome);
  if (isBought) begun.sayAlreadyBought(outcome.intent);
  const more = { resumed: begun.isSaid(), already_bought: isBought };
  const view = receiptView(receiptOf(outcome), isWanted ? undefined : error, more);
  return forOutput(context, view, options);
}

/** What is known to be bought has a receipt, however it went on; the rest is an error alone. */
const HAS_RECEIPT: ReadonlySet<string> = new Set(['delivered', 'pending', 'failed']);

/** @throws {ScripError} TERMINAL_REQUIRED naming the flags, before anything is asked of anybody */
function checkAgreement(context: Context, { isAgreed, wish }: OrderOptions): void {
  if (context.settings.mayPrompt) return;
  const missing = [
    ...(isAgreed ? [] : ['--yes']),
    ...(wish.maxAmount === undefined ? ['--max-amount'] : []),
  ];
  if (missing.length > 0) throw unasked(context, missing);
}

/** What would happen: the price, the limit, and whether the wallet holds enough. */
async function rehearse(context: Context, offer: Preview, request: PurchaseRequest): Promise<View> {
  const { address } = await context.signer();
  const rail = await context.rail();
  const usdc = (await rail.balances(address)).usdcAtomic ?? atomic(0n);
  if (usdc < offer.priceAtomic) {
    throw new ScripError(
      'FUNDS_TOO_LOW',
      `the wallet ${address} holds ${formatUsdc(usdc)} USDC, and the price is ${formatUsdc(offer.priceAtomic)}`,
      { details: { balance: formatUsdc(usdc), price: formatUsdc(offer.priceAtomic), address } },
    );
  }
  const room = await roomFor(context, request);
  return {
    kind: 'record',
    record: {
      dry_run: true,
      product_id: offer.quote.product_id,
      brand_name: offer.quote.brand_name,
      face_value: String(offer.quote.face_value ?? ''),
      currency: offer.quote.currency,
      beneficiary: offer.beneficiary,
      email: offer.email,
      price_usdc: formatUsdc(offer.priceAtomic),
      max_amount_usdc: formatUsdc(offer.capAtomic),
      quote_expires_at: offer.quote.quote_expires_at,
      network: rail.network,
      payer: address,
      balance_usdc: formatUsdc(usdc),
      policy_left_usdc: formatUsdc(room.leftAtomic),
    } satisfies Rehearsal,
    title: 'Nothing was sent; this is what would be bought',
    lines: [
      ...summaryLines(context, offer),
      ['Wallet', address],
      ['Balance', `${formatUsdc(usdc)} USDC`],
      ['Left', headroomText(room)],
    ],
  };
}

function requestFor(
  offer: Preview,
  { key, wish, allowsDuplicate, note, callbackUrl }: OrderOptions,
): PurchaseRequest {
  const { quote, beneficiary, kind } = offer;
  return {
    key,
    allowsDuplicate,
    note,
    ...(kind === undefined ? {} : { kinds: [kind] }),
    body: {
      ...requestBody(offer, wish.productId),
      ...(callbackUrl === undefined ? {} : { callback_url: callbackUrl }),
    },
    quotedAtomic: offer.priceAtomic,
    capAtomic: offer.capAtomic,
    summary: {
      productId: wish.productId,
      productName: quote.product_name ?? quote.brand_name,
      brandName: quote.brand_name,
      countryCode: offer.countryCode,
      faceValue: String(quote.face_value ?? ''),
      currency: quote.currency,
      beneficiary,
    },
  };
}
