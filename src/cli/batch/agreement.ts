/** What is shown and asked before a cart is bought, and whether there is the money for it. */

import type { PricedQuote } from '../../api/checkout/checkout-quote.ts';
import type { Merchant } from '../../api/merchant.ts';
import { intentionOf } from '../../api/order.ts';
import { forecastAll } from '../../api/payment/measure.ts';
import type { WireOrderRequest } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import { formatUsdc } from '../amount.ts';
import type { With } from '../context.ts';
import { agreeOn, checkConsent, isSummaryTold } from '../ordering/asking.ts';
import { linesText } from '../ordering/summary.ts';
import { itemsCounted } from '../output/counts.ts';
import type { Line } from '../output/view.ts';
import { type PlannedOrder, sum } from './planning.ts';

/** @throws {ScripError} TERMINAL_REQUIRED naming the missing flags, before any request or question */
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

/** What the policy leaves of the day. @throws {ScripError} FUNDS_TOO_LOW, the policy's refusals */
export async function checkMoney(
  { parts: { clock } }: With<'parts'>,
  merchant: Merchant<WireOrderRequest>,
  orders: readonly PlannedOrder[],
): Promise<Atomic | undefined> {
  const open = openOffers(orders);
  if (open.length === 0) return undefined;
  const paying = await merchant.paying();
  const leftAtomic = await forecastAll(
    { ...paying, clock },
    open.map((offer) => intentionOf(merchant.host, offer, offer.price)),
  );
  const needed = sum(open.map(({ price }) => price.atomic));
  const { address } = paying.signer;
  const usdc = (await paying.rail.balances(address)).usdcAtomic ?? atomic(0n);
  if (usdc >= needed) return leftAtomic;
  const [balance, price] = [formatUsdc(usdc), formatUsdc(needed)];
  throw new ScripError(
    'FUNDS_TOO_LOW',
    t`The wallet ${address} holds ${balance} USDC, and the cart costs ${price}; nothing was sent`,
    { details: { balance, price, address } },
  );
}

function openOffers(orders: readonly PlannedOrder[]): readonly PricedQuote[] {
  return orders.flatMap(({ isHeld, offer }) => (isHeld ? [] : offer));
}

interface Terms {
  readonly isAgreed: boolean;
  /** What the policy leaves of the day. */
  readonly leftAtomic: Atomic | undefined;
}

/** Shows the whole and asks once. @throws {ScripError} DECLINED */
export async function agreeOnCart(
  context: With<'settings' | 'io'>,
  orders: readonly PlannedOrder[],
  { isAgreed, leftAtomic = atomic(0n) }: Terms,
): Promise<void> {
  const open = orders.filter(({ isHeld }) => !isHeld);
  if (open.length === 0) return;
  const mostAtomic = sum(open.map(({ offer }) => offer.price.capAtomic));
  if (isSummaryTold(context, isAgreed))
    context.io.stderr.write(summaryText(context, open, { mostAtomic, leftAtomic }));
  const amountText = formatUsdc(mostAtomic);
  await agreeOn(context, {
    isAgreed,
    question: t`Pay up to ${amountText} USDC for ${itemsCounted(countItems(open))}?`,
    amountText,
    // Half of what is left of a day, or more: the amount itself is typed.
    isLarge: mostAtomic * 2n >= leftAtomic,
    declined: { message: t`You declined; nothing was charged` },
  });
}

function summaryText(
  { settings, io: { localize } }: With<'settings' | 'io'>,
  open: readonly PlannedOrder[],
  { mostAtomic, leftAtomic }: { readonly mostAtomic: Atomic; readonly leftAtomic: Atomic },
): string {
  const quotedAtomic = sum(open.map(({ offer }) => offer.price.atomic));
  const lines: readonly Line[] = [
    [t`Items`, String(countItems(open))],
    [t`Orders`, String(open.length)],
    [t`Merchant`, settings.isEmbedded ? t`the built-in sandbox` : settings.checkoutUrl],
    [t`Price`, `${formatUsdc(quotedAtomic)} USDC`],
    [t`At most`, t`${formatUsdc(mostAtomic)} USDC on Solana`],
    [t`Left`, t`${formatUsdc(leftAtomic)} USDC by the policy in 24 hours`],
  ];
  return linesText(lines, localize);
}

function countItems(orders: readonly PlannedOrder[]): number {
  return orders.reduce((total, { items }) => total + items.length, 0);
}
