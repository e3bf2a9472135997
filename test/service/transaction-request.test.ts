/** Solana Pay's requests against the embedded chain, served over RPC: paid by a wallet, and attacked. */
import { Connection, Keypair } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { type Listening, listen } from '../../src/service/http/node.ts';
import { ENGINES } from '../support/engines.ts';
import { type PartnerSandbox, partnerSandbox, via } from '../support/partner-sandbox.ts';
import * as solanaPay from '../support/solana-pay-wallet.ts';

const BASE = 'https://shop.example';
const PRICE = 25_250_000n;
/** Two signatures, and 20,001 units at 1,000 micro-lamports. */
const FEE = 10_021n;
const BUDGET = 10_000_000n;
const DAY_MS = 86_400_000;

describe.each(ENGINES)('the service on %s', (engine) => {
  let host: PartnerSandbox;
  let listening: Listening;
  beforeAll(async () => {
    host = await partnerSandbox({ baseUrl: BASE, engine });
    const { handle, follow } = host.current();
    listening = await listen({ handler: handle, follow, port: 0, host: '127.0.0.1' });
  });
  afterAll(async () => {
    await host.close();
    await listening.close();
  });

  /** A wallet with USDC and, unless told, without any SOL. */
  async function walletOf(usdcAtomic = 100_000_000n, lamports = 0n): Promise<solanaPay.Wallet> {
    const keys = Keypair.generate();
    await host.current().fund(keys.publicKey.toBase58(), { usdcAtomic, lamports });
    const rpcUrl = `http://127.0.0.1:${listening.port}/rpc`;
    const toShop = (url: string) => url.replace(BASE, `http://127.0.0.1:${listening.port}`);
    return { keys, rpcUrl, fetch: (url, init) => fetch(toShop(url), init) };
  }

  const addressOf = ({ keys }: solanaPay.Wallet) => keys.publicKey.toBase58();

  async function linkOnPage({ order_id }: { readonly order_id: string }): Promise<string> {
    const page = await (await host.get(await host.pagePath(order_id))).text();
    const [, link = ''] = /href="(solana:https:[^"]+)"/.exec(page) ?? [];
    return link;
  }

  async function ask(orderId: string, account: string) {
    const reply = await host.post(`${await host.pagePath(orderId)}/transaction`, { account });
    const body: Record<string, string> = JSON.parse(await reply.text());
    return { status: reply.status, body, retryAfter: reply.headers.get('Retry-After') };
  }

  const usdcOf = (owner: string) =>
    host.rpc.tokenAccountBalance(associatedTokenAddress(owner, USDC_MINT));

  describe('a wallet that does what Solana Pay says', () => {
    it('pays by a transaction request without any SOL, with the order’s own amount', async () => {
      const wallet = await walletOf();
      const order = await host.create();
      const link = await linkOnPage(order);
      expect(link).toBe(`solana:${order.checkout_url}/transaction`);
      expect(await solanaPay.describe(wallet, link)).toEqual({
        label: 'shop.example',
        icon: `${BASE}/pay/icon.svg`,
      });
      const offered = await solanaPay.askTransaction(wallet, link);
      expect(offered.message).toBe(`25.25 USDC for order ${order.checkout_url?.split('/').at(-1)}`);
      const reference = new URL(order.qr_text ?? '').searchParams.get('reference');
      const transfer = offered.transaction.instructions.at(-1);
      expect(transfer?.keys.map(({ pubkey }) => pubkey.toBase58())).toContain(reference);
      await solanaPay.sendSigned(wallet, offered);
      await host.pass(3_000);
      const paid = await host.read(order.order_id);
      expect(paid).toMatchObject({ order_state: 'Done', received_amount: '25.25' });
    });

    it('pays the missing part after a part', async () => {
      const wallet = await walletOf();
      const order = await host.create();
      await host.transfer(order.wallet_address ?? '', 25_000_000n);
      await host.pass(3_000);
      const offered = await solanaPay.askTransaction(wallet, await linkOnPage(order));
      expect(offered.message).toBe(`0.25 USDC for order ${order.checkout_url?.split('/').at(-1)}`);
      await solanaPay.sendSigned(wallet, offered);
      await host.pass(3_000);
      expect((await host.read(order.order_id)).order_state).toBe('Done');
    });

    it('may be a web page of any origin', async () => {
      const { order_id } = await host.create();
      const page = await host.pagePath(order_id);
      const path = `${page}/transaction`;
      const asked = await host.current().fetch(BASE + path, {
        method: 'OPTIONS',
        headers: { Origin: 'https://wallet.example', 'Access-Control-Request-Method': 'POST' },
      });
      expect(asked.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(asked.headers.get('Access-Control-Allow-Methods')).toContain('POST');
      expect((await host.get(path)).headers.get('Access-Control-Allow-Origin')).toBe('*');
      // The page itself stays closed.
      expect((await host.get(page)).headers.get('Access-Control-Allow-Origin')).toBe(null);
    });
  });

  describe('one payment of an order at a time', () => {
    it('two wallets at once: one is served, the other waits until that payment ran out', async () => {
      const [one, other] = [await walletOf(), await walletOf()];
      const { order_id } = await host.create();
      const answers = await Promise.all([one, other].map((w) => ask(order_id, addressOf(w))));
      const [served, refused] = answers.toSorted((a, b) => a.status - b.status);
      expect([served?.status, refused?.status]).toEqual([200, 409]);
      expect(refused?.body.error).toBe('payment_not_due');
      expect(Number(refused?.retryAfter)).toBeGreaterThan(0);
      const late = answers[0] === served ? other : one;
      await host.pass(90_000);
      expect((await ask(order_id, addressOf(late))).status).toBe(200);
    });

    it('the same wallet gets the same bytes again, and its payment lands once', async () => {
      const wallet = await walletOf();
      const order = await host.create();
      const link = await linkOnPage(order);
      const [first, second] = [
        await solanaPay.askTransaction(wallet, link),
        await solanaPay.askTransaction(wallet, link),
      ];
      expect(second.transaction.compileMessage().serialize()).toEqual(
        first.transaction.compileMessage().serialize(),
      );
      const id = await solanaPay.sendSigned(wallet, first);
      // A repeat is the same transaction: the chain knows it already.
      await solanaPay.sendSigned(wallet, second).catch(() => id);
      await host.pass(3_000);
      expect((await host.read(order.order_id)).order_state).toBe('Done');
      expect(await usdcOf(addressOf(wallet))).toBe(100_000_000n - PRICE);
      expect((await ask(order.order_id, addressOf(wallet))).status).toBe(409);
    });

    it('another amount waits until the payment of the old one ran out', async () => {
      const wallet = await walletOf();
      const order = await host.create();
      expect((await ask(order.order_id, addressOf(wallet))).status).toBe(200);
      await host.transfer(order.wallet_address ?? '', 20_000_000n);
      await host.pass(3_000);
      const early = await ask(order.order_id, addressOf(wallet));
      expect([early.status, early.body.error]).toEqual([409, 'payment_not_due']);
      await host.pass(90_000);
      const { body } = await ask(order.order_id, addressOf(wallet));
      expect(body.message).toBe(`5.25 USDC for order ${order.checkout_url?.split('/').at(-1)}`);
    });
  });

  describe('nothing is signed', () => {
    it.each([
      ['that was canceled', (id: string) => host.post(`/sandbox/orders/${id}/cancel`, {})],
      ['whose time is over', () => host.pass(16 * 60_000)],
    ])('for an order %s', async (_what, end) => {
      const wallet = await walletOf();
      const { order_id } = await host.create();
      await end(order_id);
      const { status, body } = await ask(order_id, addressOf(wallet));
      expect([status, body.error]).toEqual([409, 'payment_not_due']);
    });

    it('for an order while its payment is being confirmed', async () => {
      const wallet = await walletOf();
      const order = await host.create();
      await host.transfer(order.wallet_address ?? '', PRICE);
      expect((await ask(order.order_id, addressOf(wallet))).status).toBe(409);
    });

    it('for an order of another coin, or none', async () => {
      const wallet = await walletOf();
      const { order_id } = await host.create({ payment: via('SOL', 'Solana') });
      for (const id of [order_id, '00000000-0000-4000-8000-000000000000']) {
        expect((await ask(id, addressOf(wallet))).status).toBe(404);
        expect((await host.get(`${await host.pagePath(id)}/transaction`)).status).toBe(404);
      }
    });

    it.each([
      ['no USDC account', 0n],
      ['too little USDC', PRICE - 1n],
    ])('for a wallet with %s', async (_what, usdcAtomic) => {
      const wallet = await walletOf(usdcAtomic, 10_000_000n);
      const { order_id } = await host.create();
      const { status, body } = await ask(order_id, addressOf(wallet));
      expect([status, body.error]).toEqual([400, 'invalid_request']);
      expect(body.message).toContain('too little USDC');
    });

    it('for what is no wallet: the shop’s own accounts, programs, anything', async () => {
      const order = await host.create();
      const accounts = [
        host.current().feePayer,
        order.wallet_address,
        'So11111111111111111111111111111111111111112',
        'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
        '',
        'x'.repeat(5_000),
        7,
      ];
      const path = `${await host.pagePath(order.order_id)}/transaction`;
      for (const account of accounts) {
        const reply = await host.post(path, { account });
        expect([account, reply.status]).toEqual([account, 400]);
      }
      for (const body of [null, [], 'text', { account: { toString: 'x' } }]) {
        expect((await host.post(path, body)).status).toBe(400);
      }
    });
  });

  describe('what the fee payer may lose', () => {
    const spentToday = () => {
      const nowMs = host.clock.now();
      return host.current().store.tables.paymentRequests.feesSince(nowMs - (nowMs % DAY_MS));
    };

    /** Empties the wallet after the shop has signed, so that the payment fails on the chain. */
    async function makeFail(wallet: solanaPay.Wallet): Promise<string> {
      const order = await host.create();
      const { transaction } = await solanaPay.askTransaction(wallet, await linkOnPage(order));
      const dummy = await host.create();
      const all = (await usdcOf(addressOf(wallet))) ?? 0n;
      const amount = `${all / 1_000_000n}.${String(all % 1_000_000n).padStart(6, '0')}`;
      const emptied = new URL(dummy.qr_text ?? '');
      emptied.searchParams.set('amount', amount);
      await solanaPay.payTransferRequest(wallet, emptied.href);
      transaction.partialSign(wallet.keys);
      const connection = new Connection(wallet.rpcUrl, 'confirmed');
      await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true });
      await host.pass(90_000);
      await host.current().fund(addressOf(wallet), { usdcAtomic: 60_000_000n, lamports: 0n });
      return order.order_id;
    }

    it('a payment that never comes costs nothing', async () => {
      const before = await spentToday();
      const { order_id } = await host.create();
      await ask(order_id, addressOf(await walletOf()));
      expect(await spentToday()).toBe(before + FEE);
      await host.pass(90_000);
      await host.pass(10_000);
      expect(await spentToday()).toBe(before);
      expect(await host.current().store.tables.paymentRequests.liveOf(order_id)).toBe(undefined);
    });

    it('a wallet whose payments fail three times gets no more', async () => {
      const wallet = await walletOf(60_000_000n, 100_000_000n);
      const before = await spentToday();
      for (let time = 0; time < 3; time += 1) await makeFail(wallet);
      expect(await spentToday()).toBe(before + 3n * FEE);
      const { order_id } = await host.create();
      const { status, body } = await ask(order_id, addressOf(wallet));
      expect([status, body.message]).toEqual([400, expect.stringContaining('failed too often')]);
      expect((await ask(order_id, addressOf(await walletOf()))).status).toBe(200);
    });

    it('not more than its budget of a day, however many ask at once', async () => {
      const { paymentRequests } = host.current().store.tables;
      const left = BUDGET - (await spentToday());
      const orders = await Promise.all(Array.from({ length: 4 }, () => host.create()));
      const wallets = await Promise.all(orders.map(() => walletOf()));
      const before = {
        messageHash: 'spent before',
        orderId: 'another',
        account: '',
        amountAtomic: '1',
        transaction: '',
        wire: '',
        validUntil: 1,
        state: 'landed',
        createdAtMs: host.clock.now(),
        nextLookAtMs: null,
      } as const;
      await paymentRequests.insert(before, left - 2n * FEE);
      const answers = await Promise.all(
        orders.map(({ order_id }, index) => {
          const wallet = wallets[index];
          return ask(order_id, wallet ? addressOf(wallet) : '');
        }),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 503, 503]);
      expect(await spentToday()).toBe(BUDGET);
      const refused = answers.find(({ status }) => status === 503);
      expect(refused?.body.message).toContain('Pay by a transfer');
      expect(Number(refused?.retryAfter)).toBeGreaterThan(0);
    });
  });
});
