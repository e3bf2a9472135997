/** Decides what became of a signed payment, from finalized chain data only (docs/inside/payments.md). */

import { attempt, expected } from '../../domain/attempt.ts';
import type { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { PaymentFate } from '../rail.ts';
import { decodeBase58 } from './address.ts';
import { historyPages, oldestFirst, READ_AT_ONCE } from './history.ts';
import { type DecodedTransaction, decodeTransaction } from './message.ts';
import type { SolanaRpc } from './rpc.ts';
import type { LandedTransaction, SignatureEntry } from './rpc-answers.ts';
import type { Baseline, SolanaPayment } from './seal.ts';

/** Blocks after the last valid one before absence counts: about 13 seconds. */
export const EXPIRY_MARGIN_BLOCKS = 32;
/** Maximum number of transactions that are remembered; others are read again. */
const MOST_REMEMBERED = 100_000;

const CAIP2_REFERENCE_CHARACTERS = 32;

/** The node to ask, and the chain that it must serve (CAIP-2). */
interface ChainSource {
  readonly rpc: SolanaRpc;
  readonly network: string;
  /**
   * Message hashes of transactions read before, by id: what strangers add to a history is read once. A payment
   * itself is always read anew.
   */
  readonly read?: Map<string, string> | undefined;
}

/** The fields of a payment needed to find it. */
export type WatchedPayment = Pick<
  SolanaPayment,
  'messageHash' | 'signature' | 'lastValidBlockHeight' | 'baseline'
>;

/**
 * Returns landed if a finalized transaction carries our message; dead if that one failed, or if no
 * finalized block can include it any more and none does. A node that is unreachable, serves another
 * chain or lacks history leaves it unknown.
 */
export function paymentFate(source: ChainSource, payment: WatchedPayment): Promise<PaymentFate> {
  const unknown = ({ sentence }: ScripError) => ({ fate: 'unknown', reason: sentence }) as const;
  return askChain(source, payment).catch(expected(unknown, 'CHAIN_UNREACHABLE'));
}

async function askChain(source: ChainSource, payment: WatchedPayment): Promise<PaymentFate> {
  const { rpc, network } = source;
  // Read the height before the history: what is absent from the later view was absent at this
  // height.
  const { slot, blockHeight } = await rpc.height('finalized');
  const found = await findPayment(source, payment, slot);
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
  source: ChainSource,
  payment: WatchedPayment,
  minContextSlot: number,
): Promise<PaymentFate | undefined> {
  let unread: PaymentFate | undefined;
  for await (const [{ signature }, landed] of transactionsSince(source, payment, {
    commitment: 'finalized',
    minContextSlot,
  })) {
    if (landed === null) {
      unread ??= {
        fate: 'unknown',
        reason: t`The RPC lists ${signature} but does not return it`,
      };
      continue;
    }
    const match = matchPayment(payment, landed.wire);
    if (match === 'unreadable') {
      unread ??= { fate: 'unknown', reason: t`The RPC returned an invalid value: ${signature}` };
    }
    if (match !== 'ours') continue;
    const { slot, error } = landed;
    if (error === null) return { fate: 'landed', transaction: signature, slot };
    const proof = t`${signature} was executed in slot ${slot} and failed`;
    return { fate: 'dead', proof, transaction: signature };
  }
  return unread;
}

/** See `PayerRail.transactionOf`. Confirmed only: no proof that the transaction stays. */
export async function confirmedTransaction(
  source: Pick<ChainSource, 'rpc' | 'read'>,
  payment: WatchedPayment,
): Promise<string | undefined> {
  const asked = { commitment: 'confirmed' } as const;
  for await (const [{ signature, error }, landed] of transactionsSince(source, payment, asked)) {
    const isOurs = landed !== null && matchPayment(payment, landed.wire) === 'ours';
    if (isOurs && error === null) return signature;
  }
  return undefined;
}

/**
 * Yields the transactions since a payment's baseline that may be the payment, oldest first: it lands soon after
 * its baseline, before what strangers add later.
 */
async function* transactionsSince(
  { rpc, read }: Pick<ChainSource, 'rpc' | 'read'>,
  { messageHash, baseline }: WatchedPayment,
  range: { readonly commitment: 'confirmed' | 'finalized'; readonly minContextSlot?: number },
): AsyncGenerator<readonly [SignatureEntry, LandedTransaction | null]> {
  const { sourceAccount, signature: until, slot } = baseline;
  const pages = historyPages(rpc, sourceAccount, { ...range, until: until ?? undefined });
  // A payment is newer than its baseline, so it cannot be in an older slot.
  const entries = (await oldestFirst(pages, (entry) => entry.slot < slot)).filter(
    ({ signature }) => (read?.get(signature) ?? messageHash) === messageHash,
  );
  for (let at = 0; at < entries.length; at += READ_AT_ONCE) {
    const some = entries.slice(at, at + READ_AT_ONCE);
    const ids = some.map(({ signature }) => signature);
    const [only = '', ...others] = ids;
    const landed =
      range.commitment === 'finalized' && others.length === 0
        ? [await rpc.transaction(only)]
        : await rpc.transactions(ids);
    for (const [index, entry] of some.entries()) {
      const found = landed[index] ?? null;
      const hash = found === null ? undefined : tryDecode(found.wire)?.messageHash;
      const isRoom = read !== undefined && read.size < MOST_REMEMBERED;
      if (hash !== undefined && isRoom) read.set(entry.signature, hash);
      yield [entry, found];
    }
  }
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
  return attempt(
    () => decodeTransaction(wire),
    () => undefined,
  );
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
