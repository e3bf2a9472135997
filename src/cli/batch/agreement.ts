/** Checks the money for a cart, shows its summary, and asks for confirmation. */

import type { PricedQuote } from '../../api/checkout/checkout-quote.ts';
import type { Merchant } from '../../api/merchant.ts';
import { intentionOf } from '../../api/order-checks.ts';
import { forecastAll } from '../../api/payment/measure.ts';
import type { Headroom } from '../../api/payment/spending.ts';
import type { WireOrderRequest } from '../../contract/checkout.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { ScripError } from '../../domain/errors.ts';
import { joined, type Message, t } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import { formatUsdc } from '../amount.ts';
import type { With } from '../context.ts';
import { agreeOn, checkConsent, isSummaryTold } from '../ordering/asking.ts';
import {
  type Agreed,
  drawLines,
  drawSummary,
  merchantText,
  moneyLines,
  type Summary,
} from '../ordering/summary.ts';
import { itemsCounted, linesCounted, ordersCounted } from '../output/counts.ts';
import { heightOf } from '../output/paging.ts';
import type { Line } from '../output/view.ts';
import { sentenceText } from '../output/wrap.ts';
import { type PlannedOrder, sum } from './planning.ts';
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
    perDayAtomic: policy.perDay,
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
}

/** Shows the summary and asks once. @throws {ScripError} DECLINED */
export async function agreeOnCart(
  context: With<'settings' | 'io'>,
  orders: readonly PlannedOrder[],
  { isAgreed, means }: Terms,
): Promise<void> {
  const open = orders.filter(({ isHeld }) => !isHeld);
  const { io } = context;
  if (isSummaryTold(context, isAgreed)) {
    io.stderr.write(await drawSummary(summaryOf(context, open, means), io));
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

/** Shows the lines left out, each with its product and the reason, before any question about money. */
export async function tellLeftOut(
  { io: { stderr, localize } }: With<'io'>,
  { lines, file, whole }: LeftOut,
): Promise<void> {
  if (lines.length === 0) return;
  const draw = (count: number) =>
    drawLines(lines.slice(0, count).map(leftOutLine), { stderr, localize });
  const fits = (text: string) => heightOf(text, stderr.columns) <= stderr.rows - AROUND;
  let count = Math.min(MOST_TOLD, lines.length);
  while (count > 1 && !fits(await draw(count))) count -= 1;
  const rest = lines.length - count;
  const head = t`Left out (--skip-invalid): ${linesCounted(lines.length)} of ${file}`;
  const more = whole === undefined ? t`and ${rest} more` : t`and ${rest} more: ${whole}`;
  stderr.write(
    [
      `\n${sentenceText(localize(head), stderr)}`,
      await draw(count),
      rest === 0 ? '' : sentenceText(localize(more), stderr),
    ].join(''),
  );
}

function leftOutLine({ number, row, error, others }: LineResult): Line {
  const what = [row?.brand, row?.saidValue].filter((part) => part !== undefined).join(' ');
  const why = joined(
    [error, ...others].flatMap((one) => one?.sentence ?? []),
    '; ',
  );
  return [t`Line ${number}`, what === '' ? why : t`${what}: ${why}`];
}

/** One summary for all open orders together. */
function summaryOf(
  { settings }: With<'settings'>,
  open: readonly PlannedOrder[],
  means: CartMeans,
): Summary {
  const quotedAtomic = sum(open.map(({ offer }) => offer.price.atomic));
  const capAtomic = sum(open.map(({ offer }) => offer.price.capAtomic));
  const offers = open.map(({ offer }) => offer);
  const [first] = offers;
  const recipients = new Set(
    offers.flatMap(({ lines }) => lines.map(({ recipient }) => recipient.text)),
  );
  const [only = ''] = recipients;
  const price = {
    ...{ atomic: quotedAtomic, capAtomic, decimals: USDC_DECIMALS },
    text: formatUsdc(quotedAtomic),
  };
  return {
    title: t`${itemsCounted(countItems(open))} in ${ordersCounted(open.length)}`,
    lines: [
      [t`For`, recipients.size === 1 ? only : t`${recipients.size} recipients`],
      ...(first?.email === undefined ? [] : [[t`E-mail`, first.email] as const]),
      ...(settings.isEmbedded ? [] : [[t`Merchant`, merchantText(settings.checkoutUrl)] as const]),
      ...moneyLines({
        offer: { coin: 'USDC', network: first?.network ?? '' },
        ...{ price, ...means, isPaid: true },
      }),
    ],
  };
}

function countItems(orders: readonly PlannedOrder[]): number {
  return orders.reduce((total, { items }) => total + items.length, 0);
}
