/** Orders that end with money owed back, at a shop that dies while it sends that money. */

import type { WireCatalogItem, WireOrderReceipt } from '../../src/contract/checkout.ts';
import type { WireRefunds } from '../../src/contract/order-refunds.ts';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import {
  encodeHeader,
  type PaymentRequirement,
  SESSION_HEADER,
  SOLANA_MAINNET,
  USDC_MINT,
  X402_VERSION,
} from '../../src/contract/x402.ts';
import { atomic, parseAtomic } from '../../src/domain/money/money.ts';
import { systemClock } from '../../src/net/clock.ts';
import type { Signer } from '../../src/rails/rail.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { ledgerAt } from '../support/ledger.ts';
import { AMAZON_25, HEADERS, jsonOf, orderBody } from '../support/partner-sandbox.ts';
import { postJson } from '../support/post-json.ts';
import { tagOf } from '../support/rails.ts';
import type { Shop } from './shop.ts';

/** Why money is owed back. */
export const REFUND_KINDS = ['partly failed', 'overpaid', 'late', 'given back'] as const;
/** What no shop may do; the judge has to see it. */
export const BROKEN_REFUNDS = ['paid twice', 'paid elsewhere'] as const;
export type RefundKind = (typeof REFUND_KINDS)[number] | (typeof BROKEN_REFUNDS)[number];

/** What the harness knows by its own payments; the shop's word counts for nothing. */
interface Owed {
  readonly orderId: string;
  readonly path: 'v1' | 'v5';
  readonly amountAtomic: bigint;
}

export interface Refunding {
  readonly shop: Shop;
  /** Pays; its wallet holds USDC. */
  readonly payer: Signer;
  /** Where an order of the partner API has its refunds sent; a wallet with USDC. */
  readonly other: string;
  readonly email: string;
}

export type RefundViolation = 'double refund' | 'lost refund' | 'point not reached';

const OVERPAID_ATOMIC = 90_000_000n;
const LATE_ATOMIC = 5_000_000n;
const PATIENCE_MS = 60_000;
const LOOK_AGAIN_MS = 50;

/** Makes an order that is owed money, kills the shop at each point in turn, and reads the chain. */
export async function refundOnce(
  parts: Refunding,
  kind: RefundKind,
  points: readonly string[],
): Promise<readonly RefundViolation[]> {
  const { shop, payer, other } = parts;
  const recipient = kind === 'partly failed' ? payer.address : other;
  const before = await paymentsOf(shop, recipient);
  const [first, ...others] = points;
  const died = shop.deaths.length;
  if (first !== undefined) await shop.arm(first);
  const owed = await MAKERS[kind](parts);
  for (const [index] of points.entries()) {
    await until(() => Promise.resolve(shop.deaths.length > died + index));
    const next = others[index];
    if (next !== undefined) await shop.arm(next);
  }
  const isKilled = shop.deaths.length === died + points.length;
  await until(() => isSent(shop, owed));
  await shop.arm(null);
  const credits = await creditsSince(shop, recipient, before);
  const sum = credits.reduce((total, amount) => total + amount, 0n);
  return [
    ...(credits.length > 1 || sum > owed.amountAtomic ? (['double refund'] as const) : []),
    ...(sum < owed.amountAtomic ? (['lost refund'] as const) : []),
    ...(isKilled ? [] : (['point not reached'] as const)),
  ];
}

async function paymentsOf(shop: Shop, owner: string): Promise<readonly string[]> {
  await shop.up();
  return ledgerAt(`${shop.url()}/rpc`).payments(owner);
}

/** The amounts that came since, one for each transaction. */
async function creditsSince(
  shop: Shop,
  owner: string,
  before: readonly string[],
): Promise<readonly bigint[]> {
  const after = await paymentsOf(shop, owner);
  const since = after.filter((transaction) => !before.includes(transaction));
  const ledger = ledgerAt(`${shop.url()}/rpc`);
  const taken = await Promise.all(since.map((transaction) => ledger.paidBy(owner, transaction)));
  return taken.filter((amount) => amount < 0n).map((amount) => -amount);
}

/** By the shop's word: it has nothing left to do. What it did is read from the chain. */
async function isSent(shop: Shop, { orderId, path }: Owed): Promise<boolean> {
  const { refunds } = await read<WireRefunds>(shop, `/${path}/orders/${orderId}/refunds`);
  return refunds.length > 0 && refunds.every(({ state }) => state === 'sent');
}

/** Polls until it is so, or the patience is over: the judge then says what is missing. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endsAtMs = Date.now() + PATIENCE_MS;
  while (Date.now() < endsAtMs) {
    // A shop that dies answers nobody.
    if (await isSo().catch(() => false)) return;
    await systemClock.sleep(LOOK_AGAIN_MS);
  }
}

async function read<T>({ url }: Shop, path: string): Promise<T> {
  return jsonOf(await fetch(url() + path, { headers: HEADERS }));
}

async function post(
  { url }: Shop,
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  return postJson(url() + path, body, { ...HEADERS, ...headers });
}

const MAKERS: Readonly<Record<RefundKind, (parts: Refunding) => Promise<Owed>>> = {
  'partly failed': payCheckout,
  overpaid: async (parts) => {
    const order = await create(parts, parts.email);
    await transfer(parts, order, OVERPAID_ATOMIC);
    return owedOf(order, OVERPAID_ATOMIC - priceOf(order));
  },
  late: payLate,
  'paid twice': async (parts) => {
    const owed = await payLate(parts);
    await transfer(parts, { wallet_address: parts.other }, LATE_ATOMIC);
    return owed;
  },
  'paid elsewhere': (parts) => payLate(parts, parts.payer.address),
  'given back': async (parts) => {
    const order = await create(parts, parts.email.replace('@', '+failing@'));
    await transfer(parts, order, priceOf(order));
    const { order_id: id } = order;
    await until(async () => {
      const { order_state: state } = await read<WirePartnerOrder>(parts.shop, `/v5/orders/${id}`);
      return state === 'WaitingForManualAction';
    });
    await jsonOf(await post(parts.shop, `/sandbox/orders/${id}/refund`, {}));
    return owedOf(order, priceOf(order));
  },
};

async function payLate(parts: Refunding, refundTo = parts.other): Promise<Owed> {
  const order = await create(parts, parts.email, refundTo);
  await jsonOf(await post(parts.shop, `/sandbox/orders/${order.order_id}/cancel`, {}));
  await transfer(parts, order, LATE_ATOMIC);
  return owedOf(order, LATE_ATOMIC);
}

function owedOf({ order_id: orderId }: WirePartnerOrder, amountAtomic: bigint): Owed {
  return { orderId, path: 'v5', amountAtomic };
}

function priceOf({ coin_amount: amount }: WirePartnerOrder): bigint {
  return BigInt(Math.round(Number(amount) * 1e6));
}

async function create(
  { shop, other, email }: Refunding,
  beneficiary: string,
  refundTo = other,
): Promise<WirePartnerOrder> {
  const body = orderBody({
    user: { email },
    deliveries: [{ ...AMAZON_25, beneficiary_account: beneficiary }],
    refund_wallet_address: refundTo,
  });
  return jsonOf(await post(shop, '/v5/orders', body));
}

const rpcOf = (shop: Shop) =>
  createSolanaRpc({ url: `${shop.url()}/rpc`, fetch, clock: systemClock });

async function transfer(
  { shop, payer }: Refunding,
  { wallet_address: payTo }: Pick<WirePartnerOrder, 'wallet_address'>,
  amountAtomic: bigint,
): Promise<void> {
  const rail = createSolanaPayer({ rpc: rpcOf(shop), network: SOLANA_MAINNET, mint: USDC_MINT });
  const asset = rail.asset({ coin: 'USDC', network: 'Solana' });
  if (!asset || !payTo) throw new Error('the order cannot be paid');
  const payment = await rail.sign({
    ...{ signer: payer, payTo, asset, amountAtomic: atomic(amountAtomic) },
    ...{ way: 'direct', tag: tagOf(0), mayOpenAccount: false },
  });
  await rail.send(payment);
}

/** Two gift cards at the checkout host, of which one is not delivered. */
async function payCheckout({ shop, payer, email }: Refunding): Promise<Owed> {
  const items = await read<WireCatalogItem[]>(
    shop,
    '/v1/catalog?country_code=us&brand_name=Amazon.com',
  );
  const product = items.find(({ is_range: isRange }) => !isRange);
  const order = {
    email,
    items: [email, email.replace('@', '+failing@')].map((beneficiary) => ({
      product_id: product?.product_id,
      beneficiary_account: beneficiary,
    })),
  };
  const asked = await post(shop, '/v1/orders', order);
  const { accepts } = (await asked.json()) as { readonly accepts: readonly [PaymentRequirement] };
  const [requirement] = accepts;
  const amountAtomic = parseAtomic(requirement.maxAmountRequired ?? requirement.amount ?? '');
  const rail = createSolanaPayer({ rpc: rpcOf(shop), network: SOLANA_MAINNET, mint: USDC_MINT });
  const { transaction } = await rail.sign({
    way: 'x402',
    requirement,
    amountAtomic,
    signer: payer,
    tag: tagOf(0),
  });
  const terms = { x402Version: X402_VERSION, scheme: 'exact', network: SOLANA_MAINNET };
  const headers = {
    'PAYMENT-SIGNATURE': encodeHeader({ ...terms, payload: { transaction } }),
    [SESSION_HEADER]: asked.headers.get(SESSION_HEADER) ?? '',
  };
  const receipt = await jsonOf<WireOrderReceipt>(await post(shop, '/v1/orders', order, headers));
  return { orderId: receipt.order_id, path: 'v1', amountAtomic: amountAtomic / 2n };
}
