/** Orders that end with money owed back, at a shop that dies while it sends that money. */

import type { WireCatalogItem } from '../../src/contract/checkout.ts';
import type { WireRefunds } from '../../src/contract/order-refunds.ts';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { BASE } from '../../src/contract/usdc.ts';
import { SOLANA_MAINNET } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { systemClock } from '../../src/net/clock.ts';
import type { Signer } from '../../src/rails/rail.ts';
import { openPayerRail } from '../../src/rails/registry.ts';
import { baseLedgerAt, ledgerAt } from '../support/ledger.ts';
import { AMAZON_25, HEADERS, jsonOf, orderBody } from '../support/partner-sandbox.ts';
import { payAtHost } from '../support/pay-at-host.ts';
import { postJson } from '../support/post-json.ts';
import { tagOf } from '../support/rails.ts';
import type { Place } from './cases.ts';
import type { Shop } from './shop.ts';

/** Why money is owed back; all but the first are of orders of the partner API. */
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
  readonly place: Place;
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
  const { shop, payer, other, place } = parts;
  const recipient = { place, owner: kind === 'partly failed' ? payer.address : other };
  const before = await creditsOf(shop, recipient);
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
  const after = await creditsOf(shop, recipient);
  const credits = [...after].flatMap(([id, amount]) => (before.has(id) ? [] : [amount]));
  const sum = credits.reduce((total, amount) => total + amount, 0n);
  return [
    ...(credits.length > 1 || sum > owed.amountAtomic ? (['double refund'] as const) : []),
    ...(sum < owed.amountAtomic ? (['lost refund'] as const) : []),
    ...(isKilled ? [] : (['point not reached'] as const)),
  ];
}

const rpcUrlOf = ({ url }: Shop, place: Place): string =>
  `${url()}/rpc${place === 'base' ? '/base' : ''}`;

async function creditsOf(
  shop: Shop,
  { place, owner }: { readonly place: Place; readonly owner: string },
): Promise<ReadonlyMap<string, bigint>> {
  await shop.up();
  const url = rpcUrlOf(shop, place);
  return (place === 'base' ? baseLedgerAt(url) : ledgerAt(url)).credits(owner);
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

const railOf = (shop: Shop, place: Place) =>
  openPayerRail(place === 'base' ? BASE : SOLANA_MAINNET, {
    ...{ url: rpcUrlOf(shop, place), fetch, clock: systemClock },
  });

async function transfer(
  { shop, payer, place }: Refunding,
  { wallet_address: payTo }: Pick<WirePartnerOrder, 'wallet_address'>,
  amountAtomic: bigint,
): Promise<void> {
  const rail = await railOf(shop, place);
  const asset = rail.asset({ coin: 'USDC', network: 'Solana' });
  if (!asset || !payTo) throw new Error('the order cannot be paid');
  const payment = await rail.sign({
    ...{ signer: payer, payTo, asset, amountAtomic: atomic(amountAtomic) },
    ...{ way: 'direct', tag: tagOf(0), mayOpenAccount: false },
  });
  await rail.send(payment);
}

/** Two gift cards at the checkout host, of which one is not delivered. */
async function payCheckout({ shop, payer, place, email }: Refunding): Promise<Owed> {
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
  const { orderId, amountAtomic } = await payAtHost(
    (headers) => post(shop, '/v1/orders', order, headers),
    { rail: await railOf(shop, place), signer: payer },
  );
  return { orderId, path: 'v1', amountAtomic: amountAtomic / 2n };
}
