/** Orders in USDC on Base: what their page lets a wallet sign, and that an order is paid once by it. */
import { createWalletClient, custom, parseAbi } from 'viem';
import { base } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/contract/fetch.ts';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import type { PaymentPayload, PaymentRequirement } from '../../src/contract/x402.ts';
import { withChecksum } from '../../src/rails/evm/address.ts';
import type { Authorization } from '../../src/rails/evm/authorization.ts';
import { createEvmPayer } from '../../src/rails/evm/payer.ts';
import { createEvmRpc } from '../../src/rails/evm/rpc.ts';
import { evmSigner } from '../../src/rails/evm/secp256k1.ts';
import { ENGINES } from '../support/engines.ts';
import { NETWORK, payloadOfAuthorization, secretOf } from '../support/evm-payment.ts';
import { evmAccount } from '../support/live-evm.ts';
import { type PartnerSandbox, partnerSandbox, via } from '../support/partner-sandbox.ts';
import { USDC } from '../support/usdc.ts';

const SHOP = 'https://shop.example';
const PRICE = 25_250_000n;
const ON_BASE = { payment: via('USDC', 'Base') };

interface Offer {
  readonly at: string;
  readonly requirement: PaymentRequirement;
  readonly typedData: { readonly domain: unknown; readonly message: Authorization };
}

describe.each(ENGINES)('the service on %s', (engine) => {
  let host: PartnerSandbox;
  beforeAll(async () => {
    host = await partnerSandbox({ baseUrl: SHOP, engine });
  });
  afterAll(() => host.close());

  const call = async (method: string, params: readonly unknown[]) => {
    const reply = await host.post('/rpc/base', { jsonrpc: '2.0', id: 1, method, params });
    const { result, error } = JSON.parse(await reply.text());
    if (error) throw new Error(error.message);
    return result;
  };
  const fetch: Fetch = (url, init) => host.current().fetch(url, init);
  const balanceOf = async (owner: string) => {
    const rpc = createEvmRpc({ url: `${SHOP}/rpc/base`, fetch, clock: host.clock });
    return (await createEvmPayer({ rpc, network: NETWORK }).balances(owner)).usdcAtomic ?? 0n;
  };

  let wallets = 0;
  async function walletOf(usdcAtomic = 2n * PRICE) {
    wallets += 1;
    const signer = evmSigner(secretOf(`wallet ${wallets}`));
    await call('sandboxFaucet', [signer.address, { usdc: String(usdcAtomic), wei: '0' }]);
    return signer;
  }

  async function offerOf({ order_id }: WirePartnerOrder): Promise<Offer | undefined> {
    const page = await (await host.get(await host.pagePath(order_id))).text();
    const [, offer] = /data-offer="([^"]+)"/.exec(page) ?? [];
    return offer && JSON.parse(offer.replaceAll('&quot;', '"'));
  }

  /** Signs what the page offers, as its script does. */
  async function signed(
    { requirement, typedData }: Offer,
    signer: Awaited<ReturnType<typeof walletOf>>,
    more: Partial<Authorization> = {},
  ): Promise<PaymentPayload> {
    const now = Math.floor(host.clock.now() / 1_000);
    const validity = { validAfter: `${now - 600}`, validBefore: `${now + 300}` };
    const authorization = { ...typedData.message, from: signer.address, ...validity, ...more };
    const payload = await payloadOfAuthorization(authorization, { signer });
    return { x402Version: 2, accepted: requirement, payload };
  }

  async function send({ at }: Offer, payload: unknown, headers?: Record<string, string>) {
    const reply = await host.post(at, payload, headers);
    return { status: reply.status, body: JSON.parse(await reply.text()) };
  }

  it('an order in USDC on Base has an address of its own and a link of EIP-681', async () => {
    const [one, other] = [await host.create(ON_BASE), await host.create(ON_BASE)];
    expect(one.wallet_address).not.toBe(other.wallet_address);
    const [link, query] = (one.qr_text ?? '').split('?');
    expect(link).toBe(`ethereum:${USDC}@8453/transfer`);
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      address: one.wallet_address,
      uint256: String(PRICE),
    });
    const page = await (await host.get(await host.pagePath(one.order_id))).text();
    expect(page).toContain(`href="${one.qr_text?.replaceAll('&', '&amp;')}"`);
  });

  it('a plain transfer pays it', async () => {
    const order = await host.create(ON_BASE);
    const account = evmAccount('sender');
    await call('sandboxFaucet', [
      account.address,
      { usdc: String(PRICE), wei: String(10n ** 18n) },
    ]);
    const transport = custom({ request: ({ method, params }) => call(method, params ?? []) });
    const wallet = createWalletClient({ account, chain: base, transport });
    const hash = await wallet.writeContract({
      address: USDC,
      abi: parseAbi(['function transfer(address,uint256) returns (bool)']),
      functionName: 'transfer',
      args: [withChecksum(order.wallet_address ?? '') as `0x${string}`, PRICE],
    });
    for (const ms of [1_000, 2_000, 2_000]) await host.pass(ms);
    expect(await host.read(order.order_id)).toMatchObject({
      ...{ order_state: 'Done', received_amount: '25.25', payment_transactions: [hash] },
    });
  });

  it('a wallet signs the exact payment, the host settles it, and the order is delivered', async () => {
    const order = await host.create(ON_BASE);
    const offer = await offerOf(order);
    if (offer === undefined) throw new Error('no offer');
    const { requirement, typedData } = offer;
    expect(requirement).toMatchObject({
      ...{ scheme: 'exact', network: 'eip155:8453', amount: String(PRICE), asset: USDC },
      ...{ payTo: order.wallet_address, extra: { name: 'USD Coin', version: '2' } },
    });
    expect(typedData).toMatchObject({
      primaryType: 'TransferWithAuthorization',
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC },
      message: { to: order.wallet_address, value: String(PRICE) },
    });
    const wallet = await walletOf();
    const payload = await signed(offer, wallet);
    const [paid, again] = [await send(offer, payload), await send(offer, payload)];
    expect(paid).toMatchObject({ status: 200, body: { is_settled: true } });
    expect(again.status).toBe(409);
    await host.pass(3_000);
    expect(await host.read(order.order_id)).toMatchObject({
      ...{ order_state: 'Done', received_amount: '25.25' },
      payment_transactions: [paid.body.transaction],
    });
    expect(await balanceOf(wallet.address)).toBe(PRICE);
    expect(await offerOf(order)).toBeUndefined();
  });

  it('many clicks of a wallet are one payment, and a second wallet is told to wait', async () => {
    const order = await host.create(ON_BASE);
    const offer = await offerOf(order);
    if (offer === undefined) throw new Error('no offer');
    const [one, other] = [await walletOf(), await walletOf()];
    const until = Math.floor(host.clock.now() / 1_000) + 200;
    const payloads = await Promise.all([
      signed(offer, one),
      signed(offer, one, { validBefore: `${until}` }),
      signed(offer, one),
      signed(offer, other),
    ]);
    const replies = await Promise.all(payloads.map((payload) => send(offer, payload)));
    await host.pass(3_000);
    expect(await host.read(order.order_id)).toMatchObject({
      ...{ order_state: 'Done', received_amount: '25.25' },
    });
    const held = (await balanceOf(one.address)) + (await balanceOf(other.address));
    expect(held).toBe(3n * PRICE);
    expect(replies.map(({ status }) => status)).toContain(200);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 409]));
  });

  it('what is on record is sent by the next server, if the first one died before', async () => {
    const order = await host.create(ON_BASE);
    const offer = await offerOf(order);
    if (offer === undefined) throw new Error('no offer');
    const wallet = await walletOf();
    const payload = await signed(offer, wallet);
    const messageHash = 'ab'.repeat(32);
    await host.current().store.write(({ paymentRequests }) =>
      paymentRequests.insert(
        {
          ...{ messageHash, orderId: order.order_id, account: wallet.address },
          ...{ amountAtomic: String(PRICE), transaction: messageHash, validUntil: 0 },
          ...{ state: 'live', createdAtMs: host.clock.now(), nextLookAtMs: host.clock.now() },
          wire: JSON.stringify({ payload, requirement: offer.requirement }),
        },
        0n,
      ),
    );
    for (let at = 0; at < 6; at += 1) await host.pass(5_000);
    expect(await host.read(order.order_id)).toMatchObject({ order_state: 'Done' });
    expect(await balanceOf(wallet.address)).toBe(PRICE);
  });

  describe('refuses', () => {
    let order: WirePartnerOrder;
    let offer: Offer;
    beforeAll(async () => {
      order = await host.create(ON_BASE);
      const found = await offerOf(order);
      if (found === undefined) throw new Error('no offer');
      offer = found;
    });

    it.each<[string, Partial<Authorization>, number]>([
      ['a nonce of the payer’s own', { nonce: `0x${'12'.repeat(32)}` }, 409],
      ['less', { value: String(PRICE - 1n) }, 402],
      ['more', { value: String(PRICE + 1n) }, 402],
      ['another recipient', { to: withChecksum(`0x${'5a'.repeat(20)}`) }, 402],
      ['a validity that is over', { validBefore: '1' }, 402],
      ['a validity of years', { validBefore: '4000000000' }, 402],
    ])('%s', async (_what, more, status) => {
      const payload = await signed(offer, await walletOf(), more);
      expect((await send(offer, payload)).status).toBe(status);
    });

    it('a wallet with too little, another’s signature, another form, and a page of elsewhere', async () => {
      const poor = await walletOf(PRICE - 1n);
      const rich = await walletOf();
      expect((await send(offer, await signed(offer, poor))).body.message).toContain(
        'insufficient_balance',
      );
      const stolen = await signed(offer, poor, { from: rich.address });
      expect((await send(offer, stolen)).body.message).toContain('signature');
      expect((await send(offer, { x402Version: 2 })).status).toBe(400);
      const good = await signed(offer, rich);
      const elsewhere = { Origin: 'https://elsewhere.example' };
      expect((await send(offer, good, elsewhere)).status).toBe(403);
      expect(await balanceOf(rich.address)).toBe(2n * PRICE);
    });

    it('a payment of another order, and of one on another network', async () => {
      const solana = await host.create();
      expect(await offerOf(solana)).toBeUndefined();
      const payload = await signed(offer, await walletOf());
      const other = await offerOf(await host.create(ON_BASE));
      expect((await send({ ...offer, at: other?.at ?? '' }, payload)).status).toBe(409);
      const at = `${await host.pagePath(solana.order_id)}/authorization`;
      expect((await send({ ...offer, at }, payload)).status).toBe(400);
    });
  });

  it('a missing part is offered anew, and the same wallet pays it', async () => {
    const order = await host.create(ON_BASE);
    await host.post(`/sandbox/orders/${order.order_id}/pay`, { amount: '5.25' });
    await host.pass(2_000);
    const offer = await offerOf(order);
    if (offer === undefined) throw new Error('no offer');
    expect(offer.requirement.amount).toBe('20000000');
    expect((await send(offer, await signed(offer, await walletOf()))).status).toBe(200);
    await host.pass(3_000);
    expect(await host.read(order.order_id)).toMatchObject({ order_state: 'Done' });
  });
});
