/** Merchants that spell and sort their ways to pay otherwise than the embedded service does. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { type FrontHost, openFrontHost } from '../support/front-host.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { fundedWallet, GIFT, HERE } from '../support/shop.ts';

interface Network {
  readonly name: string;
}
interface Via {
  readonly name: string;
  readonly currencies: readonly { readonly name: string; readonly networks: readonly Network[] }[];
}
interface Order {
  readonly order_id: string;
  readonly order_state: string;
  readonly coin: string;
  readonly network: string;
}

const VIAS = '/v3/payment_vias';
let home: Home;
let sandbox: ServedHere;
let productId: string;
/** Names the kind in capitals, lists a via without networks first, and Solana after the others. */
let shouting: FrontHost;
/** Lists nothing that takes a coin. */
let silent: FrontHost;

/** Coins are listed with their networks in the other order, so that Solana is not the first. */
const turned = (via: Via): Via => ({
  ...via,
  name: via.name.toUpperCase(),
  currencies: via.currencies.map((coin) => ({
    ...coin,
    name: coin.name.toLowerCase(),
    networks: coin.networks
      .toSorted((one, other) => Number(one.name === 'Solana') - Number(other.name === 'Solana'))
      .map((network) => ({ ...network, name: network.name.toUpperCase() })),
  })),
});

const understood = (text: string): string =>
  text
    .replaceAll('"USER_WALLET"', '"user_wallet"')
    .replaceAll('"SOLANA"', '"Solana"')
    .replaceAll('"MAINNET"', '"Mainnet"')
    .replaceAll('"btc"', '"BTC"')
    .replaceAll('"usdc"', '"USDC"');

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveHere(home);
  await fundedWallet(home, sandbox.flags);
  shouting = await openFrontHost(sandbox.url, {
    hear: (_path, body) => understood(body),
    answer: (path, reply) =>
      path === VIAS && reply.status === 200
        ? { ...reply, body: (reply.body as Via[]).toReversed().map(turned) }
        : reply,
  });
  silent = await openFrontHost(sandbox.url, {
    answer: (path, reply) => (path === VIAS ? { ...reply, body: [] } : reply),
  });
  const products = await home.json<{ product_id: string; denomination: string }[]>([
    'catalog',
    ...HERE,
    '--via',
    'partner',
    ...apiOf(sandbox),
  ]);
  productId = products.find(({ denomination }) => denomination === '25 USD')?.product_id ?? '';
});
afterAll(async () => {
  await Promise.all([shouting.close(), silent.close()]);
  await sandbox.stop();
});

const apiOf = ({ url }: { readonly url: string }): readonly string[] => [
  '--api-url',
  url,
  '--checkout-url',
  url,
  '--rpc-url',
  `${sandbox.url}/rpc`,
];

const orderAt = (host: FrontHost, ...more: string[]): Promise<Order> =>
  home.json<Order>([
    'order',
    productId,
    '--via',
    'partner',
    ...HERE,
    ...GIFT,
    '--yes',
    '--allow-duplicate',
    ...apiOf(host),
    ...more,
  ]);

describe('a merchant that lists USER_WALLET, lower-case coins and SOLANA last', () => {
  it('is paid on the network of the wallet where none was named', async () => {
    const order = await orderAt(shouting, '--pay', '--max-amount', '60');
    expect(order).toMatchObject({ order_state: 'Done', coin: 'USDC', network: 'Solana' });
  });

  it('takes means as they are typed, in any case', async () => {
    const order = await orderAt(shouting, '--coin', 'btc', '--network', 'main');
    expect(order).toMatchObject({ coin: 'BTC', network: 'Mainnet' });
    const named = await orderAt(shouting, '--payment-via', 'User_Wallet', '--coin', 'Usdc');
    expect(named).toMatchObject({ coin: 'USDC', network: 'Solana' });
  });
});

describe('a merchant that lists no via', () => {
  it('is asked for USDC on Solana', async () => {
    const order = await orderAt(silent, '--pay', '--max-amount', '60');
    expect(order).toMatchObject({ order_state: 'Done', coin: 'USDC', network: 'Solana' });
  });
});
