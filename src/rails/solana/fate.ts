/** Decides what became of a signed payment, from finalized chain data only (docs/inside/payments.md). */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { Baseline, PaymentFate, SignedPayment } from '../rail.ts';
import { decodeBase58 } from './base58.ts';
import { type DecodedTransaction, decodeTransaction } from './message.ts';
import type { SolanaRpc } from './rpc.ts';
import type { SignatureEntry } from './rpc-answers.ts';

/** Blocks after the last valid one before absence counts: about 13 seconds. */
export const EXPIRY_MARGIN_BLOCKS = 32;
const PAGE_SIZE = 1_000;
/** A longer history since the baseline is not read: the fate is unknown. */
const MAX_PAGES = 50;

/** `confirmedTransaction` reads only so many transactions since the baseline, the oldest ones. */
const MOST_NAMED = 50;

const CAIP2_REFERENCE_CHARACTERS = 32;

/** The node to ask, and the chain that it must serve (CAIP-2). */
interface ChainSource {
  readonly rpc: SolanaRpc;
  readonly network: string;
}

/** The fields of a payment needed to find it. */
export type WatchedPayment = Pick<
  SignedPayment,
  'messageHash' | 'signature' | 'lastValidBlockHeight' | 'baseline'
>;

/**
 * Returns landed if a finalized transaction carries our message; dead if that one failed, or if no
 * finalized block can include it any more and none does. A node that is unreachable, serves another
 * chain or lacks history leaves it unknown.
 */
export async function paymentFate(
  source: ChainSource,
  payment: WatchedPayment,
): Promise<PaymentFate> {
  try {
    return await askChain(source, payment);
  } catch (error) {
    if (error instanceof ScripError && error.code === 'CHAIN_UNREACHABLE') {
      return { fate: 'unknown', reason: error.sentence };
    }
    throw error;
  }
}

/**
 * Asks two nodes of different operators. Dead needs proof from both; landed on either node is
 * landed. A node that lies, lags or is down can only keep the fate open.
 */
export async function witnessedFate(
  source: ChainSource,
  witness: SolanaRpc | undefined,
  payment: WatchedPayment,
): Promise<PaymentFate> {
  const first = await paymentFate(source, payment);
  if (first.fate !== 'dead' || witness === undefined) return first;
  const second = await paymentFate({ ...source, rpc: witness }, payment);
  if (second.fate === 'dead') {
    return { fate: 'dead', proof: t`${first.proof}; by a second RPC: ${second.proof}` };
  }
  if (second.fate === 'landed') return second;
  const what =
    second.fate === 'unknown' ? second.reason : t`it does not show the payment as confirmed yet`;
  return { fate: 'unknown', reason: t`The second RPC does not confirm it: ${what}` };
}

async function askChain(
  { rpc, network }: ChainSource,
  payment: WatchedPayment,
): Promise<PaymentFate> {
  // Read the height before the history: what is absent from the later view was absent at this
  // height.
  const { slot, blockHeight } = await rpc.height('finalized');
  const found = await findPayment(rpc, payment, slot);
  if (found !== undefined) return found;
  if (blockHeight <= payment.lastValidBlockHeight + EXPIRY_MARGIN_BLOCKS) {
    return { fate: 'pending' };
  }
  if (!(await isOfNetwork(rpc, network))) {
    return { fate: 'unknown', reason: t`The RPC serves another chain than ${network}` };
  }
  if (!(await coversBaseline(rpc, payment.baseline))) {
    return { fate: 'unknown', reason: t`The RPC’s history does not reach far enough back` };
  }
  const proof = t`not found on ${payment.baseline.sourceAccount} at finalized block height ${blockHeight} (last valid ${payment.lastValidBlockHeight})`;
  return { fate: 'dead', proof };
}

async function findPayment(
  rpc: SolanaRpc,
  payment: WatchedPayment,
  minContextSlot: number,
): Promise<PaymentFate | undefined> {
  const { sourceAccount, signature: until, slot: baselineSlot } = payment.baseline;
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const entries = await rpc.signaturesForAddress(sourceAccount, {
      limit: PAGE_SIZE,
      before,
      until: until ?? undefined,
      minContextSlot,
    });
    // A payment is newer than its baseline, so it cannot be in an older slot.
    const young = entries.filter((entry) => entry.slot >= baselineSlot);
    const found = await findAmong(rpc, payment, young);
    if (found !== undefined) return found;
    // Nodes may cap a page below its limit: only an empty page is the end.
    if (young.length < entries.length || entries.length === 0) return undefined;
    before = entries.at(-1)?.signature;
  }
  return { fate: 'unknown', reason: t`${sourceAccount} has too many transactions to read` };
}

async function findAmong(
  rpc: SolanaRpc,
  payment: WatchedPayment,
  entries: readonly SignatureEntry[],
): Promise<PaymentFate | undefined> {
  for (const { signature } of entries) {
    const landed = await rpc.transaction(signature);
    if (landed === null) {
      return { fate: 'unknown', reason: t`The RPC lists ${signature} but does not return it` };
    }
    const match = matchPayment(payment, landed.wire);
    if (match === 'unreadable') {
      return {
        fate: 'unknown',
        reason: t`The RPC returned an invalid value: ${signature}`,
      };
    }
    if (match === 'other') continue;
    const { slot, error } = landed;
    if (error === null) return { fate: 'landed', transaction: signature, slot };
    const proof = t`${signature} was executed in slot ${slot} and failed`;
    return { fate: 'dead', proof, transaction: signature };
  }
  return undefined;
}

/** See `RailInsight.transactionOf`. Confirmed only: no proof that the transaction stays. */
export async function confirmedTransaction(
  rpc: SolanaRpc,
  payment: WatchedPayment,
): Promise<string | undefined> {
  const { sourceAccount, signature, slot } = payment.baseline;
  const entries = await rpc.signaturesForAddress(sourceAccount, {
    commitment: 'confirmed',
    limit: PAGE_SIZE,
    until: signature ?? undefined,
  });
  const young = entries
    .filter((entry) => entry.slot >= slot && entry.error === null)
    .slice(-MOST_NAMED);
  const landed = await rpc.transactions(young.map((entry) => entry.signature));
  const at = landed.findIndex(
    (found) => found !== null && matchPayment(payment, found.wire) === 'ours',
  );
  return young[at]?.signature;
}

/**
 * Compares with our message, signed by any fee payer. Bytes that contain our signature but do not
 * decode prove nothing.
 */
function matchPayment(payment: WatchedPayment, wire: Uint8Array): 'ours' | 'other' | 'unreadable' {
  const transaction = tryDecode(wire);
  if (transaction !== undefined) {
    return transaction.messageHash === payment.messageHash ? 'ours' : 'other';
  }
  const holdsSignature = Buffer.from(wire).includes(Buffer.from(decodeBase58(payment.signature)));
  return holdsSignature || wire.length === 0 ? 'unreadable' : 'other';
}

function tryDecode(wire: Uint8Array): DecodedTransaction | undefined {
  try {
    return decodeTransaction(wire);
  } catch {
    return undefined;
  }
}

/**
 * Whether the node serves this chain: on another one, every payment is absent. CAIP-2 names a chain
 * by the start of its genesis hash.
 */
export async function isOfNetwork(rpc: SolanaRpc, network: string): Promise<boolean> {
  const genesisHash = await rpc.genesisHash();
  return network === `solana:${genesisHash.slice(0, CAIP2_REFERENCE_CHARACTERS)}`;
}

/** Whether the node's history reaches back to before signing. */
async function coversBaseline(rpc: SolanaRpc, baseline: Baseline): Promise<boolean> {
  const first = await rpc.firstAvailableSlot();
  if (first !== null) return first <= baseline.slot;
  // A node that does not report its oldest slot proves it by still having the baseline's
  // transaction.
  return baseline.signature !== null && (await rpc.transaction(baseline.signature)) !== null;
}
