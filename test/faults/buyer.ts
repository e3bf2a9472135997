/** A buyer: one key, one wallet and one home, and the command line run in it as a user runs it. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliResult, collect, type Home, makeHome } from '../support/cli.ts';
import { type CompanyNetwork, joinCompany } from '../support/company-network.ts';
import { markPlay } from '../support/shop.ts';
import type { Pace } from './fast-clock.ts';

/** What is bought. */
export interface Wanted {
  readonly productId: string;
  /** As the shop quotes it, in atomic units of USDC. */
  readonly priceAtomic: bigint;
}

export interface BuyerOptions {
  /** Where shop and chain are reached. */
  readonly baseUrl: string;
  readonly wanted: Wanted;
  /** Also the idempotency key. */
  readonly email: string;
  /** The wallet: a seed of 32 bytes and the address that it gives. */
  readonly seed: Uint8Array;
  readonly address: { readonly text: string; readonly bytes: Uint8Array };
  readonly pace: Pace;
  /** By default Solana; on Base the seed is the key too. */
  readonly network?: 'base' | undefined;
  /** By default the checkout host; the partner API is paid from the same wallet. */
  readonly via?: 'checkout' | 'partner';
  readonly callbackUrl?: string;
  /** Only through it the host is reached, in place of `baseUrl`. */
  readonly company?: CompanyNetwork | undefined;
  /** Where a run that is not to die may be one of the tests' own process. */
  readonly livesInWorker?: boolean;
}

/** How a run ended. */
export interface BuyerReport {
  /** `nothing`: there is nothing to resume. */
  readonly kind:
    | 'delivered'
    | 'pending'
    | 'failed'
    | 'unknown'
    | 'attention'
    | 'unpaid'
    | 'nothing'
    | 'error';
  readonly code: string | null;
  readonly orderId: string | null;
  readonly vouchers: readonly string[];
  readonly reason: string;
}

export interface Buyer {
  /** Gives the report of a run, or the point at which it died. */
  run(mode: 'purchase' | 'resume', how: Disturbance): Promise<BuyerReport | string>;
  /** Whether its journal holds a payment that was signed. */
  hasSigned(): boolean;
  /** As a disk does that says it has what it has not: records of payments are gone. */
  losePayments(): void;
  remove(): void;
}

interface Disturbance {
  /** Where this run dies, `name` or `name:n`. */
  readonly dieAt?: string | undefined;
  /** How wrong the buyer's clock is. */
  readonly clockOffsetMs?: number | undefined;
}

/** A buyer that hangs is as bad as one that loses money; longer than its patience by a clock that is not fast. */
const RUN_TIMEOUT_MS = 240_000;
/** Long enough, by the fast clock, to prove a payment dead and to make another one. */
const PATIENCE = '150s';
const MAX_AMOUNT = '60';

export function makeBuyer(options: BuyerOptions): Buyer {
  const home = makeHome();
  const keypair = join(home.dir, 'wallet.json');
  const bytes = [...options.seed, ...options.address.bytes];
  writeFileSync(keypair, JSON.stringify(bytes), { mode: 0o600 });
  writeFileSync(join(home.dir, 'wallet.evm.key'), Buffer.from(options.seed).toString('hex'), {
    mode: 0o600,
  });
  const caFile = options.company && joinCompany(home.dir, options.company, options.network);
  if (options.company === undefined) markPlay(home, options.address.text);
  const words = wordsOf(options);
  const records = (): readonly string[] =>
    readdirSync(home.dir, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /(^|\/)attempt-\d+\.rec$/.test(path),
    );
  return {
    run: async (mode, how) => {
      const env = { ...envOf(options, keypair, how), ...(caFile && { SCRIP_CA_FILE: caFile }) };
      if (!options.livesInWorker) return runProcess(home, words[mode], env, how.dieAt);
      return endOf(await home.run(words[mode], { env }), how.dieAt);
    },
    hasSigned: () => records().length > 0,
    losePayments: () => {
      for (const path of records()) rmSync(join(home.dir, path));
    },
    remove: home.remove,
  };
}

const BY_PARTNER = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];

function wordsOf({ wanted, email, network, via, callbackUrl }: BuyerOptions) {
  const goods = [
    ...[wanted.productId, '--country', 'us', '--brand', 'Amazon.com', '--to', email],
    ...(via === 'partner' ? BY_PARTNER : []),
    ...(network === undefined ? [] : ['--network', network]),
    ...(callbackUrl === undefined ? [] : ['--callback-url', callbackUrl]),
  ];
  const agreed = ['--yes', '--max-amount', MAX_AMOUNT, '--idempotency-key', email];
  return {
    purchase: ['order', ...goods, ...agreed, '--timeout', PATIENCE, '--reveal', '--json'],
    resume: ['orders', 'resume', email, '--json'],
  } as const;
}

function envOf(
  { company, baseUrl: ownUrl, pace }: BuyerOptions,
  keypair: string,
  { dieAt, clockOffsetMs = 0 }: Disturbance,
): Readonly<Record<string, string>> {
  const baseUrl = company?.url ?? ownUrl;
  return {
    ...(company && { HTTPS_PROXY: company.proxyUrl, SCRIP_BASE_RPC_URL: `${baseUrl}/rpc/base` }),
    SCRIP_CHECKOUT_URL: baseUrl,
    SCRIP_API_URL: baseUrl,
    SCRIP_RPC_URL: `${baseUrl}/rpc`,
    SCRIP_KEYPAIR: keypair,
    FAULT_CLOCK: JSON.stringify({ ...pace, offsetMs: clockOffsetMs }),
    ...(dieAt === undefined ? {} : { SCRIP_TEST: '1', SCRIP_FAIL_POINT: dieAt }),
  };
}

async function runProcess(
  home: Home,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  dieAt: string | undefined,
): Promise<BuyerReport | string> {
  const child = home.start(words, { env });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, RUN_TIMEOUT_MS);
  const result = await collect(child);
  clearTimeout(timer);
  return endOf(result, isLate ? undefined : dieAt);
}

function endOf(
  { status, signal, stdout, stderr }: CliResult,
  dieAt: string | undefined,
): BuyerReport | string {
  if (signal === 'SIGKILL' && dieAt !== undefined) return dieAt;
  if (status === null) throw new Error(`the buyer ended with ${signal}: ${stderr}`);
  return reportOf(stdout, stderr);
}

/** Of `order` or `orders resume`; an order of the partner API has its own fields. */
interface PurchaseDocument {
  readonly status?: string;
  readonly order_state?: string;
  readonly order_id: string | null;
  readonly deliveries: readonly {
    readonly voucher_code?: string;
    readonly deliverable?: { readonly pin_code?: string };
  }[];
}

const KINDS: Readonly<Record<string, BuyerReport['kind']>> = {
  completed: 'delivered',
  processing: 'pending',
  failed: 'failed',
  unknown: 'unknown',
  attention: 'attention',
  unpaid: 'unpaid',
};
/** Errors that say what became of the purchase; after the rest it is asked again. */
const TOLD_BY_ERRORS: Readonly<Record<string, BuyerReport['kind']>> = {
  ORDER_UNKNOWN: 'nothing',
  PAYMENT_REFUSED: 'unpaid',
  CHALLENGE_EXPIRED: 'unpaid',
  OUTCOME_UNKNOWN: 'unknown',
  ATTENTION_NEEDED: 'attention',
  PAID_ELSEWHERE: 'attention',
};

function reportOf(stdout: string, stderr: string): BuyerReport {
  const told = stderr === '' ? undefined : JSON.parse(stderr).error;
  const { code = null, message = '' } = told ?? {};
  const shown: PurchaseDocument | undefined =
    stdout === '' ? undefined : [JSON.parse(stdout)].flat()[0];
  if (shown === undefined) {
    const kind = TOLD_BY_ERRORS[code] ?? 'error';
    return { kind, code, orderId: null, vouchers: [], reason: message };
  }
  const { status, order_state, order_id: orderId, deliveries } = shown;
  return {
    kind: KINDS[status ?? (order_state === 'Done' ? 'completed' : 'processing')] ?? 'error',
    code,
    orderId,
    vouchers: deliveries.flatMap(
      ({ voucher_code, deliverable }) => voucher_code ?? deliverable?.pin_code ?? [],
    ),
    reason: message,
  };
}
