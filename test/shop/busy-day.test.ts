/**
 * A shop at its defaults on a busy day, by simulated time: it refuses no order, and holds little SOL as rent. The
 * whole day is 5,000 orders of each surface: SCRIP_BUSY_DAY=5000.
 */

import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { Fetch } from '../../src/contract/fetch.ts';
import {
  encodeHeader,
  type PaymentRequirement,
  SESSION_HEADER,
  SOLANA_MAINNET,
  USDC_MINT,
} from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { atomic, parseAtomic, parseDecimal } from '../../src/domain/money/money.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { OPENING_RENT } from '../../src/rails/solana/open-account.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { openChain } from '../../src/sandbox/chain/chain.ts';
import { createRpcEndpoint } from '../../src/sandbox/rpc/handler.ts';
import { openShop } from '../../src/shop/shop.ts';
import { readShopConfig } from '../../src/shop/shop-config.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';
import { createKeyFile } from '../../src/wallet/key-file.ts';
import { skippingClock } from '../support/manual-clock.ts';
import { newKey } from '../support/new-key.ts';
import { tagOf } from '../support/rails.ts';
import { random } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';

const WHOLE_DAY = 5_000;
const ORDERS = Number(process.env.SCRIP_BUSY_DAY ?? 12);
const SPACING_MS = Math.floor(86_400_000 / WHOLE_DAY);
/** Of so many orders of the partner API one more is never paid. */
const UNPAID_EVERY = 4;
const BASE = 'https://shop.example';
const PRODUCT = '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b01';
const BUYER = signerFromSeed(new Uint8Array(32).fill(51));
const STEP_MS = 6_000;

it(`sells ${ORDERS} orders on each surface at the pace of ${WHOLE_DAY} a day without a refusal`, async () => {
  const folder = tempFolder();
  const clock = skippingClock();
  const chainStore = await openSqliteChain(':memory:');
  const chain = await openChain({ store: chainStore, clock });
  const [feePayer, treasury] = [newKey(), newKey().address];
  createKeyFile(join(folder, 'fee-payer.json'), feePayer);
  writeFileSync(
    join(folder, 'goods.json'),
    JSON.stringify({
      brands: [
        {
          ...{ brand_name: 'Corner Books', country_code: 'us', category: 'retail' },
          products: [{ product_id: PRODUCT, face_value: '20' }],
        },
      ],
    }),
  );
  await chain.airdrop(feePayer.address, 5_000_000_000n);
  await chain.airdrop(BUYER.address, 100_000_000_000n);
  await chain.fundUsdc(BUYER.address, 1_000_000_000_000n);
  await chain.openForPayments(treasury);
  const answer = createRpcEndpoint(chain);
  const fetch: Fetch = async (url, init) => {
    const request = new Request(url, init);
    const { port, pathname } = new URL(url);
    if (port === '1') return answer(request);
    if (pathname === '/stock') return Response.json({ available: true });
    const { reference } = (await request.json()) as { reference: string };
    const voucher = { voucher_code: `CODE-${reference}` };
    return Response.json({ status: 'fulfilled', reference, voucher });
  };
  const rpcUrl = 'http://127.0.0.1:1/rpc';
  const faults: unknown[] = [];
  const shop = await openShop({
    config: readShopConfig(
      JSON.stringify({
        ...{ data_dir: 'data', master_seed: { env: 'SEED' }, listen: { port: 0 } },
        chain: {
          ...{ rpc: { env: 'RPC' }, fee_payer: { file: 'fee-payer.json' }, treasury },
          // Its node has no websocket; payments are found by looking.
          subscriptions: 0,
        },
        catalog: { file: 'goods.json' },
        supplier: { kind: 'http', url: 'http://127.0.0.1:2', token: { env: 'TOKEN' } },
      }),
    ),
    sources: {
      env: { SEED: '7'.repeat(64), RPC: rpcUrl, TOKEN: 'token' },
      resolvePath: (path) => resolve(folder, path),
    },
    fetch,
    clock,
    baseUrl: BASE,
    sendWebhook: async () => ({ status: 200 }),
    alarmPorts: {
      post: async () => ({ status: 200 }),
      ...{ sendMail: async () => undefined, certificateEndsAtMs: async () => undefined },
    },
    random,
    report: (error) => faults.push(error),
  });
  const rpc = createSolanaRpc({ url: rpcUrl, fetch, clock });
  const payer = createSolanaPayer({ rpc, network: SOLANA_MAINNET, mint: USDC_MINT });
  const direct = createSolanaPayer({ rpc, network: SOLANA_MAINNET, mint: USDC_MINT });
  const usdc = direct.asset({ coin: 'USDC', network: 'Solana' });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    shop.handle(new Request(BASE + path, { method: 'POST', body: JSON.stringify(body), headers }));

  async function sellOverX402(at: number): Promise<void> {
    const order = {
      email: `x${at}@example.com`,
      items: [{ product_id: PRODUCT, beneficiary_account: `x${at}@example.com` }],
    };
    const asked = await post('/v1/orders', order);
    expect(asked.status).toBe(402);
    const { accepts } = (await asked.json()) as { accepts: [PaymentRequirement] };
    const [requirement] = accepts;
    const amountAtomic = parseAtomic(requirement.maxAmountRequired ?? '');
    const signed = await payer.sign({
      requirement,
      amountAtomic,
      signer: BUYER,
      tag: tagOf(at),
      way: 'x402',
    });
    const payment = { x402Version: 2, accepted: requirement, payload: signed };
    const paid = await post('/v1/orders', order, {
      'PAYMENT-SIGNATURE': encodeHeader(payment),
      [SESSION_HEADER]: asked.headers.get(SESSION_HEADER) ?? '',
    });
    expect([paid.status, await paid.text()]).toEqual([200, expect.any(String)]);
  }

  async function order(name: string) {
    const made = await post(
      '/v5/orders',
      {
        user: { email: `${name}@example.com` },
        payment: { type: 'via', payment_via: 'user_wallet', coin: 'USDC', network: 'Solana' },
        deliveries: [
          {
            ...{ brand_name: 'Corner Books', country_code: 'US', denomination: '20 USD' },
            beneficiary_account: `${name}@example.com`,
          },
        ],
      },
      { 'x-cr-application': 'partner-1' },
    );
    const text = await made.text();
    expect([made.status, text]).toEqual([200, expect.stringContaining('wallet_address')]);
    return JSON.parse(text) as { wallet_address: string; coin_amount: string };
  }

  async function sellToPartner(at: number): Promise<void> {
    const { wallet_address: payTo, coin_amount: amount } = await order(`p${at}`);
    if (usdc === undefined) throw new Error('USDC is not on the chain');
    const terms = { asset: usdc, payTo, amountAtomic: parseDecimal(amount, 6), tag: tagOf(at) };
    await direct.send(
      await direct.sign({ way: 'direct', ...terms, signer: BUYER, mayOpenAccount: false }),
    );
  }

  let mostRent = 0n;
  async function pass(ms: number, stepMs = STEP_MS): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(left, stepMs));
      await shop.tick();
      for (let turn = 0; turn < 12; turn += 1) await new Promise((done) => setImmediate(done));
    }
    const line = (await shop.metrics?.())?.filter((one) => one.includes('receiving_accounts{'));
    const open = (line ?? []).reduce((sum, one) => sum + Number(one.split(' ').at(-1)), 0);
    const rent = BigInt(open) * OPENING_RENT;
    if (rent > mostRent) mostRent = rent;
  }

  try {
    const startMs = clock.now();
    await pass(60_000);
    for (let at = 1; at <= ORDERS; at += 1) {
      const dueMs = startMs + 60_000 + at * SPACING_MS;
      await sellOverX402(at);
      await sellToPartner(at);
      if (at % UNPAID_EVERY === 0) await order(`never${at}`);
      await pass(Math.max(STEP_MS, dueMs - clock.now()));
    }
    await pass(20 * 60_000, 20_000);
    // Time leaps here while a check runs, which is a timeout to the alarms.
    const isAlarm = (fault: unknown) => fault instanceof ScripError && fault.code === 'SHOP_ALARM';
    expect(faults.filter((fault) => !isAlarm(fault)).map(String)).toEqual([]);
    const metrics = ((await shop.metrics?.()) ?? []).join('\n');
    expect(metrics).toContain('scrip_receiving_accounts{state="used"} 0');
    const held = await rpc.tokenAccountBalance(associatedTokenAddress(treasury, USDC_MINT));
    expect(held).toBe(atomic(BigInt(2 * ORDERS) * 20_200_000n));
    // Less than what 34 accounts, a day's rent, hold.
    expect(mostRent).toBeLessThan(100_000_000n);
    const spent = 5_000_000_000n - (await rpc.balance(feePayer.address));
    if (ORDERS >= 1_000) {
      console.info({ mostRent, spent, hours: (clock.now() - startMs) / 3_600_000 });
    }
  } finally {
    await shop.close();
    await chainStore.close();
    rmSync(folder, { recursive: true });
  }
}, 3_600_000);
