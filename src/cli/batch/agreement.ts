/** Checks the money for a cart, shows what it buys and leaves out, and asks for confirmation. */

import type { PricedQuote } from '../../api/checkout/checkout-quote.ts';
import type { Merchant, QuoteLine } from '../../api/merchant.ts';
import { intentionOf } from '../../api/order-checks.ts';
import { forecastAll } from '../../api/payment/measure.ts';
import type { Headroom } from '../../api/payment/spending.ts';
import type { WireOrderRequest } from '../../contract/checkout.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { joined, type Message, t } from '../../domain/message/message.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import { dayLimit } from '../../domain/policy/policy.ts';
import { formatUsdc, itemsCounted, linesCounted, ordersCounted } from '../amount.ts';
import type { With } from '../context.ts';
import { agreeOn, checkConsent, isSummaryTold } from '../ordering/consent.ts';
import {
  type Agreed,
  drawLines,
  drawSummary,
  lineText,
  merchantText,
  moneyLines,
} from '../ordering/summary.ts';
import { heightOf } from '../output/paging.ts';
import type { Line } from '../output/view.ts';
import { sentenceText } from '../output/wrap.ts';
import { type PlannedOrder, type RowItem, sum } from './planning.ts';
import type { LineResult } from './results.ts';

/**
 * Checks the consent flags.
 * @throws {ScripError} TERMINAL_REQUIRED naming the missing ones, before any request or question
 */
export function checkAgreement(
  context: With<'settings' | 'io'>,
  {
    isAgreed,
    budgetAtomic,
  }: { readonly isAgreed: boolean; readonly budgetAtomic: Atomic | undefined },
): void {
  checkConsent(context, {
    isAgreed,
    limitFlag: budgetAtomic === undefined ? '--max-total' : undefined,
  });
}

/**
 * Returns the wallet's balance and limits; undefined if nothing is left to pay.
 * @throws {ScripError} FUNDS_TOO_LOW, the policy's refusals
 */
export async function checkMoney(
  { parts: { clock } }: With<'parts'>,
  merchant: Merchant<WireOrderRequest>,
  orders: readonly PlannedOrder[],
): Promise<CartMeans | undefined> {
  const open = openOffers(orders);
  if (open.length === 0) return undefined;
  const paying = await merchant.paying();
  const { policy, isPlayMoney } = paying.spending;
  const leftAtomic = await forecastAll(
    { ...paying, clock },
    open.map((offer) => intentionOf(merchant.host, offer, offer.price)),
  );
  const needed = sum(open.map(({ price }) => price.atomic));
  const { address } = paying.signer;
  const heldAtomic = (await paying.rail.balances(address)).usdcAtomic ?? atomic(0n);
  if (heldAtomic < needed) {
    const [balance, price] = [formatUsdc(heldAtomic), formatUsdc(needed)];
    throw new ScripError(
      'FUNDS_TOO_LOW',
      t`The wallet ${address} holds ${balance} USDC, and the cart costs ${price}; nothing was sent`,
      { details: { balance, price, address } },
    );
  }
  const capAtomic = sum(open.map(({ price }) => price.capAtomic));
  // Half of what is still allowed today, or more, counts as large.
  const room = {
    leftAtomic,
    perDayAtomic: dayLimit(policy),
    isLarge: capAtomic * 2n >= leftAtomic,
  };
  return { heldAtomic, isPlayMoney, room };
}

/** The balance of the wallet that pays a cart, and what the policy still allows today. */
type CartMeans = Required<Pick<Agreed, 'heldAtomic' | 'isPlayMoney'>> & {
  readonly room: Headroom;
};

function openOffers(orders: readonly PlannedOrder[]): readonly PricedQuote[] {
  return orders.flatMap(({ isHeld, offer }) => (isHeld ? [] : offer));
}

interface Terms {
  readonly isAgreed: boolean;
  readonly means: CartMeans;
  readonly above: Above;
}

/** What is bought, and the orders that buy it. */
interface Planned {
  readonly items: readonly RowItem[];
  readonly orders: readonly PlannedOrder[];
}

/** Shows the summary and asks once. @throws {ScripError} DECLINED */
export async function agreeOnCart(
  context: With<'settings' | 'io'>,
  { items, orders }: Planned,
  { isAgreed, means, above }: Terms,
): Promise<void> {
  const open = orders.filter(({ isHeld }) => !isHeld);
  if (isSummaryTold(context, isAgreed)) {
    await tellCart(context, {
      title: t`${itemsCounted(countItems(open))} in ${ordersCounted(open.length)}`,
      ...{ items, orders, above, rest: restOf(context, open, means) },
    });
  }
  const amountText = formatUsdc(sum(open.map(({ offer }) => offer.price.capAtomic)));
  await agreeOn(context, {
    isAgreed,
    question: t`Pay up to ${amountText} USDC for ${itemsCounted(countItems(open))}?`,
    amountText,
    isLarge: means.room.isLarge,
    declined: { message: t`You declined; nothing was charged` },
  });
}

/** Whom the codes reach, and the money, for all open orders together. */
function restOf(
  { settings }: With<'settings'>,
  open: readonly PlannedOrder[],
  means: CartMeans,
): readonly Line[] {
  const quotedAtomic = sum(open.map(({ offer }) => offer.price.atomic));
  const capAtomic = sum(open.map(({ offer }) => offer.price.capAtomic));
  const offers = open.map(({ offer }) => offer);
  const [first] = offers;
  const price = {
    ...{ atomic: quotedAtomic, capAtomic, decimals: USDC_DECIMALS },
    text: formatUsdc(quotedAtomic),
  };
  return [
    ...(first?.email === undefined ? [] : [[t`E-mail`, first.email] as const]),
    ...(settings.isEmbedded ? [] : [[t`Merchant`, merchantText(settings.checkoutUrl)] as const]),
    ...moneyLines({
      offer: { coin: 'USDC', network: first?.network ?? '' },
      ...{ price, ...means, isPaid: true },
    }),
  ];
}

function countItems(orders: readonly PlannedOrder[]): number {
  return orders.reduce((total, { items }) => total + items.length, 0);
}

/** Maximum number of lines shown. */
const MOST_TOLD = 20;
/** Rows of a low terminal for the summary, the question, and the sentences around the lines. */
const AROUND = 14;

interface LeftOut {
  /** Lines left out because of --skip-invalid. */
  readonly lines: readonly LineResult[];
  /** The name of the cart's file. */
  readonly file: Message;
  /** The command that lists all lines. */
  readonly whole: Message | undefined;
}

/** What the summary of a cart has to leave room for. */
interface Above {
  /** Rows of the screen that are taken already. */
  readonly rows: number;
  /** The command that lists all lines; undefined if it was named there. */
  readonly whole: Message | undefined;
}

/** Shows the lines left out, each with its product and the reason, before any question about money. */
export async function tellLeftOut(
  { io: { stderr, localize } }: With<'io'>,
  { lines, file, whole }: LeftOut,
): Promise<Above> {
  if (lines.length === 0) return { rows: 0, whole };
  const head = t`Left out (--skip-invalid): ${linesCounted(lines.length)} of ${file}`;
  let isCut = false;
  const drawn = await drawFitting(stderr, AROUND, lines.length, (count) => {
    isCut = count < lines.length;
    const some = lines.slice(0, count).map(leftOutLine);
    return drawLines([...some, ...moreLines(lines.length - count, whole)], { stderr, localize });
  });
  const text = `\n${sentenceText(localize(head), stderr)}${drawn}`;
  stderr.write(text);
  return { rows: heightOf(text, stderr.columns), whole: isCut ? undefined : whole };
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

function leftOutLine({ number, row, error, others }: LineResult): Line {
  const what = [row?.brand, row?.saidValue].filter((part) => part !== undefined).join(' ');
  const why = joined(
    [error, ...others].flatMap((one) => one?.sentence ?? []),
    '; ',
  );
  return [t`Line ${number}`, what === '' ? why : t`${what}: ${why}`];
}

/** Rows of a terminal for the question and its keys. */
const ASKED = 3;

interface Told {
  readonly title: Message;
  /** What the file asks for, and the orders that buy it now or did before. */
  readonly items: readonly RowItem[];
  readonly orders: readonly PlannedOrder[];
  /** Lines that follow the products. */
  readonly rest: readonly Line[];
  readonly above: Above;
}

/** Shows each line with its product, recipient and price, and which were bought before. */
async function tellCart(
  { io }: With<'io'>,
  { title, items, orders, rest, above: { rows, whole } }: Told,
): Promise<void> {
  const bought = openLines(items, orders);
  const goods = [...bought.values()].map(goodsLine);
  const held = new Set(orders.flatMap(({ isHeld, items: ids }) => (isHeld ? ids : [])));
  const before = items.filter(({ id }) => held.has(id)).map(({ row }) => row.number);
  const others = [...beforeLines(before.filter((number) => !bought.has(number))), ...rest];
  const drawn = await drawFitting(io.stderr, rows + ASKED, goods.length, (count) => {
    const lines = [...goods.slice(0, count), ...moreLines(goods.length - count, whole), ...others];
    return drawSummary({ title, lines }, io);
  });
  io.stderr.write(drawn);
}

/** What is paid for one line of the file: its items that no earlier run bought. */
interface OpenLine {
  readonly number: number;
  readonly line: QuoteLine;
  readonly atomic: Atomic;
}

/** By line number, in the order of the file. */
function openLines(
  items: readonly RowItem[],
  orders: readonly PlannedOrder[],
): ReadonlyMap<number, OpenLine> {
  const priced = new Map(
    orders
      .filter(({ isHeld }) => !isHeld)
      .flatMap(({ items: ids, offer, pricesAtomic }) =>
        ids.map((id, at) => [id, { line: offer.lines[at], atomic: pricesAtomic[at] }] as const),
      ),
  );
  const lines = new Map<number, OpenLine>();
  for (const { id, row } of items) {
    const { line, atomic: price } = priced.get(id) ?? {};
    if (line === undefined || price === undefined) continue;
    const { number } = row;
    const known = lines.get(number);
    const quantity = (known?.line.quantity ?? 0) + 1;
    const total = sum([known?.atomic ?? atomic(0n), price]);
    lines.set(number, { number, line: { ...line, quantity }, atomic: total });
  }
  return lines;
}

function goodsLine({ number, line, atomic: price }: OpenLine): Line {
  return [t`Line ${number}`, t`${lineText(line)}: ${formatUsdc(price)} USDC`];
}

/** Numbers of lines named at most. */
const MOST_NUMBERS = 12;

function beforeLines(all: readonly number[]): readonly Line[] {
  const known = [...new Set(all)];
  if (known.length === 0) return [];
  const isNamed = known.length > 1 && known.length <= MOST_NUMBERS;
  const told = isNamed ? t`lines ${known.join(', ')}` : linesCounted(known.length);
  return [[t`Bought before`, known.length === 1 ? t`line ${known.join('')}` : told]];
}
