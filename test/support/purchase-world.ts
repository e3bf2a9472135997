/**
 * A merchant and a chain as plain values: sessions, orders and blocks that move with a clock. The
 * judge of every purchase test is what landed here, not what the client believes.
 */

import { createHash } from 'node:crypto';
import type { PurchaseDeps, PurchaseRequest } from '../../src/api/checkout/purchase-deps.ts';
import type { Fetch, FetchInit, Reply } from '../../src/contract/fetch.ts';
import {
  decodeHeader,
  encodeHeader,
  paymentPayload,
  SOLANA_MAINNET,
  USDC_MINT,
} from '../../src/contract/x402.ts';
import { t } from '../../src/domain/message/message.ts';
import { atomic } from '../../src/domain/money/money.ts';
import type { PayerRail, PaymentFate, Signer } from '../../src/rails/rail.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { recorded, type SolanaPayment } from '../../src/rails/solana/seal.ts';
import { readTerms } from '../../src/rails/solana/terms.ts';
import { openJournal } from '../../src/records/journal-files.ts';
import { createVault, type Vault } from '../../src/wallet/vault.ts';
import { type ManualClock, skippingClock } from './manual-clock.ts';
import { stubRail } from './rails.ts';
import { jsonReply } from './scripted-fetch.ts';
import { spendingOf, spendLogAt } from './spending.ts';
import { tempFolder } from './temp-folder.ts';

export const CHECKOUT_URL = 'https://checkout.example';
export const PRICE = 25_250_000n;
const FEE_PAYER = '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4';
const PAY_TO = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const SLOT_MS = 400;
const LIFETIME_BLOCKS = 150;
const FINALITY_BLOCKS = 32;

/** What happens to one paid call: on the way there, at the merchant's, or on the way back. */
export type Fault =
  | 'none'
  | 'request lost'
  | 'reply lost'
  | '502 before'
  | '500 after'
  | '503 before'
  | '429'
  | 'reply cut'
  | 'reply is html'
  | 'receipt without id'
  | 'redirect'
  | 'refused'
  | 'refused, then settled'
  | 'fresh 402'
  | 'accepted, never sent to the chain'
  | 'settled, order forgotten';

export interface World {
  readonly clock: ManualClock;
  readonly signer: Signer;
  readonly rail: PayerRail;
  readonly fetch: Fetch;
  /** Transactions that landed, by message hash. */
  readonly landed: ReadonlyMap<string, { readonly transaction: string; readonly atHeight: number }>;
  /** Payments that were signed. */
  readonly signed: () => number;
  /** Every paid call's header, in order. */
  readonly sent: readonly string[];
  /** Faults of the paid calls to come; `none` when it is empty. */
  readonly faults: Fault[];
  /** Faults of phase 1. */
  readonly challengeFaults: (Fault | 'free')[];
  /** Changes the 402 before it goes out. */
  challenge: { edit: (required: Record<string, unknown>) => Record<string, unknown> };
  /** How orders end, after how long, and whether they are delivered unpaid. */
  delivery: { status: 'completed' | 'failed' | 'expired'; afterMs: number; isGift: boolean };
  chain: { isReachable: boolean };
  /** What the phase 2 calls carried besides the payment. */
  readonly requests: { readonly url: string; readonly init: FetchInit }[];
  deps(over?: Partial<PurchaseDeps>): PurchaseDeps;
}

export const aRequest = (over: Partial<PurchaseRequest> = {}): PurchaseRequest => ({
  key: 'key-1',
  body: {
    email: 'a@example.com',
    items: [{ product_id: 'p-1', beneficiary_account: 'a@example.com' }],
  },
  quotedAtomic: atomic(PRICE),
  capAtomic: atomic(26_000_000n),
  summary: {
    productId: 'p-1',
    productName: 'Amazon.com 25 USD',
    brandName: 'Amazon.com',
    countryCode: 'us',
    faceValue: '25',
    currency: 'USD',
    beneficiary: 'a@example.com',
  },
  ...over,
});

interface Order {
  readonly orderId: string;
  readonly messageHash: string;
  readonly createdAtMs: number;
}

export async function makeWorld(): Promise<World> {
  const clock = skippingClock();
  const startMs = clock.now();
  const signer = signerFromSeed(new Uint8Array(32).fill(3));
  const vault: Vault = await createVault(signer);
  const dir = tempFolder();
  const landed = new Map<string, { transaction: string; atHeight: number }>();
  const orders = new Map<string, Order>();
  const sessions = new Map<string, string>();
  let signatures = 0;
  let randomness = 0;

  const height = (): number => Math.floor((clock.now() - startMs) / SLOT_MS) + 1_000;

  const fateAt = (messageHash: string, lastValid: number): PaymentFate => {
    const found = landed.get(messageHash);
    if (found !== undefined) {
      return height() >= found.atHeight + FINALITY_BLOCKS
        ? { fate: 'landed', transaction: found.transaction, slot: found.atHeight }
        : { fate: 'pending' };
    }
    // Finalized trails the tip, and 32 blocks are the margin (reliability 2.4).
    const isOver = height() - FINALITY_BLOCKS > lastValid + 32;
    return isOver ? { fate: 'dead', proof: t`expired at ${height()}` } : { fate: 'pending' };
  };

  const rail = stubRail({
    checkRequirement: async (requirement, payer) => {
      readTerms(requirement, { network: SOLANA_MAINNET, mint: USDC_MINT, payer });
    },
    sign: async (order) => {
      if (order.way !== 'x402') throw new Error('no transfers here');
      signatures += 1;
      const bytes = `${order.requirement.payTo}|${Buffer.from(order.tag).toString('hex')}|${height()}|${signatures}`;
      return {
        transaction: Buffer.from(bytes).toString('base64'),
        messageHash: createHash('sha256').update(bytes).digest('hex'),
        signature: `signature-${signatures}`,
        blockhash: `blockhash-${height()}`,
        lastValidBlockHeight: height() + LIFETIME_BLOCKS,
        baseline: { sourceAccount: 'source', signature: null, slot: height() },
        payer: signer.address,
      } satisfies SolanaPayment;
    },
    fate: async (payment) =>
      world.chain.isReachable
        ? fateAt(payment.messageHash, recorded(payment).lastValidBlockHeight)
        : { fate: 'unknown', reason: t`the chain cannot be asked` },
    isLive: async (payment) => height() <= recorded(payment).lastValidBlockHeight,
  });

  const issueChallenge = (): Reply => {
    const fault = world.challengeFaults.shift() ?? 'none';
    if (fault === 'free') return jsonReply(200, { order_id: 'cr_free', status: 'processing' });
    if (fault === '502 before') return jsonReply(502, { error: 'supplier_error' });
    if (fault === '503 before') return jsonReply(503, { error: 'facilitator_unavailable' });
    if (fault === 'refused') return jsonReply(400, { error: 'out_of_stock', message: 'Sold out' });
    if (fault === 'reply is html') return jsonReply(402, '<html>');
    if (fault === 'redirect') return jsonReply(307, '', { location: 'https://elsewhere.example' });
    if (fault === 'request lost') throw Object.assign(new Error('cut'), { code: 'ECONNRESET' });
    const session = `session-${sessions.size + 1}`;
    sessions.set(session, '');
    const amount = PRICE.toString();
    const required = world.challenge.edit({
      x402Version: 2,
      error: 'payment required',
      resource: { url: `${CHECKOUT_URL}/v1/orders`, description: 'order' },
      expiresAt: Math.floor(clock.now() / 1_000) + 60,
      accepts: [
        {
          scheme: 'exact',
          network: SOLANA_MAINNET,
          amount,
          maxAmountRequired: amount,
          asset: USDC_MINT,
          payTo: PAY_TO,
          maxTimeoutSeconds: 60,
          extra: { feePayer: FEE_PAYER },
          unknownField: { kept: true },
        },
      ],
    });
    return jsonReply(402, required, {
      'PAYMENT-REQUIRED': encodeHeader(required),
      'X-Session-Id': session,
    });
  };

  const settle = (header: string): Order | undefined => {
    const { payload } = paymentPayload().parse(decodeHeader(header));
    const bytes = Buffer.from(payload.transaction ?? '', 'base64').toString();
    const messageHash = createHash('sha256').update(bytes).digest('hex');
    const known = orders.get(messageHash);
    if (known !== undefined) return known;
    const signedAt = Number(bytes.split('|')[2]);
    if (height() > signedAt + LIFETIME_BLOCKS) return undefined;
    landed.set(messageHash, { transaction: `tx-${landed.size + 1}`, atHeight: height() + 1 });
    return takeOrder(messageHash);
  };

  const takeOrder = (messageHash: string): Order => {
    const orderId = `cr_${orders.size + 1}`;
    const order = { orderId, messageHash, createdAtMs: clock.now() };
    orders.set(messageHash, order);
    return order;
  };

  const receipt = (order: Order | undefined): Reply => {
    if (order === undefined)
      return jsonReply(402, { error: 'payment_invalid', message: 'expired' });
    const transaction = landed.get(order.messageHash)?.transaction ?? 'tx-never';
    return jsonReply(
      200,
      { order_id: order.orderId, status: 'processing', poll_url: `/v1/orders/${order.orderId}` },
      {
        'PAYMENT-RESPONSE': encodeHeader({ success: true, transaction, network: SOLANA_MAINNET }),
      },
    );
  };

  const hashOf = (header: string): string => {
    const { payload } = paymentPayload().parse(decodeHeader(header));
    return createHash('sha256')
      .update(Buffer.from(payload.transaction ?? '', 'base64'))
      .digest('hex');
  };

  const answers: Readonly<Record<Fault, (header: string) => Reply>> = {
    none: (header) => receipt(settle(header)),
    'request lost': () => {
      throw Object.assign(new Error('cut'), { code: 'ECONNRESET' });
    },
    'reply lost': (header) => {
      settle(header);
      throw Object.assign(new Error('cut'), { code: 'ECONNRESET' });
    },
    '502 before': () => jsonReply(502, '<html>bad gateway</html>'),
    '500 after': (header) => {
      settle(header);
      return jsonReply(500, { error: 'internal' });
    },
    '503 before': () =>
      jsonReply(503, { error: 'facilitator_unavailable' }, { 'retry-after': '2' }),
    '429': () => jsonReply(429, { error: 'slow_down' }, { 'retry-after': '1' }),
    'reply cut': (header) => {
      settle(header);
      return jsonReply(200, '{"order_id":"cr_');
    },
    'reply is html': (header) => {
      settle(header);
      return jsonReply(200, '<html>welcome</html>');
    },
    'receipt without id': (header) => {
      settle(header);
      return jsonReply(200, { status: 'processing' });
    },
    redirect: () => jsonReply(307, '', { location: 'https://elsewhere.example/v1/orders' }),
    refused: () =>
      jsonReply(400, {
        ...{ error: 'session_unknown', message: 'no such session', reason: 'no_session_left' },
      }),
    'refused, then settled': (header) => {
      settle(header);
      return jsonReply(402, { error: 'payment_invalid', message: 'not today' });
    },
    'fresh 402': () => issueChallenge(),
    'accepted, never sent to the chain': (header) => receipt(takeOrder(hashOf(header))),
    'settled, order forgotten': (header) => {
      settle(header);
      orders.delete(hashOf(header));
      return jsonReply(404, { error: 'session_unknown', message: 'no such session' });
    },
  };

  const orderStatus = (orderId: string): Reply => {
    const order = [...orders.values()].find((candidate) => candidate.orderId === orderId);
    if (order === undefined) return jsonReply(404, { error: 'order_not_found' });
    const isDue = clock.now() - order.createdAtMs >= world.delivery.afterMs;
    if (!isDue) return jsonReply(200, { order_id: orderId, status: 'processing', deliveries: [] });
    const isPaid = world.delivery.isGift || landed.has(order.messageHash);
    const status = isPaid ? world.delivery.status : 'failed';
    const goods = status === 'completed' ? { voucher_code: `TEST-${orderId}` } : {};
    const reason = status === 'completed' ? {} : { failure_reason: 'out of stock' };
    const state = status === 'completed' ? 'completed' : 'failed';
    return jsonReply(200, {
      order_id: orderId,
      status,
      deliveries: [{ delivery_state: state, ...goods, ...reason }],
    });
  };

  const world: World = {
    clock,
    signer,
    rail,
    landed,
    signed: () => signatures,
    sent: [],
    faults: [],
    challengeFaults: [],
    challenge: { edit: (required) => required },
    delivery: { status: 'completed', afterMs: 0, isGift: false },
    chain: { isReachable: true },
    requests: [],
    fetch: async (url, init = {}) => {
      const path = url.slice(CHECKOUT_URL.length);
      if (path.startsWith('/v1/orders/')) return orderStatus(path.slice('/v1/orders/'.length));
      const header = init.headers?.['PAYMENT-SIGNATURE'];
      world.requests.push({ url, init });
      if (header === undefined) return issueChallenge();
      (world.sent as string[]).push(header);
      return answers[world.faults.shift() ?? 'none'](header);
    },
    deps: (over = {}) => ({
      fetch: world.fetch,
      checkoutUrl: CHECKOUT_URL,
      host: CHECKOUT_URL,
      rail,
      others: async () => [],
      wallet: signer.address,
      signer,
      journal: openJournal({ dir, payer: signer.address }),
      spending: spendingOf(spendLogAt(dir, signer.address)),
      vault,
      clock,
      random: (length) => {
        randomness += 1;
        return createHash('sha512').update(`${randomness}`).digest().subarray(0, length);
      },
      waitMs: 60_000,
      ...over,
    }),
  };
  return world;
}

/** A purchase of a key, and of goods, of its own. */
export const orderOf = (key: string) => {
  const { body } = aRequest();
  return aRequest({ key, allowsDuplicate: true, body: { ...body, email: `${key}@example.com` } });
};
