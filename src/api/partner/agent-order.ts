/**
 * Creates and pays an agent's orders, given as partner API requests: validated first, created at most once,
 * recorded in this machine's journal.
 */

import type { WireElicitation } from '../../contract/agent.ts';
import {
  getOrderStatus,
  validateOrder,
  type WireCreateOrder,
  type WireDeliverable,
  type WirePartnerOrder,
} from '../../contract/partner-orders.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { defaultCap } from '../../domain/money/cap.ts';
import { isOwnNetwork } from '../../domain/payment/payment-means.ts';
import type { Bought, Quote } from '../merchant.ts';
import { order } from '../order.ts';
import { otherCountryError, type Recipient, recipientOf } from '../recipient.ts';
import { type ScripDeps, walletIfThere } from '../scrip.ts';
import type { PaidOrder } from '../tool-backend.ts';
import { partnerMerchant } from './merchant.ts';
import { callPartner, OTHER_DECIMALS, readPrice } from './partner.ts';
import { createdOrder } from './partner-journal.ts';
import { strangeIntent } from './partner-order.ts';
import type { PartnerOrderBody } from './partner-quote.ts';
import type { PayRequest } from './pay-terms.ts';
import { makingDeps, openJournalAccess, partnerHost, WALLET_NETWORK } from './place.ts';

export interface AgentConsent {
  /** Allows phone numbers of other countries than their products'. */
  readonly allowsOtherCountry: boolean;
}

/**
 * Validates an order, and creates it if it has no problems. The same request within ten minutes returns the
 * same order, unless that has ended.
 * @throws {ScripError} ORDER_PROBLEMS with `details.problems`, PHONE_OTHER_COUNTRY, and what `place` throws
 */
export async function orderForAgent(
  deps: ScripDeps,
  asked: WireCreateOrder,
  consent: AgentConsent,
): Promise<WirePartnerOrder> {
  const merchant = partnerMerchant(deps);
  const quote = () => offerFor(deps, asked, consent);
  const bought = await order(
    deps,
    { ...merchant, quote },
    {
      orderInput: { items: [] },
      request: {
        ...consent,
        key: undefined,
        isPaid: false,
        // Creating an order pays nothing; the payment is confirmed later.
        consent: { purchase: async () => true },
        allowsDuplicate: true,
        opensAccount: false,
        isWaiting: false,
        timeouts: { waitMs: 0, settleMs: undefined },
      },
    },
  );
  return orderIn(bought);
}

function orderIn({ document }: Bought): WirePartnerOrder {
  if (document.form === 'partner') return document.order;
  throw new ScripError('INTERNAL', verbatim('an order of another merchant'));
}

/** Quotes an agent's request. */
async function offerFor(
  deps: ScripDeps,
  { acquisition: _, ...asked }: WireCreateOrder,
  consent: AgentConsent,
): Promise<Quote<PartnerOrderBody>> {
  const { deliveries, recipients } = await readDeliveries(deps, asked.deliveries, consent);
  const refundsTo = await refundAddress(deps, asked.payment);
  // Without an address of this wallet, the agent's own stays.
  const body = {
    ...asked,
    deliveries,
    refund_wallet_address: refundsTo ?? asked.refund_wallet_address,
  };
  const { problems = [], coin_amount } = await callPartner(partnerHost(deps), validateOrder, body);
  if (problems.length > 0) {
    throw new ScripError('ORDER_PROBLEMS', t`The merchant would not accept the order`, {
      details: { problems },
    });
  }
  const goods = deliveries.map((delivery) => summaryOf(lineOf(delivery)));
  const { price, isSendable, ...means } = await termsOf(deps, asked.payment, coin_amount);
  return {
    ...{ body, problems, refundsTo, price, isSendable, ...means },
    summary: goods[0] ?? summaryOf(undefined),
    kinds: undefined,
    lines: recipients.map((recipient, at) => {
      const { productName: name = '', faceValue = '' } = goods[at] ?? {};
      return { name, faceValue, quantity: 1, recipient };
    }),
    email: asked.user.email,
    expiresAt: undefined,
  };
}

/** Refunds go to the paying wallet; payments on other chains need an address of their own. */
async function refundAddress(
  deps: ScripDeps,
  payment: WireCreateOrder['payment'],
): Promise<string | undefined> {
  const isOwn = payment.type === 'via' && isOwnNetwork(payment.network);
  return isOwn ? (await walletIfThere(deps))?.address : undefined;
}

async function termsOf(deps: ScripDeps, payment: WireCreateOrder['payment'], text: string) {
  const { coin } = payment;
  const network = payment.type === 'via' ? payment.network : payment.type;
  const asset = (await deps.rail(WALLET_NETWORK)).asset({ coin, network });
  const decimals = asset?.decimals ?? OTHER_DECIMALS;
  const atomic = readPrice(text, decimals);
  const price = { text, atomic, capAtomic: defaultCap(atomic, decimals), decimals };
  return { coin, network, isSendable: asset !== undefined, price };
}

type Line = Pick<WireDeliverable, 'beneficiary_account' | 'country_code'>;

/** Plain, or wrapped as in older requests and in every response (interface: ProductDeliverable). */
type Delivery<Goods extends Line> = Goods | { readonly deliverable: Goods };

function lineOf<Goods extends Line>(delivery: Delivery<Goods>): Goods {
  return 'deliverable' in delivery ? delivery.deliverable : delivery;
}

/**
 * Returns the deliveries with phone numbers in E.164, as on the command line, and their recipients.
 * @throws {ScripError} PHONE_OTHER_COUNTRY
 */
async function readDeliveries<T extends Delivery<Line>>(
  deps: ScripDeps,
  deliveries: readonly T[],
  { allowsOtherCountry }: AgentConsent,
): Promise<{ readonly deliveries: T[]; readonly recipients: readonly Recipient[] }> {
  const read = await Promise.all(deliveries.map((delivery) => readDelivery(deps, delivery)));
  const recipients = read.map(({ recipient }) => recipient);
  const strange = recipients.find(({ elsewhere }) => elsewhere !== undefined);
  if (strange?.elsewhere !== undefined && !allowsOtherCountry) {
    throw otherCountryError(strange.elsewhere);
  }
  return { deliveries: read.map(({ delivery }) => delivery), recipients };
}

async function readDelivery<T extends Delivery<Line>>(deps: ScripDeps, delivery: T) {
  const line = lineOf(delivery);
  const { beneficiary_account: typed, country_code: countryCode } = line;
  const isPhone = /^\s*\+?[0-9][0-9 ().-]+$/.test(typed);
  const phone = isPhone ? await deps.parsePhone(typed.trim(), countryCode) : undefined;
  // The kind is unknown here: digits that are no phone number may be an account, for the merchant to judge.
  const { checkBeneficiary, checkNotSpreadsheet } = await import(
    '../../domain/product/beneficiary.ts'
  );
  checkNotSpreadsheet(typed);
  const account =
    phone?.number ??
    (typed.trim().startsWith('+')
      ? await checkBeneficiary('mobile_topup', typed, deps.parsePhone, countryCode)
      : typed);
  const recipient = await recipientOf(deps, account, countryCode);
  const read = { ...line, beneficiary_account: account };
  return {
    recipient,
    delivery:
      'deliverable' in delivery ? { ...delivery, deliverable: read } : { ...delivery, ...read },
  };
}

/** A tool call must end before its client gives up, usually after a minute. */
const PAY_WAIT_MS = 45_000;

/**
 * Pays like `scrip pay`, with the same journal. Ours: an order of the guided purchase has no refund address,
 * and its confirmation says so.
 * @throws {ScripError} what `agree` throws, and why the order is not paid
 */
export async function payForAgent(
  deps: ScripDeps,
  { orderId, agree }: Pick<PayRequest, 'orderId' | 'agree'>,
  consent: AgentConsent,
): Promise<PaidOrder> {
  const bought = await partnerMerchant(deps).payPlaced(orderId, {
    agree: async (quote) => {
      const { order: made, ordered = [] } = quote;
      // A merchant's guided purchase accepts any number, so check it before paying. A status may omit the
      // deliveries before they are delivered.
      const told = made.deliveries ?? [];
      const lines = told.length === 0 ? ordered : told;
      const { recipients } = await readDeliveries(deps, [...lines], consent);
      await agree({ ...quote, recipients: recipients.map(({ text }) => text) });
    },
    waivesRefund: true,
    isWaiting: false,
    waitMs: PAY_WAIT_MS,
    goOn: wordList(['scrip', 'pay', orderId], ' '),
  });
  return { order: orderIn(bought), transactions: bought.transactions ?? [] };
}

function summaryOf(deliverable: WireDeliverable | undefined): Quote['summary'] {
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
 * Journals an order created by a guided purchase, so that this machine can pay it. The order as read must
 * have the same payment terms as the purchase returned.
 * @throws {ScripError} the codes of a call, JOURNAL_UNUSABLE
 */
export async function keepPurchase(scrip: ScripDeps, end: WireElicitation): Promise<void> {
  const orderId = orderIdIn(end);
  if (orderId === undefined) return;
  const deps = makingDeps(scrip, await openJournalAccess(scrip));
  const read = await callPartner(deps, getOrderStatus, { order_id: orderId });
  const order = withTermsOf(end, read);
  if (!isOf(order, end)) return;
  const { coin = '', network = '', payment_via = '', coin_amount = '' } = order;
  const payment = { type: 'via', payment_via, coin, network } as const;
  const { price } = await termsOf(scrip, payment, coin_amount);
  const intent = strangeIntent(
    deps,
    {
      key: `wizard ${orderId}`,
      body: { payment },
      ...{ quotedAtomic: price.atomic, capAtomic: price.capAtomic, decimals: price.decimals },
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

/** The wizard names the order only in its next step (interface: Response, `next_step`). */
function orderIdIn({ status, next_step = '' }: WireElicitation): string | undefined {
  if (status !== 'complete') return undefined;
  return /\/v5\/orders\/([0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})/.exec(
    next_step,
  )?.[1];
}

/** Fills in what a status may omit (interface: Order response). */
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
