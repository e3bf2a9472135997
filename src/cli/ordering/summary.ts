/** The summary of an order, shown above the confirmation question. */

import { NOTHING_SAID, type ProductDetails } from '../../api/catalog-reader.ts';
import type { Price, QuoteLine } from '../../api/merchant.ts';
import { countryName } from '../../api/nearest-country.ts';
import type { Agreement } from '../../api/order.ts';
import { NO_REFUND_ADDRESS, type PaymentQuote } from '../../api/partner/pay-terms.ts';
import type { Headroom } from '../../api/payment/spending.ts';
import { isEmbeddedUrl } from '../../domain/address/loopback.ts';
import { escapeText, joined, type Message, type Said, t } from '../../domain/message/message.ts';
import { networkName } from '../../domain/money/coins.ts';
import { type Atomic, atomic, formatDecimal } from '../../domain/money/money.ts';
import { heldText, priceText } from '../../domain/money/shown-amount.ts';
import { isOwnNetwork } from '../../domain/payment/payment-means.ts';
import { dayLimit, PLAY_MONEY, usdcText } from '../../domain/policy/policy.ts';
import { detailLines, redeemText } from '../browsing/product-details.ts';
import type { Io } from '../context.ts';
import { localSaid } from '../i18n/localize.ts';
import { titleOf } from '../orders/partner-order.ts';
import { clockTime, type TimeReader } from '../output/instant.ts';
import { localLines } from '../output/local-view.ts';
import { heightOf } from '../output/paging.ts';
import { paintFor } from '../output/paint.ts';
import { drawnLines } from '../output/record-text.ts';
import { given, type Line } from '../output/view.ts';
import { fitWords, textWidth, wrapWords } from '../output/wrap.ts';

/** The order to confirm, as the terminal, the wizard and agents show it. */
export interface Summary {
  /** Such as `Amazon.com gift card · 25 USD · United States`. */
  readonly title: Message;
  readonly lines: readonly Line[];
}

export type Agreed = Omit<Agreement, 'price' | 'merchant' | 'repeated' | 'isPaidAlready'> & {
  readonly merchant: Pick<Agreement['merchant'], 'url' | 'takes'>;
  /** Undefined if a problem prevents a price. */
  readonly price: Price | undefined;
};

/** @param details the merchant's details of a single product, if available */
export function summaryOf(
  agreed: Agreed,
  lang: string,
  details: ProductDetails = NOTHING_SAID,
): Summary {
  const { offer, merchant } = agreed;
  const { lines, email } = offer;
  const isOthers = lines.some(({ recipient }) => recipient.account !== email);
  return {
    title: productTitle(offer, lang),
    lines: [
      ...lines.map(
        (line) => [t`For`, lines.length > 1 ? lineText(line) : sentTo(line, offer)] as const,
      ),
      ...given(t`E-mail`, isOthers ? email : ''),
      ...given(REDEEM, redeemText(details, lang)),
      ...given(t`Merchant`, isEmbeddedUrl(merchant.url) ? '' : merchantText(merchant.url)),
      ...moneyLines(agreed),
      ...refundLines(agreed),
    ],
  };
}

/** Product, face value and country; for a cart, the number of products. */
function productTitle({ lines, kinds = [], summary }: Agreed['offer'], lang: string): Message {
  const [only, ...others] = lines;
  const country =
    summary.countryCode === '' ? '' : countryName({ code: summary.countryCode }, lang);
  if (only === undefined || others.length > 0) return t`${lines.length} products`;
  const { faceValue, quantity } = only;
  const bare =
    faceValue === '' || !only.name.endsWith(faceValue)
      ? only.name
      : only.name.slice(0, -faceValue.length).replace(/[\s,]+$/, '');
  const name = bare === '' ? only.name : bare;
  const isKindNamed = /gift|card|e-?sim|top-?up/i.test(name);
  const called = (isKindNamed ? undefined : OF_KIND.get(kinds[0] ?? ''))?.(name) ?? t`${name}`;
  // The name of an eSIM plan says what it contains; its face value is just another price.
  const value = kinds[0] === 'esim' ? '' : faceValue;
  const parts = [quantity > 1 ? t`${quantity} x ${called}` : called, value, country];
  return joined(
    parts.filter((part) => String(part) !== ''),
    ' · ',
  );
}

const REDEEM = t`Redeem`;

/** A product's name with its kind. */
const OF_KIND: ReadonlyMap<string, (name: string) => Message> = new Map([
  ['giftcard', (name) => t`${name} gift card`],
  ['mobile_topup', (name) => t`${name} mobile top-up`],
  ['esim', (name) => t`${name} eSIM`],
]);

/** The recipient, and how the product is delivered. */
function sentTo({ recipient }: QuoteLine, { kinds = [] }: Agreed['offer']): Said {
  if (kinds[0] === 'mobile_topup') return t`${recipient.text}, credited to this number`;
  if (kinds[0] === 'esim') return t`${recipient.text}; the QR code is shown here`;
  return recipient.text;
}

/** What will be paid, at most how much, and what remains in the wallet. */
export function moneyLines({
  offer: { coin, network },
  price,
  heldAtomic,
  room,
  isPaid,
  isPlayMoney,
}: Pick<Agreed, 'price' | 'heldAtomic' | 'room' | 'isPaid' | 'isPlayMoney'> & {
  readonly offer: Pick<Agreed['offer'], 'coin' | 'network'>;
}): readonly Line[] {
  if (price === undefined) return [[t`Pay`, t`unknown`]];
  const { decimals } = price;
  const amount = `${priceText(formatDecimal(price.atomic, decimals, 2), coin)} ${coin}`;
  const paid = isPlayMoney ? t`${amount} of test money` : t`${amount}`;
  if (!isPaid && isPlayMoney && !isOwnNetwork(network)) {
    return [[t`Pay`, t`${paid}; the sandbox simulates the payment`]];
  }
  if (!isPaid) return [[t`Pay`, t`${paid} on ${networkName(coin, network)}, from another wallet`]];
  const most = formatDecimal(price.capAtomic, decimals, 2);
  return [
    [t`Pay`, price.capAtomic === price.atomic ? paid : t`${paid}, at most ${most}`],
    ...(heldAtomic === undefined ? [] : [walletLine(heldAtomic, price, coin)]),
    ...limitLines({ room, isPlayMoney }),
  ];
}

/** What the policy leaves of the day; the sandbox's own limit only if a large part of it is spent. */
export function limitLines({
  room,
  isPlayMoney,
}: Pick<Agreed, 'room' | 'isPlayMoney'>): readonly Line[] {
  const isOwn = !isPlayMoney || room?.perDayAtomic !== dayLimit(PLAY_MONEY);
  if (room === undefined || !(isOwn || room.isLarge)) return [];
  return [[t`Left`, headroomText(room)]];
}

function walletLine(heldAtomic: Atomic, { atomic: due, decimals }: Price, coin: string): Line {
  const told = (amount: bigint): string =>
    heldText(formatDecimal(atomic(amount), decimals, 2), coin);
  const after = heldAtomic < due ? '' : ` → ${told(heldAtomic - due)}`;
  return [t`Wallet`, `${told(heldAtomic)}${after} ${coin}`];
}

function refundLines({ offer, merchant, isPaid, isPlayMoney }: Agreed): readonly Line[] {
  // Refunds normally go to the paying wallet, which needs no line.
  if (isPlayMoney || (isPaid && offer.refundsTo !== undefined)) return [];
  return given(t`Refunds to`, refundText(merchant, offer.refundsTo));
}

/** Where refunds go; undefined for a merchant that takes no address. */
export function refundText(
  { takes }: Pick<Agreed['merchant'], 'takes'>,
  refundsTo: string | undefined,
): Said | undefined {
  if (!takes.has('refundAddress')) return undefined;
  return refundsTo ?? t`nowhere: name a wallet with --refund-wallet`;
}

/**
 * More details, for the answer `?`; the price comes last, since the summary may have left a low screen.
 * @param details undefined if they are not available
 */
export function moreLines(
  agreed: Agreed,
  reader: TimeReader,
  details: ProductDetails | undefined,
): readonly Line[] {
  const { offer, merchant, room, isPlayMoney } = agreed;
  const { summary, email, coin, network, expiresAt, refundsTo } = offer;
  return [
    ...given(t`Product id`, summary.productId),
    ...given(t`E-mail`, email),
    [t`Merchant`, merchantText(merchant.url)],
    [t`Network`, networkText(networkName(coin, network), isPlayMoney)],
    ...given(t`Price until`, expiresAt && clockTime(expiresAt, reader)),
    ...given(t`Refunds to`, refundText(merchant, refundsTo)),
    ...limitLines({ room, isPlayMoney }),
    ...(details === undefined ? [] : detailLines(details, reader.lang)),
    ...moneyLines(agreed).slice(0, 1),
  ];
}

/** Test money moves on no network but the sandbox's own. */
export function networkText(network: string, isPlayMoney: boolean): Said {
  return isPlayMoney && !isOwnNetwork(network) ? t`${network} (${t`simulated`})` : network;
}

/** The summary of an existing order's payment. */
export function paymentSummary(
  { order, network, payTo, refundsTo, amountAtomic, decimals, coin }: PaymentQuote,
  { url, ...means }: Pick<Agreed, 'heldAtomic' | 'room' | 'isPlayMoney'> & { readonly url: string },
): Summary {
  const text = formatDecimal(amountAtomic, decimals, 2);
  const price = { text, atomic: amountAtomic, capAtomic: amountAtomic, decimals };
  return {
    title: t`${titleOf(order) ?? t`Order`}`,
    lines: [
      [t`Order`, order.order_id],
      ...(order.deliveries ?? []).map(
        ({ deliverable }) => [t`For`, deliverable.beneficiary_account] as const,
      ),
      ...given(t`Merchant`, isEmbeddedUrl(url) ? '' : merchantText(url)),
      ...moneyLines({ offer: { coin, network }, price, isPaid: true, ...means }),
      [t`To`, t`${payTo} on ${network}`],
      [t`Refunds to`, refundsTo ?? NO_REFUND_ADDRESS],
    ],
  };
}

const INDENT = '  ';
/**
 * Draws the summary for any terminal width. On a low terminal the instructions are shortened until all of it
 * fits together with the question, which shows them whole on request.
 */
export async function drawSummary(
  { title, lines }: Summary,
  io: Pick<Io, 'stderr' | 'localize'>,
  question?: Message,
): Promise<string> {
  const { columns, rows } = io.stderr;
  // A line more for its keys and the answer.
  const asked = question === undefined ? 2 : heightOf(io.localize(question), columns) + 1;
  const { bold } = await paintFor(io.stderr);
  const top = wrapWords(escapeText(io.localize(title)), columns - INDENT.length);
  const head = `\n${top.map((part) => `${INDENT}${bold(part)}\n`).join('')}`;
  const drawn = async (some: readonly Line[]) => `${head}${await drawLines(some, io)}\n`;
  const fits = (text: string) => heightOf(text, columns) + 1 + asked <= rows;
  const at = lines.findIndex(([label]) => String(label) === String(REDEEM));
  const text = localSaid(lines[at]?.[1] ?? '', io.localize);
  let drawing = await drawn(lines);
  for (let kept = textWidth(text) - LESS; kept >= LEAST_TOLD && !fits(drawing); kept -= LESS) {
    drawing = await drawn(lines.with(at, [REDEEM, fitWords(text, kept)]));
  }
  return drawing;
}

/** How much of the instructions is cut at a time, and what always stays, in columns. */
const LESS = 8;
const LEAST_TOLD = 24;

/** Labels and values in columns; breaks no word and no number. */
export async function drawLines(
  lines: readonly Line[],
  { stderr, localize }: Pick<Io, 'stderr' | 'localize'>,
): Promise<string> {
  const paint = await paintFor(stderr);
  const room = { ...stderr, columns: stderr.columns - INDENT.length };
  const rows = drawnLines(localLines(lines, localize), { stdout: room, paint });
  return rows.replace(/^(?=.)/gm, INDENT);
}

/** The merchant's name for the user: the origin of its URL. */
export function merchantText(url: string): Said {
  return isEmbeddedUrl(url) ? t`the built-in sandbox` : new URL(url).origin;
}

/** Such as `2 x Amazon.com 25 USD → friend@example.com`. */
export function lineText({ quantity, name, recipient }: QuoteLine): string {
  return `${quantity} x ${name} → ${recipient.text}`;
}

/** What the policy still allows to spend. */
export function headroomText({ leftAtomic, perDayAtomic }: Headroom): Message {
  const left = heldText(usdcText(leftAtomic), 'USDC');
  return t`${left} of ${usdcText(perDayAtomic)} USDC in 24 hours`;
}
