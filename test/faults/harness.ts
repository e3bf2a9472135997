/** Runs cases against real processes and judges each by the ledgers. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { evmSigner } from '../../src/rails/evm/secp256k1.ts';
import type { Signer } from '../../src/rails/rail.ts';
import { decodeBase58 } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import { type CompanyNetwork, openCompanyNetwork } from '../support/company-network.ts';
import type { Instead } from '../support/connect-proxy.ts';
import { fundAt, fundOnBase } from '../support/shop.ts';
import { troubledChain } from './base-chain.ts';
import { LIES } from './broken-buyers.ts';
import { type Buyer, type BuyerReport, makeBuyer, type Wanted } from './buyer.ts';
import type { Case, Place, Run } from './cases.ts';
import type { Pace } from './fast-clock.ts';
import { type FaultProxy, openProxy } from './fault-proxy.ts';
import { type Books, type Judge, openJudge, type Violation, violations } from './judge.ts';
import { isDelivered, isUnpaid, toItsEnd } from './pursuit.ts';
import { type RefundViolation, refundOnce } from './refund-case.ts';
import { openShop, type Shop } from './shop.ts';

const require = createRequire(import.meta.url);
/** The chain lives ten seconds in one; faster, and a busy machine is late for every blockhash. */
const SPEED = Number(process.env.FAULT_SPEED ?? 10);
const FUNDED = '200';
export const FUNDED_ATOMIC = 200_000_000n;
/** Quiet runs after the troubled ones, before a purchase counts as unfinished. */
const MOST_RUNS = 10;

export interface CaseResult {
  readonly name: string;
  /** Of a refund; otherwise of a purchase. */
  readonly isRefund: boolean;
  readonly violations: readonly (Violation | RefundViolation)[];
  readonly books: Books;
  /** Points at which a buyer or the shop died. */
  readonly deaths: readonly string[];
  /** Calls that the network spoilt. */
  readonly spoilt: number;
  readonly reports: readonly BuyerReport[];
}

export type ShopProgram = Awaited<ReturnType<typeof buildShop>>;

/** Bundles the shop: a bundle loads several times faster than its sources. Buyers run what is built. */
export async function buildShop() {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-faults-'));
  const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  await build({
    entryPoints: [here('shop-process.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    alias: {
      '@solana/web3.js': `${dirname(require.resolve('@solana/web3.js/package.json'))}/lib/index.esm.js`,
      'bigint-buffer': require.resolve('bigint-buffer/dist/browser.js'),
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['libsql', 'litesvm', 'litesvm/*', 'bufferutil', 'utf-8-validate'],
    logLevel: 'silent',
    banner: {
      js: "import{createRequire as createRequire_}from'node:module';const require=createRequire_(import.meta.url);",
    },
  });
  symlinkSync(here('../../node_modules'), join(folder, 'node_modules'));
  return {
    path: join(folder, 'shop-process.mjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * A shop, a network and a judge of their own; lanes run side by side.
 * @param mostSpeed how fast time may run in it
 * @param livesInWorker whether a run that is not to die may be one of the tests' own process
 */
export async function openLane(program: ShopProgram, mostSpeed = SPEED, livesInWorker = false) {
  const dir = mkdtempSync(join(tmpdir(), 'scrip-lane-'));
  const pace: Pace = { sinceMs: Date.now(), speed: Math.min(SPEED, mostSpeed) };
  const shop = await openShop(program.path, join(dir, 'shop'), pace);
  const proxy = await openProxy(shop.url);
  const tunnels = troubledTunnels();
  const company = await openCompanyNetwork(() => proxy.url, tunnels);
  const { run } = await connect(join(dir, 'shop', 'sandbox.db'));
  const judge = openJudge(shop.url, (sql) => run(sql));
  const wanted = await wantedAt(shop.url());
  return {
    run: (tried: Case, index: number): Promise<CaseResult> =>
      tried.refund === undefined
        ? runCase(
            { dir, pace, livesInWorker, shop, proxy, company, tunnels, judge, wanted },
            tried,
            index,
          )
        : runRefund({ dir, shop, judge }, tried, index),
    async close() {
      await proxy.close();
      await shop.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A gift card of 25 dollars for one person, at the price of the shop. */
export async function wantedAt(shopUrl: string): Promise<Wanted> {
  const place = 'country_code=us&brand_name=Amazon.com';
  const items = (await (await fetch(`${shopUrl}/v1/catalog?${place}`)).json()) as readonly {
    readonly product_id: string;
    readonly is_range: boolean;
    readonly face_value_usd: number;
    readonly price_usdc: string;
  }[];
  const item = items.find(({ is_range, face_value_usd }) => !is_range && face_value_usd === 25);
  if (item === undefined) throw new Error('the shop has no gift card of 25 dollars');
  return {
    productId: item.product_id,
    priceAtomic: BigInt(Math.round(Number(item.price_usdc) * 1e6)),
  };
}

interface Parts {
  readonly dir: string;
  readonly pace: Pace;
  readonly livesInWorker: boolean;
  readonly shop: Shop;
  readonly proxy: FaultProxy;
  readonly company: CompanyNetwork;
  readonly tunnels: ReturnType<typeof troubledTunnels>;
  readonly judge: Judge;
  readonly wanted: Wanted;
}

/** Some tunnels are refused by the proxy itself, some are cut. */
function troubledTunnels() {
  let spoilt = 0;
  return {
    spoilt: () => spoilt,
    instead(nth: number): Instead | undefined {
      const own = nth % 5 === 3 ? { status: 502 } : nth % 7 === 4 ? 'cut' : undefined;
      if (own !== undefined) spoilt += 1;
      return own;
    },
  };
}

async function runCase(parts: Parts, tried: Case, index: number): Promise<CaseResult> {
  const { shop, proxy, company, pace, wanted, livesInWorker } = parts;
  const seed = createHash('sha256').update(`${parts.dir} ${index}`).digest();
  const email = `buyer-${index}@example.com`;
  const wallet = signerFromSeed(seed).address;
  const isOnBase = tried.network === 'base';
  const payer = isOnBase ? evmSigner(seed).address : wallet;
  await shop.up();
  proxy.clear({
    // A host that knows its buyers' payments again would hide what a buyer does wrong.
    keepsNames: tried.broken === undefined && index % 2 === 1,
    lie: tried.broken && LIES[tried.broken],
  });
  await (isOnBase ? fundOnBase(shop.url(), payer, FUNDED) : fundAt(shop.url(), payer, FUNDED, '0'));
  const address = { text: wallet, bytes: decodeBase58(wallet) };
  const buyer = makeBuyer({
    ...{ baseUrl: proxy.url, wanted, email, seed, address, pace, livesInWorker },
    network: tried.network,
    company: tried.isProxied && company,
  });
  try {
    return await pursue({ ...parts, buyer, email, payer }, tried);
  } finally {
    buyer.remove();
  }
}

async function runRefund(
  { dir, shop, judge }: Pick<Parts, 'dir' | 'shop' | 'judge'>,
  { name, refund = 'overpaid', runs, network }: Case,
  index: number,
): Promise<CaseResult> {
  const known = shop.deaths.length;
  const place: Place = network ?? 'solana';
  const signerOf = place === 'base' ? evmSigner : signerFromSeed;
  const [payer, other] = ['payer', 'other'].map((who) =>
    signerOf(createHash('sha256').update(`${dir} ${index} ${who}`).digest()),
  ) as [Signer, Signer];
  const email = `buyer-${index}@example.com`;
  await shop.up();
  for (const { address } of [payer, other]) {
    await (place === 'base'
      ? fundOnBase(shop.url(), address, FUNDED)
      : fundAt(shop.url(), address, FUNDED, '1'));
  }
  const points = runs.flatMap(({ shopDiesAt }) => shopDiesAt ?? []);
  const parts = { shop, place, payer, other: other.address, email };
  const found = await refundOnce(parts, refund, points);
  return {
    name,
    isRefund: true,
    violations: found,
    books: await judge.books(payer.address, email, FUNDED_ATOMIC),
    deaths: shop.deaths.slice(known),
    spoilt: 0,
    reports: [],
  };
}

interface Pursuit extends Parts {
  readonly buyer: Buyer;
  readonly email: string;
  readonly payer: string;
}

async function pursue(
  { shop, proxy, tunnels, judge, wanted, buyer, email, payer }: Pursuit,
  tried: Case,
): Promise<CaseResult> {
  const spoilt = () => proxy.spoilt() + tunnels.spoilt();
  const known = { shopDeaths: shop.deaths.length, spoilt: spoilt() };
  const deaths: string[] = [];
  const reports: BuyerReport[] = [];
  const go = async (mode: 'purchase' | 'resume', run: Run): Promise<void> => {
    proxy.plan(run.network ?? [], buyer.hasSigned());
    if (run.shopDiesAt !== undefined) await shop.arm(run.shopDiesAt);
    const chain = await troubledChain(shop.url, run.chain);
    const runs = Array.from({ length: tried.buyers }, () => buyer.run(mode, run));
    for (const end of await Promise.all(runs)) {
      if (typeof end === 'string') deaths.push(end.replace(/:.*/, ''));
      else reports.push(end);
    }
    await shop.arm(null);
    await shop.up();
    await chain.calm();
  };

  for (const run of tried.runs) {
    await go('purchase', run);
    if (tried.broken === 'records after sending') buyer.losePayments();
  }
  await toItsEnd({ run: (mode) => go(mode, {}), last: () => reports.at(-1), mostRuns: MOST_RUNS });

  const books = await judge.books(payer, email, FUNDED_ATOMIC);
  const delivered = reports.filter(isDelivered);
  const vouchers = new Set(delivered.flatMap((report) => report.vouchers));
  const orders = new Set(delivered.map(({ orderId }) => orderId));
  const { priceAtomic } = wanted;
  const isProvenUnpaid = isUnpaid(reports.at(-1));
  const found = violations(books, { priceAtomic, vouchers: vouchers.size, isProvenUnpaid });
  return {
    name: tried.name,
    isRefund: false,
    // Every run that has goods has the same ones.
    violations: orders.size > 1 || vouchers.size > 1 ? [...found, 'extra delivery'] : found,
    books,
    deaths: [...deaths, ...shop.deaths.slice(known.shopDeaths)],
    spoilt: spoilt() - known.spoilt,
    reports,
  };
}
