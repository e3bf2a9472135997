/** Checks the money for a cart, shows what it buys and leaves out, and asks for confirmation. */

import { type PricedQuote, quoteLineOf } from '../../api/checkout/checkout-quote.ts';
import type { Merchant, Price } from '../../api/merchant.ts';
import { intentionOf } from '../../api/order-checks.ts';
import { checkHeld, heldOf } from '../../api/payment/funds.ts';
import { forecastAll } from '../../api/payment/measure.ts';
import type { Headroom } from '../../api/payment/spending.ts';
import type { WireOrderRequest } from '../../contract/checkout.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { joined, type Message, t } from '../../domain/message/message.ts';
import { atomic } from '../../domain/money/money.ts';
import { dayLimit } from '../../domain/policy/policy.ts';
import { formatUsdc, itemsCounted, linesCounted, ordersCounted } from '../amount.ts';
import type { With } from '../context.ts';
import { agreeOn, isSummaryTold } from '../ordering/consent.ts';
import {
  type Agreed,
  drawLines,
  drawSummary,
  lineText,
  merchantText,
  moneyLines,
} from '../ordering/summary.ts';
import { heightOf } from '../output/paging.ts';
import { given, type Line } from '../output/view.ts';
import { sentenceText } from '../output/wrap.ts';
import type { CartRow } from './checking.ts';
import { type PlannedOrder, sum } from './planning.ts';
import type { LineResult } from './results.ts';

/**
 * Returns the wallet's balance and limits; undefined if nothing is left to pay.
 * @throws {ScripError} FUNDS_TOO_LOW, the policy's refusals
 */
export async function checkMoney(
  { parts: { clock } }: With<'parts'>,
  merchant: Merchant<WireOrderRequest>,
  orders: readonly PlannedOrder[],
): Promise<CartMeans | undefined> {
  const open = orders.flatMap(({ isHeld, offer }) => (isHeld ? [] : offer));
  if (open.length === 0) return undefined;
  const paying = await merchant.paying();
  const { policy, isPlayMoney } = paying.spending;
  const leftAtomic = await forecastAll(
    { ...paying, clock },
    open.map((offer) => intentionOf(merchant.host, offer, offer.price)),
  );
  const price = totalOf(open);
  const heldAtomic = await heldOf(paying, 'USDC');
  checkHeld(paying, heldAtomic, { ...price, coin: 'USDC' });
  // Half of what is still allowed today, or more, counts as large.
  const room = {
    leftAtomic,
    perDayAtomic: dayLimit(policy),
    isLarge: price.capAtomic * 2n >= leftAtomic,
  };
  return { heldAtomic, isPlayMoney, room };
}

function totalOf(offers: readonly PricedQuote[]): Price {
  const total = sum(offers.map(({ price }) => price.atomic));
  const capAtomic = sum(offers.map(({ price }) => price.capAtomic));
  return { atomic: total, capAtomic, decimals: USDC_DECIMALS, text: formatUsdc(total) };
}

/** The balance of the wallet that pays a cart, and what the policy still allows today. */
type CartMeans = Required<Pick<Agreed, 'heldAtomic' | 'isPlayMoney'>> & {
  readonly room: Headroom;
};

/** Shows the summary and asks once. @throws {ScripError} DECLINED */
export async function agreeOnCart(
  context: With<'settings' | 'io'>,
  cart: CartShown,
  { isAgreed, means }: { readonly isAgreed: boolean; readonly means: CartMeans },
): Promise<void> {
  const open = cart.orders.filter(({ isHeld }) => !isHeld);
  const offers = open.map(({ offer }) => offer);
  const count = itemsCounted(open.reduce((total, { items }) => total + items.length, 0));
  if (isSummaryTold(context, isAgreed)) {
    const title = t`${count} in ${ordersCounted(open.length)}`;
    await tellCart(context, { ...cart, title, rest: restOf(context, offers, means) });
  }
  if (isAgreed) return;
  const amountText = formatUsdc(totalOf(offers).capAtomic);
  const question = t`Pay up to ${amountText} USDC for ${count}?`;
  const { isLarge } = means.room;
  await agreeOn(
    context,
    { question, amountText, isLarge },
    { message: t`You declined; nothing was charged` },
  );
}

/** Whom the codes reach, and the money, for all open orders together. */
function restOf(
  { settings }: With<'settings'>,
  offers: readonly PricedQuote[],
  means: CartMeans,
): readonly Line[] {
  const [first] = offers;
  return [
    ...given(t`E-mail`, first?.email),
    ...given(t`Merchant`, settings.isEmbedded ? '' : merchantText(settings.checkoutUrl)),
    ...moneyLines({
      offer: { coin: 'USDC', network: first?.network ?? '' },
      ...{ price: totalOf(offers), ...means, isPaid: true },
    }),
  ];
}

/** Maximum number of lines shown. */
const MOST_TOLD = 20;
/** Rows of a low terminal for the summary, the question, and the sentences around the lines. */
const AROUND = 14;

/**
 * Shows the lines left out, each with its product and the reason, before any question about money.
 * @param lines left out because of --skip-invalid
 * @param cart the name of its file, and the command that lists all lines
 * @returns what that leaves to the summary
 */
export async function tellLeftOut(
  { io: { stderr, localize } }: With<'io'>,
  lines: readonly LineResult[],
  { file, whole }: { readonly file: Message; readonly whole: Message | undefined },
): Promise<Pick<CartShown, 'above' | 'whole'>> {
  if (lines.length === 0) return { above: 0, whole };
  const head = t`Left out (--skip-invalid): ${linesCounted(lines.length)} of ${file}`;
  let isCut = false;
  const drawn = await drawFitting(stderr, AROUND, lines.length, (count) => {
    isCut = count < lines.length;
    const some = lines.slice(0, count).map(leftOutLine);
    return drawLines([...some, ...moreLines(lines.length - count, whole)], { stderr, localize });
  });
  const text = `\n${sentenceText(localize(head), stderr)}${drawn}`;
  stderr.write(text);
  return { above: heightOf(text, stderr.columns), whole: isCut ? undefined : whole };
}

/** Draws as many lines as a low terminal has room for beside `around` rows of others. */
async function drawFitting(
  { columns, rows }: Pick<With<'io'>['io']['stderr'], 'columns' | 'rows'>,
  around: number,
  most: number,
  draw: (count: number) => Promise<string>,
): Promise<string> {
  let count = Math.min(MOST_TOLD, most);
  let drawn = await draw(count);
  while (count > 1 && heightOf(drawn, columns) > rows - around) {
    count -= 1;
    drawn = await draw(count);
  }
  return drawn;
}

function moreLines(rest: number, whole: Message | undefined): readonly Line[] {
  if (rest === 0) return [];
  return [[t`More`, whole === undefined ? t`and ${rest} more` : t`and ${rest} more: ${whole}`]];
}

function leftOutLine({ row: { number, brand, saidValue = '' }, errors }: LineResult): Line {
  const what = `${brand} ${saidValue}`.trim();
  const why = joined(
    errors.map(({ sentence }) => sentence),
    '; ',
  );
  return [t`Line ${number}`, what === '' ? why : t`${what}: ${why}`];
}

/** Rows of a terminal for the question and its keys. */
const ASKED = 3;

interface CartShown {
  /** What the file asks for, and the orders that buy it now or did before. */
  readonly rows: readonly CartRow[];
  readonly orders: readonly PlannedOrder[];
  /** Rows of the screen that are taken already. */
  readonly above: number;
  /** The command that lists all lines; undefined if it was named above. */
  readonly whole: Message | undefined;
}

/** Shows each line with its product, recipient and price, and which were bought before. */
async function tellCart(
  { io }: With<'io'>,
  {
    title,
    rest,
    rows,
    orders,
    above,
    whole,
  }: CartShown & { readonly title: Message; readonly rest: readonly Line[] },
): Promise<void> {
  const open = new Set(orders.flatMap(({ isHeld, items }) => (isHeld ? [] : items)));
  const held = new Set(orders.flatMap(({ isHeld, items }) => (isHeld ? items : [])));
  const countOf = ({ ids }: CartRow): number => ids.filter((id) => open.has(id)).length;
  const goods = rows.flatMap((row) => goodsLine(row, countOf(row)));
  const before = rows.filter((row) => countOf(row) === 0 && row.ids.some((id) => held.has(id)));
  const others = [...beforeLines(before.map(({ number }) => number)), ...rest];
  const drawn = await drawFitting(io.stderr, above + ASKED, goods.length, (count) => {
    const lines = [...goods.slice(0, count), ...moreLines(goods.length - count, whole), ...others];
    return drawSummary({ title, lines }, io);
  });
  io.stderr.write(drawn);
}

/** What is paid for one line of the file: its items that no earlier run bought. */
function goodsLine({ number, offer }: CartRow, count: number): readonly Line[] {
  if (offer === undefined || count === 0) return [];
  const price = formatUsdc(atomic(offer.goods.priceAtomic * BigInt(count)));
  const line = { ...quoteLineOf(offer), quantity: count };
  return [[t`Line ${number}`, t`${lineText(line)}: ${price} USDC`]];
}

/** Numbers of lines named at most. */
const MOST_NUMBERS = 12;

function beforeLines(known: readonly number[]): readonly Line[] {
  if (known.length === 0) return [];
  const isNamed = known.length > 1 && known.length <= MOST_NUMBERS;
  const told = isNamed ? t`lines ${known.join(', ')}` : linesCounted(known.length);
  return [[t`Bought before`, known.length === 1 ? t`line ${known.join('')}` : told]];
}
