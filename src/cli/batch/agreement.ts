/** Checks the money for a cart, and asks for confirmation. */

import type { PricedQuote } from '../../api/checkout/checkout-quote.ts';
import type { Merchant } from '../../api/merchant.ts';
import { intentionOf } from '../../api/order-checks.ts';
import { forecastAll } from '../../api/payment/measure.ts';
import type { Headroom } from '../../api/payment/spending.ts';
import type { WireOrderRequest } from '../../contract/checkout.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import { dayLimit } from '../../domain/policy.ts';
import { formatUsdc, itemsCounted, ordersCounted } from '../amount.ts';
import type { With } from '../context.ts';
import { agreeOn, checkConsent, isSummaryTold } from '../ordering/asking.ts';
import { type Agreed, merchantText, moneyLines } from '../ordering/summary.ts';
import type { Line } from '../output/view.ts';
import { type Above, tellCart } from './cart-summary.ts';
import { type PlannedOrder, type RowItem, sum } from './planning.ts';

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
