/** Signs a transfer for a partner API order, and journals it. */

import { nextNumber } from '../../domain/journal/journal.ts';
import { t } from '../../domain/message/message.ts';
import { atomic, formatDecimal } from '../../domain/money/money.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { orderRecipients } from '../../domain/order/ordered-products.ts';
import type { Asset } from '../../rails/rail.ts';
import { entryForTransfer, type OrderJournal, transferTerms } from '../partner/partner-journal.ts';
import type { PayDeps, PaymentQuote } from '../partner/pay-terms.ts';
import { adoptTransfers } from '../recovery/adopt.ts';
import { authorizePayment } from './authorize.ts';
import { forecast } from './measure.ts';
import { type KeyWatch, nextTag } from './payment-tag.ts';
import type { Turn } from './turn.ts';

export interface QuotedTransfer {
  readonly quote: PaymentQuote;
  readonly asset: Asset;
}

interface SigningTransfer extends QuotedTransfer {
  readonly turn: Extract<Turn, { readonly kind: 'mine' }>;
  readonly watch: KeyWatch;
}

/** Checks the transfer against the policy, without reserving. @throws {ScripError} what `forecast` does */
export async function forecastTransfer(
  deps: PayDeps,
  orderJournal: OrderJournal,
  { quote, asset }: QuotedTransfer,
): Promise<void> {
  const { main } = orderJournal;
  if (main === undefined) return;
  await forecast(deps, { ...main.intent, ...measuredBy(deps, orderJournal, { quote, asset }) });
}

/**
 * Signs a transfer and journals the attempt; nothing has been sent when this returns.
 * @returns whether ours is the journaled one
 */
export async function signTransfer(
  deps: PayDeps,
  orderJournal: OrderJournal,
  { quote, asset, turn, watch }: SigningTransfer,
): Promise<boolean> {
  const { clock, signer, journal } = deps;
  const { amountAtomic, payTo } = quote;
  const entry = await entryForTransfer(journal, orderJournal, { amountAtomic, nowMs: clock.now() });
  const amount = priceText(formatDecimal(amountAtomic, quote.decimals, 2), quote.coin);
  deps.progress?.step(t`Signing for ${amount} ${quote.coin}`);
  const { coin, network, order } = quote;
  const number = nextNumber(entry);
  const tag = nextTag(await deps.vault(), entry.intent, number);
  const mayOpenAccount = quote.openingCost !== null;
  // A concurrent second run gets the first run's attempt and settles that one.
  const { attempt: written, origin } = await authorizePayment(deps, {
    intent: entry.intent,
    number,
    order: { way: 'direct', asset, payTo, amountAtomic, signer, tag, mayOpenAccount },
    ...measuredBy(deps, orderJournal, { quote, asset }),
    lastLook: () => adoptTransfers(deps, watch, orderJournal),
    toAttempt: (payment) => {
      turn.check(payment);
      const paid = { amountAtomic, asset: asset.asset, payTo };
      const terms = transferTerms({ order_id: order.order_id, coin, network }, paid);
      return { ...payment, number, ...terms };
    },
  });
  if (origin === 'elsewhere') return false;
  await journal.addFact(entry.intent, {
    fact: 'accepted',
    attempt: written.number,
    orderId: order.order_id,
    // Until the chain names it: this wallet sends it, so its own signature is the transaction id.
    transaction: written.signature,
  });
  deps.failPoint?.('attempt-written');
  if (origin === 'ours') deps.progress?.done(t`Signed and recorded`);
  return origin === 'ours';
}

/** Returns what the policy checks, for any payment of the order. */
function measuredBy(
  { rail }: PayDeps,
  { main, created, landedAtomic, liveAtomic }: OrderJournal,
  { quote, asset }: QuotedTransfer,
) {
  const { coin, amountAtomic, payTo, order, refundsTo: refunds } = quote;
  return {
    terms: { network: rail.network, asset: asset.asset, payTo },
    ...(coin === 'USDC'
      ? { usdcAtomic: amountAtomic, ofOrderAtomic: atomic(landedAtomic + liveAtomic) }
      : { usdcAtomic: undefined }),
    refundsTo: refunds,
    // A further payment has its own entry, but pays for the same goods.
    ...(main && { recipients: orderRecipients(main.intent, [created, order]) }),
  };
}
