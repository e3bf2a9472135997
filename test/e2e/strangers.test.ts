/** What a stranger gets who knows what the chain shows of a payment, and guesses the rest of the order. */
import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { describe, expect, it } from 'vitest';
import {
  decodeHeader,
  encodeHeader,
  PAYMENT_RESPONSE_HEADER,
  PAYMENT_SIGNATURE_HEADER,
  SESSION_HEADER,
  SOLANA_MAINNET,
} from '../../src/contract/x402.ts';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { postJson } from '../support/post-json.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundAt, fundedWallet } from '../support/shop.ts';
import { rpc } from '../support/x402-payer.ts';

const home = makeHome(SCRIP, FINAL_SOON);
const sandbox = await serveSandbox(home, ['--strict-limits']);
await fundedWallet(home, sandbox.flags);
const productId = amazonProducts().fixed.product_id;

interface Wire {
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

const post = ({ body, headers }: Wire): Promise<Response> =>
  postJson(`${sandbox.url}/v1/orders`, body, headers);

/** The body that `buy` orders with, which a stranger may guess. */
const guessedBody = () => ({
  email: 'you@example.com',
  items: [{ product_id: productId, beneficiary_account: 'friend@example.com' }],
});

interface Landed {
  readonly transaction: readonly [bytes: string, encoding: string];
}

/** The bytes of a transaction that landed, as anybody reads them from the chain. */
async function landedBytes(transaction: string): Promise<string> {
  const how = { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
  const landed = await rpc<Landed>(sandbox.url, 'getTransaction', [transaction, how]);
  return landed.transaction[0];
}

const TERMS = { scheme: 'exact', network: SOLANA_MAINNET };

function paymentOf(transaction: string, more: Record<string, unknown> = {}): Wire['headers'] {
  const payload = { x402Version: 2, ...TERMS, payload: { transaction }, ...more };
  return { [PAYMENT_SIGNATURE_HEADER]: encodeHeader(payload) };
}

const identified = (id: string) => ({
  'payment-identifier': { info: { required: false, id }, schema: {} },
});

describe('a stranger who has the transaction, the product and the e-mail address', () => {
  it('is told neither an order nor a code, whatever the payment says beside them', async () => {
    const order = await buy(home, productId, [...sandbox.flags, '--idempotency-key', 'private']);
    const transaction = await landedBytes(order.transaction);
    const body = guessedBody();
    const tries: Record<string, string>[] = [
      paymentOf(transaction),
      paymentOf(transaction, { accepted: TERMS }),
      paymentOf(transaction, { accepted: { ...TERMS, extra: {} } }),
      paymentOf(transaction, { accepted: { ...TERMS, extra: { sessionId: randomUUID() } } }),
      paymentOf(transaction, { accepted: { ...TERMS, extra: { sessionId: '' } } }),
      paymentOf(transaction, { accepted: TERMS, extensions: identified('order-0000000001') }),
      paymentOf(transaction, { accepted: TERMS, extensions: identified(randomUUID()) }),
      { ...paymentOf(transaction, { accepted: TERMS }), [SESSION_HEADER]: randomUUID() },
    ];
    for (const headers of tries) {
      const response = await post({ body, headers });
      const text = JSON.stringify([...response.headers]) + (await response.text());
      expect(text).not.toContain(order.order_id);
      expect(text).not.toContain(order.deliveries[0]?.voucher_code);
      expect([400, 409]).toContain(response.status);
    }
  });

  it('is told nothing by the facilitator either', async () => {
    const order = await buy(home, productId, [...sandbox.flags, '--idempotency-key', 'settled']);
    const transaction = await landedBytes(order.transaction);
    const asked = await post({ body: guessedBody(), headers: {} });
    const { accepts } = (await asked.json()) as { accepts: unknown[] };
    for (const path of ['/verify', '/settle']) {
      const response = await postJson(sandbox.url + path, {
        x402Version: 2,
        paymentPayload: { x402Version: 2, accepted: TERMS, payload: { transaction } },
        paymentRequirements: accepts[0],
      });
      const text = JSON.stringify([...response.headers]) + (await response.text());
      expect(text).not.toContain(order.order_id);
      expect(text).not.toContain(order.deliveries[0]?.voucher_code);
    }
  });
});

/** A payment of the public client at its defaults, with the request that it made of it. */
async function referencePurchase(): Promise<{ readonly sent: Wire; readonly first: Response }> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  await fundAt(sandbox.url, signer.address, '100', '0');
  const scheme = new ExactSvmScheme(signer, { rpcUrl: `${sandbox.url}/rpc` });
  const client = new x402Client().register(SOLANA_MAINNET, scheme);
  client.setSpendControls(false);
  const body = guessedBody();
  let payment = '';
  const watched: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    payment = request.headers.get(PAYMENT_SIGNATURE_HEADER) ?? payment;
    expect(request.headers.get(SESSION_HEADER)).toBeNull();
    return fetch(request);
  };
  const first = await wrapFetchWithPayment(watched, client)(`${sandbox.url}/v1/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { first, sent: { body, headers: { [PAYMENT_SIGNATURE_HEADER]: payment } } };
}

describe('the public client', () => {
  it('may send its payment again, however many strangers guess at it in between', async () => {
    const { first, sent } = await referencePurchase();
    expect(first.status).toBe(200);
    const receipt = (await first.json()) as { readonly order_id: string };
    const settlement = decodeHeader(first.headers.get(PAYMENT_RESPONSE_HEADER) ?? '') as {
      readonly transaction: string;
    };
    const transaction = await landedBytes(settlement.transaction);
    const guesses = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        post({
          body: { ...guessedBody(), email: `guess-${index}@example.com` },
          headers: paymentOf(transaction, { accepted: TERMS }),
        }),
      ),
    );
    const limited = guesses.filter(({ status }) => status === 429);
    expect(guesses.filter(({ status }) => status === 200)).toEqual([]);
    expect(limited.length).toBeGreaterThan(30);
    for (const { headers } of limited) {
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    const again = await post(sent);
    expect([again.status, await again.json()]).toEqual([200, receipt]);
  });
});

describe('a buyer whose journal is lost', () => {
  it('finds the order of its key again, and pays nothing', async () => {
    const other = makeHome();
    const payer = await fundedWallet(other, sandbox.flags);
    const words = [...sandbox.flags, '--idempotency-key', 'lost'];
    const bought = await buy(other, productId, words);
    await finalized(bought.transaction);
    rmSync(join(other.dir, '.local/state/scrip/journal'), { recursive: true });
    const found = await buy(other, productId, words);
    expect(found).toMatchObject({
      order_id: bought.order_id,
      transaction: bought.transaction,
      deliveries: [{ voucher_code: bought.deliveries[0]?.voucher_code }],
    });
    const ledger = ledgerAt(`${sandbox.url}/rpc`);
    expect(await ledger.payments(payer)).toEqual([bought.transaction]);
  });
});

async function finalized(transaction: string): Promise<void> {
  const status = async () => {
    type Statuses = { readonly value: readonly unknown[] };
    const method = 'getSignatureStatuses';
    return (await rpc<Statuses>(sandbox.url, method, [[transaction]])).value[0];
  };
  await expect.poll(status, { interval: 500 }).toMatchObject({ confirmationStatus: 'finalized' });
}
