/** A sandbox in a folder of its own with a clock that the test moves, and calls of the partner API. */

import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import { createSolanaRpc, type SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { Caller } from '../../src/service/http/route.ts';
import type { ENGINES } from './engines.ts';
import { type ManualClock, skippingClock } from './manual-clock.ts';
import { createDatabase } from './postgres-server.ts';
import { tagOf } from './rails.ts';
import { random } from './random.ts';
import { tempFolder } from './temp-folder.ts';

export const BASE = 'http://sandbox.invalid';
export const APPLICATION = 'shop-1';
export const BUYER_WALLET = signerFromSeed(new Uint8Array(32).fill(21));

export const HEADERS = {
  'X-Cr-Application': APPLICATION,
  'X-Cr-Version': '1.0',
  'User-Agent': 'test',
};

/** Who calls as this partner, with its secret where it has one. */
export const as = (partner: string, secret?: string): Record<string, string> => ({
  'X-Cr-Application': partner,
  ...(secret === undefined ? {} : { Authorization: `Bearer ${secret}` }),
});

export interface PartnerSandbox {
  readonly dataDir: string;
  readonly clock: ManualClock;
  /** Its chain, as a node and as a payer's rail, over restarts. */
  readonly rpc: SolanaRpc;
  readonly rail: ReturnType<typeof createSolanaPayer>;
  /** The one that is open now. */
  current(): Sandbox;
  /** Closes it and opens the folder again, as a restart does. */
  restart(meanwhile?: () => void): Promise<void>;
  /** Another process on the same folder. */
  beside(): Promise<Sandbox>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** @param caller what the server knows of who asks; nothing inside a process */
  post(
    path: string,
    body: unknown,
    headers?: Record<string, string>,
    caller?: Caller,
  ): Promise<Response>;
  create(
    more?: Record<string, unknown>,
    headers?: Record<string, string>,
  ): Promise<WirePartnerOrder>;
  read(orderId: string): Promise<WirePartnerOrder>;
  /** Path of an order's payment page, also of an order that has no `checkout_url`. */
  pagePath(orderId: string): Promise<string>;
  /** Moves time on, then everything that is due. */
  pass(ms: number): Promise<void>;
  /** A transfer on the embedded chain, of USDC or SOL; gives its id. */
  transfer(to: string, amountAtomic: bigint, coin?: string): Promise<string>;
  close(): Promise<void>;
}

export const via = (coin: string, network: string) => ({
  type: 'via',
  payment_via: 'user_wallet',
  coin,
  network,
});

export const AMAZON_25 = {
  denomination: '25 USD',
  brand_name: 'Amazon.com',
  country_code: 'US',
  beneficiary_account: 'friend@example.com',
};

export const orderBody = (more: Record<string, unknown> = {}) => ({
  user: { email: 'buyer@example.com' },
  payment: via('USDC', 'Solana'),
  deliveries: [AMAZON_25],
  ...more,
});

export async function partnerSandbox(
  more: Pick<SandboxOptions, 'catalog' | 'partner' | 'traffic' | 'webhooks' | 'agentUserAgent'> & {
    readonly baseUrl?: string;
    readonly engine?: (typeof ENGINES)[number];
  } = {},
): Promise<PartnerSandbox> {
  const dataDir = tempFolder();
  const clock = skippingClock();
  const { baseUrl = BASE, engine, ...options } = more;
  const database = engine === 'PostgreSQL' ? await createDatabase() : undefined;
  const open = () =>
    openSandbox({
      dataDir,
      clock,
      sharedClock: clock,
      random,
      database: database?.address,
      ...options,
      baseUrl,
    });
  let sandbox = await open();
  await sandbox.fund(BUYER_WALLET.address, {
    usdcAtomic: 1_000_000_000n,
    lamports: 10_000_000_000n,
  });
  let nonce = 0;
  const fetch: Sandbox['fetch'] = (url, init) => sandbox.fetch(url, init);
  const rpc = createSolanaRpc({ url: `${baseUrl}/rpc`, fetch, clock });
  const rail = createSolanaPayer({ rpc, network: SOLANA_MAINNET, mint: USDC_MINT });
  const send = (path: string, init: RequestInit, caller?: Caller): Promise<Response> =>
    sandbox.handle(new Request(baseUrl + path, init), caller);
  const get: PartnerSandbox['get'] = (path, headers = {}) =>
    send(path, { headers: { ...HEADERS, ...headers } });
  const post: PartnerSandbox['post'] = (path, body, headers = {}, caller = {}) =>
    send(
      path,
      { method: 'POST', body: JSON.stringify(body), headers: { ...HEADERS, ...headers } },
      caller,
    );
  return {
    ...{ dataDir, clock, rpc, rail },
    get,
    post,
    current: () => sandbox,
    restart: async (meanwhile) => {
      await sandbox.close();
      meanwhile?.();
      sandbox = await open();
    },
    beside: open,
    create: async (fields, headers) => jsonOf(await post('/v5/orders', orderBody(fields), headers)),
    read: async (orderId) => jsonOf(await get(`/v5/orders/${orderId}`)),
    pagePath: async (orderId) => {
      const row = await sandbox.store.tables.partnerOrders.byId(orderId);
      return `/pay/${row?.pageId ?? orderId}`;
    },
    pass: async (ms) => {
      clock.advance(ms);
      await sandbox.tick();
    },
    transfer: async (payTo, amountAtomic, coin = 'USDC') => {
      nonce += 1;
      const asset = rail.asset({ coin, network: 'Solana' });
      if (!asset) throw new Error(`${coin} is not on the embedded chain`);
      const payment = await rail.sign({
        signer: BUYER_WALLET,
        payTo,
        asset,
        amountAtomic: atomic(amountAtomic),
        tag: tagOf(nonce),
        way: 'direct',
        mayOpenAccount: false,
      });
      await rail.send(payment);
      return payment.signature;
    },
    close: async () => {
      await sandbox.close();
      await database?.drop();
    },
  };
}

/** The JSON of a reply, which has to be a success. */
export async function jsonOf<T>(response: Response): Promise<T> {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return JSON.parse(text) as T;
}
