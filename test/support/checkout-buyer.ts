/** Buys at a sandbox's checkout host as a client by hand: a challenge, a signature, a payment. */

import type { WireCatalogItem, WireOrderReceipt } from '../../src/contract/checkout.ts';
import {
  encodeHeader,
  type PaymentRequirement,
  SESSION_HEADER,
  SOLANA_MAINNET,
  X402_VERSION,
} from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { BASE, BUYER_WALLET, jsonOf, type PartnerSandbox } from './partner-sandbox.ts';
import { tagOf } from './rails.ts';

export interface Asked {
  readonly order: unknown;
  readonly sessionId: string;
  readonly requirement: PaymentRequirement;
}

export interface CheckoutBuyer {
  /** Phase 1: one line for each beneficiary. */
  ask(...beneficiaries: readonly string[]): Promise<Asked>;
  /** Signs for what was asked, or for another amount; gives what sends it, as often as it is called. */
  sign(
    asked: Asked,
    more?: { nonce?: number | undefined; amount?: bigint | undefined },
  ): Promise<() => Promise<Response>>;
  /** Phase 2. */
  pay(asked: Asked, nonce?: number): Promise<Response>;
  /** Both; gives the order's id. */
  buy(...beneficiaries: readonly string[]): Promise<string>;
}

export function checkoutBuyer(shop: PartnerSandbox): CheckoutBuyer {
  const send = (path: string, init?: RequestInit): Promise<Response> =>
    shop.current().handle(new Request(BASE + path, init));
  const post = (order: unknown, headers: Record<string, string> = {}) =>
    send('/v1/orders', { method: 'POST', body: JSON.stringify(order), headers });
  const ask: CheckoutBuyer['ask'] = async (...beneficiaries) => {
    const path = '/v1/catalog?country_code=us&brand_name=Amazon.com';
    const items = await jsonOf<WireCatalogItem[]>(await send(path));
    const product = items.find(({ is_range }) => !is_range);
    const order = {
      email: 'you@example.com',
      items: beneficiaries.map((beneficiary_account) => ({
        product_id: product?.product_id,
        beneficiary_account,
      })),
    };
    const response = await post(order);
    const text = await response.text();
    if (response.status !== 402) throw new Error(`${response.status}: ${text}`);
    const [requirement] = (JSON.parse(text) as { accepts: [PaymentRequirement] }).accepts;
    return { order, requirement, sessionId: response.headers.get(SESSION_HEADER) ?? '' };
  };
  const sign: CheckoutBuyer['sign'] = async ({ order, requirement, sessionId }, more = {}) => {
    const { nonce = 0, amount = BigInt(requirement.maxAmountRequired ?? '') } = more;
    const { transaction } = await shop.rail.sign({
      requirement: { ...requirement, amount: `${amount}`, maxAmountRequired: `${amount}` },
      amountAtomic: atomic(amount),
      signer: BUYER_WALLET,
      tag: tagOf(nonce),
      way: 'x402',
    });
    const terms = { scheme: 'exact', network: SOLANA_MAINNET };
    const payload = { x402Version: X402_VERSION, ...terms, payload: { transaction } };
    const headers = { 'PAYMENT-SIGNATURE': encodeHeader(payload), [SESSION_HEADER]: sessionId };
    return () => post(order, headers);
  };
  const pay: CheckoutBuyer['pay'] = async (asked, nonce) => (await sign(asked, { nonce }))();
  const buy: CheckoutBuyer['buy'] = async (...beneficiaries) => {
    const receipt = await jsonOf<WireOrderReceipt>(await pay(await ask(...beneficiaries)));
    return receipt.order_id;
  };
  return { ask, sign, pay, buy };
}
