/** The end of signing: where the history stood, until when the bytes are good, and the signature in its place. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { Baseline, SignedPayment } from '../rail.ts';
import { encodeBase58 } from './base58.ts';
import { verifySignature } from './ed25519.ts';
import { decodeTransaction, encodeWire, withSignature } from './message.ts';
import type { LatestBlockhash, SolanaRpc } from './rpc.ts';

/** Blocks for which a blockhash is good. */
export const BLOCKHASH_LIFE = 150;

/** Where the history of the account that is debited stands. @throws {ScripError} CHAIN_UNREACHABLE */
export async function readBaseline(rpc: SolanaRpc, sourceAccount: string): Promise<Baseline> {
  const { slot } = await rpc.height('finalized');
  const [newest] = await rpc.signaturesForAddress(sourceAccount, { limit: 1 });
  return { sourceAccount, signature: newest?.signature ?? null, slot };
}

/** A blockhash of our own node, with the latest block that could still take it by either account. */
export async function readBlockhash(rpc: SolanaRpc): Promise<LatestBlockhash> {
  const { blockhash, lastValidBlockHeight } = await rpc.latestBlockhash('finalized');
  const height = await rpc.blockHeight('finalized');
  return {
    blockhash,
    lastValidBlockHeight: Math.max(lastValidBlockHeight, height + BLOCKHASH_LIFE),
  };
}

/** Puts the payer's signature in its place; a signer that signs something else is found out here. */
export function sealPayment(
  payer: string,
  unsigned: {
    readonly wire: Uint8Array;
    readonly message: Uint8Array;
    /** Of the signature in the list of signatures. */
    readonly position: number;
  },
  signature: Uint8Array,
): Pick<SignedPayment, 'transaction' | 'messageHash' | 'signature'> {
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
