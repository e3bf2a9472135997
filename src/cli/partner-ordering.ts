/** `scrip order` by the partner API: checked, agreed on, made once, and paid from the local wallet if asked. */

import type { PartnerOrderRequest } from '../client/partner-order.ts';
import type { WireCreateOrder, WirePartnerOrder } from '../contract/partner-orders.ts';
import { checkEmail } from '../domain/beneficiary.ts';
import { ScripError } from '../domain/errors.ts';
import { type Atomic, atomic, formatDecimal, parseDecimal, scaleUp } from '../domain/money.ts';
import { unasked } from './agreement.ts';
import type { Context } from './context.ts';
import { escapeText } from './output/escape.ts';
import type { RecordView, View } from './output/view.ts';
import { type MeansFlags, partnerHost } from './partner.ts';
import { readItems } from './partner-cart.ts';
import { type Checked, checkedView, checkOrder } from './partner-checking.ts';
import {
  makingTools,
  openPartnerBooks,
  type PartnerBooks,
  payingTools,
} from './partner-purchasing.ts';
import { isWaiting, partnerOrderView } from './partner-view.ts';
import { problemsError } from './problem.ts';

export interface PartnerOrderFlags extends MeansFlags {
  readonly country?: string;
  readonly brand?: string;
  readonly to: string;
  readonly email: string;
  readonly value?: string;
  readonly quantity?: string;
  readonly coupon?: string;
  readonly refundWallet?: string;
  readonly pay?: boolean;
  readonly yes?: boolean;
  readonly openAccount?: boolean;
  readonly maxAmount?: string;
  readonly wait: boolean;
  readonly idempotencyKey?: string;
  readonly dryRun?: boolean;
  /** What is ordered was shown already: it is not told again. */
  readonly isShown?: boolean;
}

/** The price may move this much between validation and creation (reliability 4.5). */
const CAP_BPS = 10_050n;
const WHOLE_BPS = 10_000n;
/** Decimals of a coin that this wallet cannot send; nothing is signed for by them. */
const OTHER_DECIMALS = 9;

/** @throws {ScripError} TERMINAL_REQUIRED, DECLINED, and whatever speaks against making or paying it */
export async function partnerOrder(
  context: Context,
  productId: string,
  options: PartnerOrderFlags & { readonly waitMs: number },
): Promise<View> {
  const isDryRun = options.dryRun ?? false;
  if (!isDryRun) checkAgreement(context, options);
  const books = await openPartnerBooks(context);
  const checked = await check(context, productId, { options, books });
  if (isDryRun)
    return { ...checkedView(checked), title: 'Nothing was sent; this is what would be ordered' };
  // D0: with problems no order is made.
  const problem = problemsError(checked.problems);
  if (problem !== undefined) throw problem;
  const offer = await priceOf(context, checked, options);
  // A key that does not open is found out before there is an order to pay.
  if (options.pay === true && books.signer !== undefined) await context.vault(books.signer);
  if (options.pay === true) await checkPayable(context, offer);
  await agree(context, { checked, offer, options });
  const order = await make(context, { checked, offer, options, books });
  if (options.pay !== true || !isWaiting(order)) return partnerOrderView(order);
  return payNow(context, order, { offer, options });
}

/** @throws {ScripError} TERMINAL_REQUIRED naming the flags, before anything is asked of anybody */
function checkAgreement(context: Context, { yes, pay, maxAmount }: PartnerOrderFlags): void {
  if (context.settings.mayPrompt) return;
  const missing = [
    ...(yes === true ? [] : ['--yes']),
    ...(pay === true && maxAmount === undefined ? ['--max-amount'] : []),
  ];
  if (missing.length > 0) throw unasked(context, missing);
}

async function check(
  context: Context,
  productId: string,
  { options, books }: { readonly options: PartnerOrderFlags; readonly books: PartnerBooks },
): Promise<Checked> {
  const email = checkEmail(options.email);
  const items = await readItems(context, productId, options);
  context.progress.step('Checking the order');
  const checked = await checkOrder(context, { ...options, items, email });
  context.progress.done();
  // Money comes back to the wallet that pays; other chains need an address of their own.
  const own = checked.means.network === 'Solana' ? books.signer?.address : undefined;
  const refundAddress = options.refundWallet ?? own;
  if (refundAddress === undefined) return checked;
  return { ...checked, request: { ...checked.request, refund_wallet_address: refundAddress } };
}

interface Offer {
  /** As the merchant says it, in the coin. */
  readonly price: string;
  readonly priceAtomic: Atomic;
  readonly capAtomic: Atomic;
  readonly decimals: number;
  /** The local wallet can send the coin. */
  readonly isSendable: boolean;
  readonly coin: string;
  readonly network: string;
}

/** @throws {ScripError} AMOUNT_OVER_CAP when the price is above what the user allows */
async function priceOf(
  context: Context,
  { validation, means }: Checked,
  { maxAmount }: PartnerOrderFlags,
): Promise<Offer> {
  const price = validation?.coin_amount ?? '';
  const asset = (await context.rail()).direct?.asset(means);
  const decimals = asset?.decimals ?? OTHER_DECIMALS;
  const priceAtomic = readPrice(price, decimals);
  const capAtomic =
    maxAmount === undefined ? usualCap(priceAtomic) : parseDecimal(maxAmount, decimals);
  if (priceAtomic > capAtomic) {
    throw new ScripError(
      'AMOUNT_OVER_CAP',
      `the price is ${price} ${means.coin}, more than the ${maxAmount ?? ''} allowed`,
    );
  }
  const { coin, network } = means;
  return {
    price,
    priceAtomic,
    capAtomic,
    decimals,
    isSendable: asset !== undefined,
    coin,
    network,
  };
}

/** The most that is paid where no limit was named: the price, and what it may move. */
export function usualCap(priceAtomic: Atomic): Atomic {
  return scaleUp(priceAtomic, CAP_BPS, WHOLE_BPS);
}

function readPrice(text: string, decimals: number): Atomic {
  try {
    return parseDecimal(text, decimals);
  } catch (cause) {
    throw new ScripError('MERCHANT_REPLY_INVALID', `the price "${text}" is not an amount`, {
      cause,
    });
  }
}

/** An order that could not be paid is not made: orders left unpaid count against the partner. */
async function checkPayable(context: Context, offer: Offer): Promise<void> {
  const { coin, network, priceAtomic, decimals } = offer;
  if (!offer.isSendable) {
    throw new ScripError(
      'USAGE',
      `--pay cannot send ${coin} on ${network}: this wallet has USDC and SOL on Solana`,
      {
        hint: 'Leave --pay out; the order then shows address, payment URI and QR code.',
      },
    );
  }
  const { address } = await context.signer();
  const { lamports, usdcAtomic } = await (await context.rail()).balances(address);
  const held = coin === 'SOL' ? atomic(lamports) : (usdcAtomic ?? atomic(0n));
  if (held >= priceAtomic) return;
  const balance = formatDecimal(held, decimals);
  throw new ScripError(
    'FUNDS_TOO_LOW',
    `the wallet ${address} holds ${balance} ${coin}, and the price is ${offer.price}`,
    {
      details: { balance, price: offer.price, coin, address },
      hint: `Put ${coin} into the wallet; in the sandbox: scrip wallet fund`,
    },
  );
}

interface Agreed {
  readonly checked: Checked;
  readonly offer: Offer;
  readonly options: PartnerOrderFlags;
}

async function agree(context: Context, { checked, offer, options }: Agreed): Promise<void> {
  const { settings, stderr, prompter } = context;
  const isTold = settings.mayPrompt && !settings.isJson && options.isShown !== true;
  if (isTold) stderr.write(summaryText(checked, offer, options));
  if (options.yes === true) return;
  const most = formatDecimal(offer.capAtomic, offer.decimals);
  const question =
    options.pay === true
      ? `Make this order and pay up to ${most} ${offer.coin}?`
      : `Make this order, to be paid with ${offer.price} ${offer.coin}?`;
  if (await prompter.confirm(question)) return;
  throw new ScripError('DECLINED', 'you declined; no order was made');
}

function summaryText(
  { lines, request }: Checked,
  offer: Offer,
  { email }: PartnerOrderFlags,
): string {
  return [
    ...lines.map(({ brand, product, value, quantity, to }) => [
      'Product',
      `${quantity} x ${brand.brand} ${value ?? product.denomination ?? ''} to ${to}`,
    ]),
    ['E-mail', email],
    ['Price', `${offer.price} ${offer.coin} on ${offer.network}`],
    ['Refunds to', request.refund_wallet_address ?? 'nowhere: name a wallet with --refund-wallet'],
  ]
    .map(([label = '', value = '']) => `${label.padEnd(11)} ${escapeText(value)}\n`)
    .join('');
}

/** Makes the order; one of the same request that ended meanwhile gives way to a new one. */
async function make(
  context: Context,
  { checked, offer, options, books }: Agreed & { readonly books: PartnerBooks },
): Promise<WirePartnerOrder> {
  const { giveUpOrder, makeOrder } = await import('../client/partner-order.ts');
  const host = partnerHost(context, checked.lines[0]?.countryCode);
  const tools = makingTools(context, host, books);
  const request = requestFor(checked, offer, options);
  context.progress.step('Making the order');
  const made = await makeOrder(tools, request);
  if (made.isNew) return made.order;
  const { callPartner } = await import('../client/partner.ts');
  const { getOrderStatus } = await import('../contract/partner-orders.ts');
  const fresh = await callPartner(host, getOrderStatus, { order_id: made.order.order_id });
  const isOver = ['Expired', 'Canceled', 'PaymentSetupFailed', 'Refunded'].includes(
    fresh.order_state,
  );
  if (!isOver || options.idempotencyKey !== undefined) return fresh;
  await giveUpOrder(tools.journal, made.entry, fresh.order_state);
  return (await makeOrder(tools, request)).order;
}

function requestFor(
  { request, lines }: Checked,
  offer: Offer,
  { idempotencyKey, email }: PartnerOrderFlags,
): PartnerOrderRequest {
  const [first] = lines;
  const body: Omit<WireCreateOrder, 'acquisition'> = { ...request, user: { email } };
  return {
    key: idempotencyKey,
    body,
    quotedAtomic: offer.priceAtomic,
    capAtomic: offer.capAtomic,
    decimals: offer.decimals,
    summary: {
      productId: first?.productId ?? '',
      productName:
        `${first?.brand.brand ?? ''} ${first?.value ?? first?.product.denomination ?? ''}`.trim(),
      brandName: first?.brand.brand ?? '',
      countryCode: first?.countryCode ?? '',
      faceValue: first?.value ?? first?.product.denomination ?? '',
      currency: first?.product.face_value?.currency_code ?? first?.product.range?.currency ?? '',
      beneficiary: first?.to ?? '',
    },
  };
}

/** The price was agreed on before the order was made; above that, nothing is signed. */
async function payNow(
  context: Context,
  order: WirePartnerOrder,
  {
    offer,
    options,
  }: Pick<Agreed, 'offer'> & { readonly options: PartnerOrderFlags & { readonly waitMs: number } },
): Promise<RecordView> {
  const { agreement, pay } = await import('./partner-paying.ts');
  const consent = {
    isAgreed: true,
    maxAmount: formatDecimal(offer.capAtomic, offer.decimals),
    opensAccount: options.openAccount ?? false,
  };
  const paid = await pay(await payingTools(context, Math.max(options.waitMs, LEAST_SEEN_MS)), {
    orderId: order.order_id,
    agree: agreement(context, consent),
  });
  if (!options.wait) return partnerOrderView(paid.order);
  const { followedView } = await import('./partner-following.ts');
  const { waitMs: timeoutMs } = options;
  return followedView(context, {
    orderId: order.order_id,
    mode: 'auto',
    timeoutMs,
    isWritten: false,
  });
}

/** Also without waiting for the goods, the merchant is given this long to see the payment. */
const LEAST_SEEN_MS = 30_000;
