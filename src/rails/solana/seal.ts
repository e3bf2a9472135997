/** The parts of signing that both kinds of transfer share: baseline, blockhash and signature. */

import type { SignedPayment } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { DirectPayment } from '../rail.ts';
import { encodeBase58 } from './address.ts';
import { verifySignature } from './ed25519.ts';
import { decodeTransaction, encodeWire, withSignature } from './message.ts';
import type { LatestBlockhash, SolanaRpc } from './rpc.ts';
import { buildTransfer, nonceOfTag, PAYER_SIGNATURE, type TransferPlan } from './transfer.ts';

/** The payer's history before signing; anything newer may be the payment. */
export interface Baseline {
  /** The payer's account that is debited. */
  readonly sourceAccount: string;
  /** Newest finalized signature on that account, or null if it had none. */
  readonly signature: string | null;
  readonly slot: number;
}

/** What this rail records of a payment. */
export interface SolanaPayment extends SignedPayment {
  /** Standard base64 of the wire transaction with only the payer's signature. */
  readonly transaction: string;
  readonly blockhash: string;
  /** From our own RPC, never from the server. */
  readonly lastValidBlockHeight: number;
  readonly baseline: Baseline;
}

/** Reads this rail's fields of a recorded payment. @throws {ScripError} JOURNAL_UNUSABLE */
export function recorded(payment: SignedPayment): SolanaPayment {
  const own = payment as Partial<SolanaPayment>;
  const { sourceAccount, signature, slot } = own.baseline ?? {};
  const texts = [
    own.transaction,
    own.blockhash,
    sourceAccount,
    signature === null ? '' : signature,
  ];
  const areTexts = texts.every((text) => typeof text === 'string');
  const areNumbers = [own.lastValidBlockHeight, slot].every((value) => typeof value === 'number');
  if (areTexts && areNumbers) return payment as SolanaPayment;
  throw new ScripError(
    'JOURNAL_UNUSABLE',
    t`The payment ${payment.signature} was not signed for Solana`,
  );
}

/** Number of blocks that a blockhash stays valid. */
export const BLOCKHASH_LIFE = 150;

/** Reads the current history of the account that is debited. @throws {ScripError} CHAIN_UNREACHABLE */
export async function readBaseline(rpc: SolanaRpc, sourceAccount: string): Promise<Baseline> {
  const { slot } = await rpc.height('finalized');
  const [newest] = await rpc.signaturesForAddress(sourceAccount, { limit: 1 });
  return { sourceAccount, signature: newest?.signature ?? null, slot };
}

/**
 * Reads a blockhash from our own node, with the last block that could include it: the later of the
 * node's figure and our own count.
 */
export async function readBlockhash(rpc: SolanaRpc): Promise<LatestBlockhash> {
  const { blockhash, lastValidBlockHeight } = await rpc.latestBlockhash('finalized');
  const height = await rpc.blockHeight('finalized');
  return {
    blockhash,
    lastValidBlockHeight: Math.max(lastValidBlockHeight, height + BLOCKHASH_LIFE),
  };
}

/**
 * Builds a transfer, has it signed, and returns what is recorded of it. Sends nothing.
 * @throws {ScripError} CHAIN_UNREACHABLE, WALLET_INVALID, and what `buildTransfer` throws
 */
export async function signPlan(
  rpc: SolanaRpc,
  { signer, tag }: Pick<DirectPayment, 'signer' | 'tag'>,
  {
    sourceAccount,
    ...plan
  }: Omit<TransferPlan, 'blockhash' | 'nonce'> & Pick<Baseline, 'sourceAccount'>,
): Promise<SolanaPayment> {
  const { payer } = plan;
  // Read before the blockhash, so every block that can include this payment is newer than the baseline.
  const baseline = await readBaseline(rpc, sourceAccount);
  const { blockhash, lastValidBlockHeight } = await readBlockhash(rpc);
  const unsigned = await buildTransfer({ ...plan, blockhash, nonce: nonceOfTag(tag) });
  const signature = await signer.sign(unsigned.message);
  const position = plan.feePayer === null ? 0 : PAYER_SIGNATURE;
  const sealed = sealPayment(payer, { ...unsigned, position }, signature);
  return { ...sealed, blockhash, lastValidBlockHeight, baseline, payer };
}

/** Inserts the payer's signature, after checking that the signer signed this message. */
export function sealPayment(
  payer: string,
  unsigned: {
    readonly wire: Uint8Array;
    readonly message: Uint8Array;
    /** Index in the list of signatures. */
    readonly position: number;
  },
  signature: Uint8Array,
): Pick<SolanaPayment, 'transaction' | 'messageHash' | 'signature'> {
  if (signature.length !== 64 || !verifySignature(payer, unsigned.message, signature)) {
    throw new ScripError(
      'WALLET_INVALID',
      t`The signer of ${payer} returned a signature of another key`,
    );
  }
  const wire = withSignature(unsigned.wire, unsigned.position, signature);
  return {
    transaction: encodeWire(wire),
    messageHash: decodeTransaction(wire).messageHash,
    signature: encodeBase58(signature),
  };
}
