/**
 * Many purchases at one shop of several servers, while servers, database and buyers are killed. What is killed when
 * is drawn from a seed and tied to the purchases, not to a clock.
 */
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  CLIENT_POINTS,
  FEE_POINTS,
  SERVICE_POINTS,
  type ServicePoint,
} from '../../src/domain/journal/fail-points.ts';
import { evmSigner } from '../../src/rails/evm/secp256k1.ts';
import { decodeBase58 } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { hash32, mix } from '../../src/sandbox/catalog/draw.ts';
import { type BuyerReport, makeBuyer, type Wanted } from '../faults/buyer.ts';
import { wantedAt } from '../faults/harness.ts';
import type { Query } from '../faults/judge.ts';
import { isDelivered, toItsEnd } from '../faults/pursuit.ts';
import { fundAt, fundOnBase } from '../support/shop.ts';
import { buyAsProgram, type ProgramReport } from './partner-program.ts';
import type { Servers } from './servers.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** By x402 on Solana and on Base, and by the partner API, from the command line; and by a program of its own. */
export type Way = 'checkout' | 'base' | 'partner' | 'program';
/** Every other one on Base, where the partner API is not paid. */
const IN_TURN: readonly Way[] = ['base', 'checkout', 'base', 'partner', 'base', 'program'];

/** What happens to one purchase and beside it. */
export interface Plan {
  readonly way: Way;
  /** The buyer's process dies here, `point:n`. */
  readonly buyerDiesAt: string | undefined;
  readonly strike: Strike | undefined;
}

interface Strike {
  readonly at: 'server' | 'database';
  readonly afterMs: number;
  readonly server: number;
  /** A server that was killed comes back and dies here. */
  readonly diesAt: ServicePoint | undefined;
}

/** A purchase that was pursued to its end. */
export interface Purchase {
  readonly email: string;
  readonly way: Way;
  readonly vouchers: readonly string[];
  readonly buyerDeaths: number;
  readonly runs: number;
  /** Of a program that did not give up. */
  readonly program: ProgramReport | undefined;
  /** The last that the buyer was told. */
  readonly end: string;
}

export interface CampaignOptions {
  readonly servers: Servers;
  /** A database that cannot be crashed is shared with other tests. */
  readonly database: { readonly query: Query; crash?(): Promise<void> };
  readonly receiver: WebhookReceiver;
  readonly plans: readonly Plan[];
  /** Purchases under way at once. */
  readonly lanes: number;
  told?(done: number): void;
}

const LONGEST_DELAY_MS = 1_500;
const [USDC, FEES_SOL] = ['200', '0.01'];
/** A run may come to nothing while the database starts again. */
const MOST_RUNS = 40;

/** One of the ways in turn; a quarter of the buyers, a fifth of the times a server, seldom the database. */
export function drawPlans(seed: number, count: number, servers: number): readonly Plan[] {
  return Array.from({ length: count }, (_, index) => {
    const key = mix(hash32('cluster', seed), index);
    const draw = (purpose: number, sides: number): number => mix(key, purpose) % sides;
    const pick = <T>(purpose: number, list: readonly T[]): T =>
      list[draw(purpose, list.length)] as T;
    const way = IN_TURN[index % IN_TURN.length] as Way;
    const chance = draw(1, 100);
    const at = chance < 20 ? 'server' : chance < 22 ? 'database' : undefined;
    return {
      way,
      buyerDiesAt:
        way !== 'program' && draw(2, 8) < 3
          ? `${pick(3, CLIENT_POINTS)}:${1 + draw(4, 2)}`
          : undefined,
      strike: at && {
        at,
        afterMs: draw(5, LONGEST_DELAY_MS),
        server: draw(6, servers),
        diesAt: draw(7, 5) < 2 ? pick(8, [...SERVICE_POINTS, ...FEE_POINTS]) : undefined,
      },
    };
  });
}

export async function runPurchases(options: CampaignOptions): Promise<readonly Purchase[]> {
  const { servers, plans, lanes, told } = options;
  const wanted = await wantedAt(servers.balancer.url);
  const purchases: Purchase[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < plans.length; index = next++) {
      const plan = plans[index];
      if (plan === undefined) return;
      const struck = strike(options, plan.strike);
      purchases.push(await runPurchase(options, { plan, index, wanted }));
      await struck;
      told?.(purchases.length);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  await Promise.all(servers.all.map((server) => server.up()));
  return purchases;
}

async function strike(
  { servers, database }: CampaignOptions,
  strike: Strike | undefined,
): Promise<void> {
  if (strike === undefined) return;
  await pause(strike.afterMs);
  if (strike.at === 'database') await database.crash?.();
  else await servers.all[strike.server]?.kill(strike.diesAt);
}

interface Asked {
  readonly plan: Plan;
  readonly index: number;
  readonly wanted: Wanted;
}

const seedOf = (email: string): Buffer => createHash('sha256').update(email).digest();
const walletOf = (email: string): string => signerFromSeed(seedOf(email)).address;
/** The address that pays. */
export const payerOf = (email: string, way: Way): string =>
  way === 'base' ? evmSigner(seedOf(email)).address : walletOf(email);

async function runPurchase(options: CampaignOptions, asked: Asked): Promise<Purchase> {
  const { way } = asked.plan;
  const email = `buyer-${asked.index}@example.com`;
  const { chainUrl } = options.servers;
  await (way === 'base'
    ? fundOnBase(chainUrl, payerOf(email, way), USDC)
    : fundAt(chainUrl, walletOf(email), USDC, FEES_SOL));
  if (way !== 'program') return runProcess(options, asked, { email, way });
  const program = await buyAsProgram({
    baseUrl: options.servers.balancer.url,
    ...{ email, seed: seedOf(email), notificationUrl: options.receiver.url },
  }).catch((error: unknown) => String(error));
  const isOver = typeof program !== 'string';
  return {
    ...{ email, way, buyerDeaths: 0, runs: 1 },
    vouchers: isOver ? program.vouchers : [],
    program: isOver ? program : undefined,
    end: isOver ? 'delivered' : program,
  };
}

async function runProcess(
  { servers, receiver }: CampaignOptions,
  { plan, wanted }: Asked,
  { email, way }: { readonly email: string; readonly way: Exclude<Way, 'program'> },
): Promise<Purchase> {
  const buyer = makeBuyer({
    baseUrl: servers.balancer.url,
    ...{ wanted, email, seed: seedOf(email), callbackUrl: receiver.url },
    ...(way === 'base' ? { network: way } : { via: way }),
    address: { text: walletOf(email), bytes: decodeBase58(walletOf(email)) },
    pace: { sinceMs: Date.now(), speed: 1 },
  });
  const reports: BuyerReport[] = [];
  let [buyerDeaths, runs] = [0, 0];
  const run = async (mode: 'purchase' | 'resume', dieAt?: string): Promise<void> => {
    runs += 1;
    const end = await buyer.run(mode, { dieAt });
    if (typeof end === 'string') buyerDeaths += 1;
    else reports.push(end);
  };
  try {
    await run('purchase', plan.buyerDiesAt);
    await toItsEnd({ run, last: () => reports.at(-1), mostRuns: MOST_RUNS });
  } finally {
    buyer.remove();
  }
  const last = reports.at(-1);
  const delivered = reports.filter(isDelivered);
  return {
    ...{ email, way, buyerDeaths, runs, program: undefined },
    vouchers: [...new Set(delivered.flatMap(({ vouchers }) => vouchers))],
    end: `${last?.kind} ${last?.code ?? ''} ${last?.reason ?? ''}`,
  };
}
