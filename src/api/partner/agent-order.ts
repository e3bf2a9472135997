/** Orders that an agent makes: checked first, made at most once, known to the journal of this machine. */

import type { WireElicitation } from '../../contract/agent.ts';
import {
  getOrderStatus,
  validateOrder,
  type WireCreateOrder,
  type WireDeliverable,
  type WirePartnerOrder,
} from '../../contract/partner-orders.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { defaultCap } from '../../domain/cap.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { endedWithoutGoods } from '../../domain/order-states.ts';
import { isOwnNetwork } from '../../domain/payment-means.ts';
import { callPartner, readPrice } from './partner.ts';
import { createdOrder } from './partner-journal.ts';
import {
  giveUpOrder,
  makeOrder,
  type PartnerOrderDeps,
  type PartnerOrderRequest,
  strangeIntent,
} from './partner-order.ts';

export interface AgentOrderDeps extends PartnerOrderDeps {
  /** Decimals of a coin on a network, as far as amounts of it are written down. */
  decimalsOf(means: { readonly coin: string; readonly network: string }): Promise<number>;
  /** Where money comes back to, on the network of the local wallet. */
  readonly refundAddress: string | undefined;
}

/**
 * Checks an order, and makes it if nothing speaks against it. The same request within ten minutes
 * gives the same order, unless that has ended.
 * @throws {ScripError} ORDER_PROBLEMS with `details.problems`, and what `makeOrder` throws
 */
export async function makeAgentOrder(
  deps: AgentOrderDeps,
  asked: WireCreateOrder,
): Promise<WirePartnerOrder> {
  const { acquisition: _, ...body } = withRefund(deps, asked);
  const { problems = [], coin_amount } = await callPartner(deps, validateOrder, body);
  if (problems.length > 0) {
    throw new ScripError('ORDER_PROBLEMS', t`The merchant would not take the order`, {
      details: { problems },
    });
  }
  const request = await requestFor(deps, body, coin_amount);
  const made = await makeOrder(deps, request);
  if (made.isNew) return made.order;
  const fresh = await callPartner(deps, getOrderStatus, { order_id: made.order.order_id });
  if (!endedWithoutGoods({ orderState: fresh.order_state })) return fresh;
  await giveUpOrder(deps.journal, made.entry, fresh.order_state);
  return (await makeOrder(deps, request)).order;
}

function withRefund({ refundAddress }: AgentOrderDeps, body: WireCreateOrder): WireCreateOrder {
  const isOwn = body.payment.type === 'via' && isOwnNetwork(body.payment.network);
  if (!isOwn || refundAddress === undefined) return body;
  return { ...body, refund_wallet_address: refundAddress };
}

async function requestFor(
  deps: AgentOrderDeps,
  body: PartnerOrderRequest['body'],
  price: string,
): Promise<PartnerOrderRequest> {
  const [first] = body.deliveries;
  const deliverable = first && 'deliverable' in first ? first.deliverable : first;
  return {
    body,
    ...(await termsOf(deps, body.payment, price)),
    summary: summaryOf(deliverable),
    // Making an order pays nothing, and whoever is to pay it is asked then.
    allowsDuplicate: true,
  };
}

async function termsOf(
  deps: AgentOrderDeps,
  payment: WireCreateOrder['payment'],
  price: string,
): Promise<Pick<PartnerOrderRequest, 'quotedAtomic' | 'capAtomic' | 'decimals'>> {
  const network = payment.type === 'via' ? payment.network : payment.type;
  const decimals = await deps.decimalsOf({ coin: payment.coin, network });
  const quotedAtomic = readPrice(price, decimals);
  return { quotedAtomic, capAtomic: defaultCap(quotedAtomic), decimals };
}

function summaryOf(deliverable: WireDeliverable | undefined): PartnerOrderRequest['summary'] {
  const {
    brand_name = '',
    denomination = '',
    product_value,
    country_code = '',
  } = deliverable ?? {};
  const faceValue = String(product_value ?? denomination);
  return {
    productId: '',
    productName: `${brand_name} ${faceValue}`.trim(),
    brandName: brand_name,
    countryCode: country_code,
    faceValue,
    currency: deliverable?.currency_code ?? '',
    beneficiary: deliverable?.beneficiary_account ?? '',
  };
}

/**
 * Writes down the order that a guided purchase has made, so that it can be paid from here: the order
 * as it is read must say the same payment as the purchase did.
 * @throws {ScripError} the codes of a call, JOURNAL_UNUSABLE
 */
export async function keepPurchase(deps: AgentOrderDeps, end: WireElicitation): Promise<void> {
  const orderId = orderIdIn(end);
  if (orderId === undefined) return;
  const read = await callPartner(deps, getOrderStatus, { order_id: orderId });
  const order = withTermsOf(end, read);
  if (!isOf(order, end)) return;
  const { coin = '', network = '', payment_via = '', coin_amount = '' } = order;
  const payment = { type: 'via', payment_via, coin, network } as const;
  const intent = strangeIntent(
    deps,
    {
      key: `wizard ${orderId}`,
      body: { payment },
      ...(await termsOf(deps, payment, coin_amount)),
      summary: summaryOf(order.deliveries?.[0]?.deliverable),
    },
    canonicalJson({ wizard_order_id: orderId }),
  );
  const entry = await deps.journal.open(intent);
  if (createdOrder(entry) !== undefined) return;
  await deps.journal.addFact(entry.intent, {
    fact: 'created',
    orderId,
    order: JSON.stringify(order),
  });
}

/** The wizard names the order in its next step alone (interface: Response, `next_step`). */
function orderIdIn({ status, next_step = '' }: WireElicitation): string | undefined {
  if (status !== 'complete') return undefined;
  return /\/v5\/orders\/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/.exec(
    next_step,
  )?.[1];
}

/** What a status need not repeat (interface: Order response). */
function withTermsOf(
  { payment_details: told }: WireElicitation,
  order: WirePartnerOrder,
): WirePartnerOrder {
  if (told === undefined) return order;
  return {
    ...order,
    wallet_address: order.wallet_address ?? told.walletAddress,
    coin_amount: order.coin_amount ?? told.coinAmount,
    coin: order.coin ?? told.coinSymbol,
    network: order.network ?? told.network,
  };
}

function isOf(order: WirePartnerOrder, { payment_details: told }: WireElicitation): boolean {
  return (
    told !== undefined &&
    order.wallet_address === told.walletAddress &&
    order.coin_amount === told.coinAmount &&
    order.coin === told.coinSymbol &&
    order.network === told.network
  );
}
