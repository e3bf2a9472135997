/** Runs cases against real processes and judges each by the ledgers. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { systemClock } from '../../src/net/clock.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { quotedRequest } from '../support/buyer.ts';
import type { BuyerOptions, BuyerReport } from './buyer-process.ts';
import type { Case, Run } from './cases.ts';
import type { Pace } from './fast-clock.ts';
import { type FaultProxy, openProxy } from './fault-proxy.ts';
import { type Books, type Judge, openJudge, type Violation, violations } from './judge.ts';
import { openShop, type Shop } from './shop.ts';

const require = createRequire(import.meta.url);
/** The chain lives ten seconds in one; faster, and a busy machine is late for every blockhash. */
const SPEED = Number(process.env.FAULT_SPEED ?? 10);
const FUNDED_ATOMIC = 200_000_000n;
/** Quiet runs after the troubled ones, before a purchase counts as unfinished. */
const MOST_RUNS = 10;
/** A buyer that hangs is as bad as one that loses money. */
const RUN_TIMEOUT_MS = 120_000;

export interface CaseResult {
  readonly name: string;
  readonly violations: readonly Violation[];
  readonly books: Books;
  /** Points at which a buyer or the shop died. */
  readonly deaths: readonly string[];
  /** Calls that the network spoilt. */
  readonly spoilt: number;
  readonly reports: readonly BuyerReport[];
}

export interface Lane {
  run(tried: Case, index: number): Promise<CaseResult>;
  close(): Promise<void>;
}

export interface Programs {
  readonly shop: string;
  readonly buyer: string;
  remove(): void;
}

/** Bundles the two programs: a bundle loads several times faster than its sources. */
export async function buildPrograms(): Promise<Programs> {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-faults-'));
  const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  await build({
    entryPoints: [here('shop-process.ts'), here('buyer-process.ts')],
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
    shop: join(folder, 'shop-process.mjs'),
    buyer: join(folder, 'buyer-process.mjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * A shop, a network and a judge of their own; lanes run side by side.
 * @param mostSpeed how fast time may run in it
 */
export async function openLane(programs: Programs, mostSpeed = SPEED): Promise<Lane> {
  const dir = mkdtempSync(join(tmpdir(), 'scrip-lane-'));
  const pace: Pace = { sinceMs: Date.now(), speed: Math.min(SPEED, mostSpeed) };
  const shop = await openShop(programs.shop, join(dir, 'shop'), pace);
  const proxy = await openProxy(shop.url);
  const judge = await openJudge(shop.url, join(dir, 'shop', 'sandbox.db'));
  const parts = { program: programs.buyer, dir, pace, shop, proxy, judge };
  const wanted = await quotedRequest(
    { fetch: createHttpFetch(), baseUrl: shop.url(), clock: systemClock },
    { key: 'any', email: 'any@example.com' },
  );
  return {
    run: (tried, index) => runCase({ ...parts, wanted }, tried, index),
    async close() {
      proxy.close();
      await shop.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

interface Parts {
  readonly program: string;
  readonly dir: string;
  readonly pace: Pace;
  readonly shop: Shop;
  readonly proxy: FaultProxy;
  readonly judge: Judge;
  readonly wanted: Awaited<ReturnType<typeof quotedRequest>>;
}

async function runCase(parts: Parts, tried: Case, index: number): Promise<CaseResult> {
  const { shop, proxy, judge, wanted } = parts;
  const seed = createHash('sha256').update(`${parts.dir} ${index}`).digest('hex');
  const email = `buyer-${index}@example.com`;
  const payer = signerFromSeed(Buffer.from(seed, 'hex')).address;
  await shop.up();
  proxy.clear();
  await fund(shop.url(), payer);
  const known = { shopDeaths: shop.deaths.length, spoilt: proxy.spoilt() };
  // A host that knows its buyers' payments again would hide what a buyer does wrong.
  const keepsNames = tried.broken === undefined && index % 2 === 1;
  const buyer = buyerOf(parts, { seed, email, broken: tried.broken, keepsNames });

  const deaths: string[] = [];
  const reports: BuyerReport[] = [];
  const go = async (mode: BuyerOptions['mode'], run: Run, buyers: number): Promise<void> => {
    proxy.plan(run.network ?? []);
    if (run.shopDiesAt !== undefined) await shop.arm(run.shopDiesAt);
    const ended = await Promise.all(Array.from({ length: buyers }, () => buyer(mode, run)));
    for (const end of ended) {
      if (typeof end === 'string') deaths.push(end.replace(/:.*/, ''));
      else reports.push(end);
    }
    await shop.arm(null);
  };

  for (const run of tried.runs) await go('purchase', run, tried.buyers);
  for (let runs = 0; runs < MOST_RUNS && !isDelivered(reports.at(-1)); runs += 1) {
    // First what happened is found out; only what is proven unpaid is bought anew.
    await go('resume', {}, tried.buyers);
    if (isUnpaid(reports.at(-1))) await go('purchase', {}, tried.buyers);
  }

  const books = await judge.books(payer, email, FUNDED_ATOMIC);
  const delivered = reports.filter(isDelivered);
  const vouchers = new Set(delivered.flatMap((report) => report.vouchers));
  const orders = new Set(delivered.map(({ orderId }) => orderId));
  const priceAtomic = BigInt(wanted.quotedAtomic);
  const isProvenUnpaid = isUnpaid(reports.at(-1));
  const found = violations(books, { priceAtomic, vouchers: vouchers.size, isProvenUnpaid });
  return {
    name: tried.name,
    // Every run that has goods has the same ones.
    violations: orders.size > 1 || vouchers.size > 1 ? [...found, 'extra delivery'] : found,
    books,
    deaths: [...deaths, ...shop.deaths.slice(known.shopDeaths)],
    spoilt: proxy.spoilt() - known.spoilt,
    reports,
  };
}

function isDelivered(report: BuyerReport | undefined): boolean {
  return report?.kind === 'delivered';
}

function isUnpaid(report: BuyerReport | undefined): boolean {
  return report?.kind === 'unpaid' || report?.kind === 'nothing';
}

type RunBuyer = (mode: BuyerOptions['mode'], run: Run) => Promise<BuyerReport | string>;

/** Gives the report of a run, or the point at which it died. */
function buyerOf(
  { program, dir, pace, proxy, wanted }: Parts,
  buyer: Pick<BuyerOptions, 'seed' | 'broken' | 'keepsNames'> & { readonly email: string },
): RunBuyer {
  const { seed, email, broken, keepsNames } = buyer;
  const items = wanted.body.items.map((item) => ({ ...item, beneficiary_account: email }));
  return (mode, { dieAt, clockOffsetMs }) => {
    const options: BuyerOptions = {
      mode,
      baseUrl: proxy.url,
      journalDir: join(dir, 'journals'),
      seed,
      pace,
      request: {
        ...wanted,
        key: email,
        body: { ...wanted.body, email, items },
        quotedAtomic: wanted.quotedAtomic.toString(),
        capAtomic: wanted.capAtomic.toString(),
      },
      dieAt,
      clockOffsetMs,
      broken,
      keepsNames,
    };
    return runProgram(program, options);
  };
}

function runProgram(program: string, options: BuyerOptions): Promise<BuyerReport | string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, JSON.stringify(options)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, RUN_TIMEOUT_MS);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('close', (status, signal) => {
      clearTimeout(timer);
      if (signal === 'SIGKILL' && !isLate && options.dieAt !== undefined) resolve(options.dieAt);
      else if (status === 0) resolve(JSON.parse(stdout) as BuyerReport);
      else reject(new Error(`the buyer ended with ${status ?? signal}: ${stderr}`));
    });
  });
}

async function fund(shopUrl: string, owner: string): Promise<void> {
  const params = [owner, { usdc: FUNDED_ATOMIC.toString(), lamports: '0' }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandboxFaucet', params });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${shopUrl}/rpc`, { method: 'POST', headers, body });
  const { error } = (await reply.json()) as { readonly error?: unknown };
  if (error !== undefined) throw new Error(`no money: ${JSON.stringify(error)}`);
}
