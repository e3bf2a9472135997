/** What the end-to-end tests buy, and how a result looks. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseUsdc } from '../../src/cli/amount.ts';
import { PLAY_MONEY } from '../../src/cli/keys/wallet-keys.ts';
import { parseSol } from '../../src/domain/money/money.ts';
import type { Product } from '../../src/domain/product/product.ts';
import { systemClock } from '../../src/net/clock.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { evmSigner } from '../../src/rails/evm/secp256k1.ts';
import { fundByFaucet } from '../../src/rails/faucet.ts';
import { CATALOG_SEED, createGeneratedCatalog } from '../../src/sandbox/catalog/generated.ts';
import { createKeyFile } from '../../src/wallet/key-file.ts';
import type { Home, RunOptions } from './cli.ts';
import { withEmbedded } from './embedded-service.ts';
import { newKey } from './new-key.ts';

export interface OrderDocument {
  readonly order_id: string;
  readonly status: string;
  readonly amount: string;
  readonly amount_atomic: string;
  readonly asset: string;
  readonly network: string;
  readonly transaction: string;
  readonly payer: string;
  readonly deliveries: readonly {
    readonly delivery_state: string;
    readonly voucher_code?: string;
  }[];
}

export const HERE = ['--country', 'us', '--brand', 'Amazon.com'] as const;
export const GIFT = ['--to', 'friend@example.com', '--email', 'you@example.com'] as const;
export const AGREED = ['--yes', '--max-amount', '60', '--allow-duplicate'] as const;

/** What `scrip wallet mark-play` does at a terminal. */
export function markPlay(home: Home, address: string): void {
  const folder = join(home.dir, '.local', 'share', 'scrip', 'play');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const mark = { v: 1, type: 'scrip-play', address };
  writeFileSync(join(folder, `${address}.json`), `${JSON.stringify(mark)}\n`, { mode: 0o600 });
}

/**
 * A wallet with play money, as `scrip wallet new` and `scrip wallet fund` make one; returns its address. No
 * process is started: the key is a file, and the chain is asked itself.
 * @param flags those of a served sandbox
 */
export async function fundedWallet(
  home: Home,
  flags: readonly string[] = [],
  usdc = '200',
): Promise<string> {
  const key = newKey();
  createKeyFile(join(home.dir, '.local', 'share', 'scrip', 'wallets', 'sandbox.json'), key);
  markPlay(home, key.address);
  const [, url] = flags;
  if (url === undefined) await fund(home, key.address, usdc);
  else await fundAt(new URL(url).origin, key.address, usdc);
  return key.address;
}

/** Play money on the chain of a served sandbox. */
export function fundAt(
  url: string,
  address: string,
  usdc = '200',
  sol: string = PLAY_MONEY.sol,
): Promise<unknown> {
  const chain = { url: `${url}/rpc`, fetch: createHttpFetch({}), clock: systemClock };
  return fundByFaucet(chain, address, fundsOf(usdc, sol));
}

/**
 * A key for Base beside a wallet's key file, with play money; returns its address.
 * @param url of a served sandbox
 */
export async function fundedOnBase(
  home: Home,
  url: string,
  { usdc = '200', keypair = join(home.dir, '.local/share/scrip/wallets/sandbox.json') } = {},
): Promise<string> {
  const secret = randomBytes(32);
  const path = keypair.replace(/\.json$/, '.evm.key');
  writeFileSync(path, secret.toString('hex'), { mode: 0o600 });
  const { address } = evmSigner(secret);
  await fundOnBase(url, address, usdc);
  return address;
}

/** Play money on the stand-in for Base of a served sandbox. */
export function fundOnBase(url: string, address: string, usdc = '200'): Promise<unknown> {
  const chain = { url: `${url}/rpc/base`, fetch: createHttpFetch({}), clock: systemClock };
  return fundByFaucet(chain, address, fundsOf(usdc, '0'));
}

/** Play money on the chain of the embedded service. */
export async function fund(home: Home, address: string, usdc = '200'): Promise<void> {
  await withEmbedded(home, (sandbox) => sandbox.fund(address, fundsOf(usdc)));
}

const fundsOf = (usdc: string, sol: string = PLAY_MONEY.sol) => ({
  usdcAtomic: parseUsdc(usdc),
  lamports: parseSol(sol),
});

const catalog = createGeneratedCatalog({ seed: CATALOG_SEED });

/** Of HERE, as the sandbox sells them on every machine: a fixed card of 10 USD, one of 25, and a range. */
export function amazonProducts() {
  const [, , , brandName] = HERE;
  const products = catalog.products('us', { brandName });
  return {
    fixed: { product_id: idOf(products.find(({ denomination }) => !denomination.isRange)) },
    card25: { product_id: productOf(brandName, '25 USD') },
    range: { product_id: idOf(products.find(({ denomination }) => denomination.isRange)) },
  };
}

/** @param label as `25 USD`; undefined for the range */
export function productOf(brandName: string, label: string | undefined): string {
  const products = catalog.products('us', { brandName });
  const isMeant = ({ denomination, label: own }: Product) =>
    label === undefined ? denomination.isRange : own === label;
  return idOf(products.find(isMeant));
}

function idOf(product: Product | undefined): string {
  if (product === undefined) throw new Error('the sandbox sells no such product');
  return product.productId;
}

/** The words of an order of the fixed product. */
export function orderOf(productId: string, more: readonly string[] = []): string[] {
  return ['order', productId, ...HERE, ...GIFT, ...AGREED, ...more];
}

export function buy(
  home: Home,
  productId: string,
  more: readonly string[],
  options?: RunOptions,
): Promise<OrderDocument> {
  return home.json<OrderDocument>(orderOf(productId, more), options);
}
