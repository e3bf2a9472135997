/** Follows an order of the checkout host to its end and shows it. */

import { checkoutOrderError } from '../../api/payment/outcome-error.ts';
import type { WireOrderStatus } from '../../contract/checkout.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { deliveryGroups, deliveryLines, onlyGoods } from '../buying/deliveries.ts';
import { STATUS_TONES } from '../buying/purchase-status.ts';
import { orderLines } from '../buying/receipt.ts';
import type { Context } from '../context.ts';
import type { NamedOrder } from '../orders/recorded-place.ts';
import { recordLine } from '../output/fields.ts';
import type { RecordView } from '../output/view.ts';

export interface CheckoutFollowing extends CalledOrder {
  readonly timeoutMs: number;
  /** Writes a line of JSON whenever the order has changed. */
  readonly isWritten: boolean;
}

/** An order as it is called here, and as the merchant calls it. */
export type CalledOrder = Pick<NamedOrder, 'orderId' | 'merchantId'>;

/** As the merchant gives it, but for its name here. */
export type CalledCheckout = WireOrderStatus & { readonly merchant_order_id?: string };

export interface FollowedCheckout {
  readonly order: CalledCheckout;
  readonly view: RecordView;
}

/**
 * The checkout host has no stream: it is asked every 5 to 10 seconds.
 * @throws {ScripError} ORDER_UNKNOWN and the codes of a call
 */
export async function followedCheckout(
  context: Context,
  { orderId, merchantId, timeoutMs, isWritten }: CheckoutFollowing,
): Promise<FollowedCheckout> {
  const [{ followOrder }, { checkoutPace }] = await Promise.all([
    import('../../api/checkout/follow.ts'),
    import('../buying/purchasing.ts'),
  ]);
  const {
    parts: { fetch, clock, signal },
    io: { progress, stdout },
    settings,
  } = context;
  const state = { last: '' };
  const followed = await followOrder({
    fetch,
    baseUrl: settings.checkoutUrl,
    orderId: merchantId,
    clock,
    timeoutMs,
    ...checkoutPace(context),
    signal,
    seen: (order) => {
      const read = called(order, { orderId, merchantId });
      const line = recordLine(read, settings.output);
      if (isWritten && line !== state.last) stdout.write(line);
      state.last = line;
      progress.step(t`Order ${orderId} is ${read.status}`);
    },
  });
  await keepGoods(context, followed.order);
  const order = called(followed.order, { orderId, merchantId });
  return { order, view: { ...trackedView(order), isWritten } };
}

/** The order under its name here. */
export function called(
  order: WireOrderStatus,
  { orderId, merchantId }: CalledOrder,
): CalledCheckout {
  if (orderId === merchantId) return order;
  const { order_id: _, ...rest } = order;
  return { order_id: orderId, merchant_order_id: merchantId, ...rest };
}

/** Into the journal, where the purchase is of this machine; following needs neither wallet nor journal. */
export async function keepGoods(context: Context, order: WireOrderStatus): Promise<void> {
  if (order.status !== 'completed') return;
  const [{ acceptedOrder, currentAttempt, factOf }, { hostName }] = await Promise.all([
    import('../../domain/journal.ts'),
    import('../buying/purchasing.ts'),
  ]);
  const {
    settings,
    keys: { wallets },
  } = context;
  try {
    const signer = await wallets.open(settings.keypairPath);
    const journal = await context.parts.journal(signer);
    const entry = (await journal.all()).find(
      (candidate) =>
        candidate.intent.host === hostName(settings) &&
        acceptedOrder(candidate)?.orderId === order.order_id,
    );
    const attempt = entry && currentAttempt(entry);
    if (entry === undefined || attempt === undefined || factOf(entry, 'goods')) return;
    const sealed = (await context.parts.vault(signer)).seal(JSON.stringify(order));
    const { number } = attempt;
    const goods = { fact: 'goods', attempt: number, status: 'completed', sealed } as const;
    await journal.addFact(entry.intent, goods);
    const { nameTransaction } = await import('../../api/payment/transaction-name.ts');
    await nameTransaction(
      { rail: await context.parts.rail(), journal, clock: context.parts.clock },
      entry,
      attempt,
    );
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
}

function trackedView(order: CalledCheckout): RecordView {
  const error = checkoutOrderError(order);
  const { deliveries = [], status } = order;
  const { order_id: orderId, merchant_order_id: merchantOrderId = null } = order;
  const standing = [...orderLines({ orderId, merchantOrderId }), [t`Status`, status]] as const;
  const title = onlyGoods(deliveries);
  return {
    kind: 'record',
    record: order,
    ...(title === undefined ? {} : { title }),
    tones: { Status: STATUS_TONES[status] },
    lines: [...standing, ...deliveryLines(deliveries)],
    screen: [standing, ...deliveryGroups(deliveries, { title: String(title ?? ''), status })],
    ...(error === undefined ? {} : { error }),
  };
}
