/** One run of a buyer: buys or resumes, prints how it stands as one line of JSON, or dies on the way. */
import type { PurchaseRequest } from '../../src/client/payment/intent.ts';
import type { PurchaseOutcome } from '../../src/client/payment/outcome.ts';
import { purchase, resume } from '../../src/client/purchase.ts';
import type { PurchaseTools } from '../../src/client/purchase-tools.ts';
import type { Fetch } from '../../src/contract/fetch.ts';
import { decodeHeader, encodeHeader, PAYMENT_REQUIRED_HEADER } from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/errors.ts';
import { countHits } from '../../src/domain/fail-points.ts';
import { atomic } from '../../src/domain/money.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { buyerTools } from '../support/buyer.ts';
import { type Breakage, breakTools } from './broken-buyers.ts';
import { fastClock, type Pace } from './fast-clock.ts';

export interface BuyerOptions {
  readonly mode: 'purchase' | 'resume';
  readonly baseUrl: string;
  readonly journalDir: string;
  /** Hex of 32 bytes. */
  readonly seed: string;
  readonly pace: Pace;
  /** What is bought; amounts as digits. */
  readonly request: Omit<PurchaseRequest, 'quotedAtomic' | 'capAtomic'> & {
    readonly quotedAtomic: string;
    readonly capAtomic: string;
  };
  /** Where this run dies, `name` or `name:n`. */
  readonly dieAt?: string | undefined;
  /** How wrong the buyer's clock is. */
  readonly clockOffsetMs?: number | undefined;
  readonly broken?: Breakage | undefined;
  /** The host offers to keep names of payments, by which it would give an order again. */
  readonly keepsNames: boolean;
}

/** How a run ended, as it is printed. */
export interface BuyerReport {
  /** `nothing`: there is nothing to resume. */
  readonly kind: PurchaseOutcome['kind'] | 'nothing' | 'error';
  readonly code: string | null;
  readonly orderId: string | null;
  readonly vouchers: readonly string[];
  readonly reason?: string;
  readonly fundsAtRisk?: string;
}

const options: BuyerOptions = JSON.parse(process.argv[2] ?? '{}');
const isReached = options.dieAt === undefined ? () => false : countHits(options.dieAt);
const reached = (name: Parameters<typeof isReached>[0]): void => {
  if (isReached(name)) process.kill(process.pid, 'SIGKILL');
};

async function openTools(): Promise<PurchaseTools> {
  const fetch = createHttpFetch({ paymentSent: () => reached('payment-sent') });
  const tools = await buyerTools({
    fetch: options.keepsNames ? fetch : withoutNames(fetch),
    baseUrl: options.baseUrl,
    journalDir: options.journalDir,
    signer: signerFromSeed(Buffer.from(options.seed, 'hex')),
    clock: fastClock(options.pace, options.clockOffsetMs),
    random: (length) => crypto.getRandomValues(new Uint8Array(length)),
    reached,
  });
  return options.broken === undefined ? tools : breakTools(tools, options.broken);
}

/** The shop as one that offers no extension: the buyer alone has to see that it pays once. */
function withoutNames(fetch: Fetch): Fetch {
  return async (url, init) => {
    const reply = await fetch(url, init);
    const header = reply.headers.get(PAYMENT_REQUIRED_HEADER);
    if (header === null) return reply;
    const required = encodeHeader({ ...Object(decodeHeader(header)), extensions: undefined });
    const get = (name: string): string | null =>
      name === PAYMENT_REQUIRED_HEADER ? required : reply.headers.get(name);
    return { status: reply.status, headers: { get }, body: reply.body, text: () => reply.text() };
  };
}

async function run(): Promise<BuyerReport> {
  const tools = await openTools();
  const { quotedAtomic, capAtomic, ...asked } = options.request;
  const request = {
    ...asked,
    quotedAtomic: atomic(BigInt(quotedAtomic)),
    capAtomic: atomic(BigInt(capAtomic)),
  };
  if (options.mode === 'purchase') return reportOf(await purchase(tools, request));
  const entry = await tools.journal.byKey(request.key ?? '');
  if (entry === undefined) return { kind: 'nothing', code: null, orderId: null, vouchers: [] };
  return reportOf(await resume(tools, entry));
}

function reportOf(outcome: PurchaseOutcome): BuyerReport {
  const deliveries = outcome.kind === 'delivered' ? outcome.deliveries : [];
  return {
    kind: outcome.kind,
    code: 'code' in outcome ? outcome.code : null,
    orderId: outcome.orderId,
    vouchers: deliveries.flatMap(({ voucher_code }) => voucher_code ?? []),
    ...('reason' in outcome ? { reason: outcome.reason } : {}),
  };
}

function errorReport(error: unknown): BuyerReport {
  if (!(error instanceof ScripError)) throw error;
  const { code, fundsAtRisk, message } = error;
  return { kind: 'error', code, orderId: null, vouchers: [], reason: message, fundsAtRisk };
}

const report = await run().catch(errorReport);
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
