/** What the merchant's own nodes show of a payment that a facilitator elsewhere countersigns. */
import type { PaymentPayload } from '../../contract/x402.ts';
import { expected } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import { createRecent } from '../../domain/recent.ts';
import type { LandedAt } from '../settling.ts';
import { agreed, askAll, eachOf, nodesOf } from '../witness.ts';
import { encodeBase58 } from './address.ts';
import { confirmedTransaction, paymentFate, type WatchedPayment } from './fate.ts';
import { decodePayment } from './message.ts';
import { readFacts } from './requirement.ts';
import type { SolanaRpc } from './rpc.ts';
import { BLOCKHASH_LIFE } from './seal.ts';

/** Maximum number of payments whose last block is remembered; beyond it the oldest starts its count again. */
const MAX_WATCHED = 10_000;
const PAYER_SIGNATURE = 1;
/** Slots take longer, so this one counts too many of them: the search starts too early, never too late. */
const SHORTEST_SLOT_MS = 200;
/** The clocks of chain and shop may differ. */
const CLOCK_SLACK_MS = 600_000;

export type MerchantFate =
  | { readonly fate: 'landed'; readonly transaction: string }
  /** By the proof of every node: it was executed and failed, or it expired. */
  | { readonly fate: 'failed'; readonly transaction: string }
  | { readonly fate: 'expired' }
  | { readonly fate: 'open' };

export interface MerchantFateOptions {
  readonly rpc: SolanaRpc;
  /** A node of another operator: both must show the same. */
  readonly witness?: SolanaRpc | undefined;
  readonly network: string;
  readonly clock: Pick<Clock, 'now'>;
}

interface Sought {
  readonly landedAt: LandedAt;
  /** When it was put on record, before it was handed over; without it the whole history is read. */
  readonly sinceMs?: number | undefined;
}

/**
 * Looks for a payment in the history of the account that pays. The merchant already has the
 * payment when it first asks, so the blockhash expires at most 150 blocks later. A new process
 * starts the count again, which only delays the answer.
 */
export function createMerchantFates(options: MerchantFateOptions) {
  const horizons = createRecent<Horizon>(MAX_WATCHED);
  const horizonOf = async (messageHash: string): Promise<Horizon> => {
    const known = horizons.get(messageHash);
    if (known !== undefined) return known;
    const horizon = await readHorizon(options);
    horizons.set(messageHash, horizon);
    return horizon;
  };
  return {
    /** Whether `fateOf` was asked about this message before, in this process. */
    isWatched: (messageHash: string) => horizons.get(messageHash) !== undefined,
    /** A node that cannot be asked leaves it open. @throws {ScripError} PAYMENT_MALFORMED */
    async fateOf(payload: PaymentPayload, { landedAt, sinceMs }: Sought): Promise<MerchantFate> {
      const { messageHash, source } = readFacts(payload);
      const signature = payerSignature(payload);
      const asked = horizonOf(messageHash).then(({ lastValidBlockHeight, nodes, ...seen }) => {
        const baseline = { sourceAccount: source, signature: null, slot: startOf(seen, sinceMs) };
        const payment = { messageHash, signature, lastValidBlockHeight, baseline };
        return askNodes({ nodes, network: options.network }, payment, landedAt);
      });
      const fate = await asked.catch(expected(() => OPEN, 'CHAIN_UNREACHABLE'));
      if (fate.fate !== 'open') horizons.delete(messageHash);
      return fate;
    },
  };
}

const OPEN: MerchantFate = { fate: 'open' };

/** The chain when a payment was first looked for. */
type Horizon = Awaited<ReturnType<typeof readHorizon>>;

async function readHorizon({ clock, ...given }: MerchantFateOptions) {
  const atMs = clock.now();
  // Each with what was read of the account's history: strangers can add to it.
  const nodes = eachOf(nodesOf(given), (rpc) => ({ rpc, read: new Map<string, string>() }));
  const heights = await askAll(nodes, ({ rpc }) => rpc.height('processed'));
  const highest = Math.max(...heights.map(({ blockHeight }) => blockHeight));
  return {
    lastValidBlockHeight: highest + BLOCKHASH_LIFE,
    slot: Math.min(...heights.map(({ slot }) => slot)),
    atMs,
    nodes,
  };
}

/** Nodes drop old history: asked for no more than can have the payment, they can prove that it is absent. */
function startOf(
  { slot, atMs }: Pick<Horizon, 'slot' | 'atMs'>,
  sinceMs: number | undefined,
): number {
  if (sinceMs === undefined) return 0;
  const elapsedMs = Math.max(0, atMs - sinceMs) + CLOCK_SLACK_MS;
  return Math.max(0, slot - Math.ceil(elapsedMs / SHORTEST_SLOT_MS));
}

async function askNodes(
  { nodes, network }: { readonly nodes: Horizon['nodes']; readonly network: string },
  payment: WatchedPayment,
  landedAt: LandedAt,
): Promise<MerchantFate> {
  if (landedAt === 'confirmed') {
    const transaction = await agreed(
      nodes,
      (node) => confirmedTransaction(node, payment),
      (found) => found === undefined,
    );
    if (transaction !== undefined) return { fate: 'landed', transaction };
  }
  const seen = await agreed(
    nodes,
    (node) => paymentFate({ ...node, network }, payment),
    ({ fate }) => fate,
  );
  if (seen?.fate === 'landed') return { fate: 'landed', transaction: seen.transaction };
  if (seen?.fate !== 'dead') return OPEN;
  const { transaction } = seen;
  return transaction === undefined ? { fate: 'expired' } : { fate: 'failed', transaction };
}

function payerSignature({ payload }: PaymentPayload): string {
  const { signatures } = decodePayment(payload.transaction ?? '');
  return encodeBase58(signatures[PAYER_SIGNATURE] ?? new Uint8Array());
}
