/** Moves USDC from one of our accounts to another wallet; the fee payer pays the network fee. */

import { USDC_MINT } from '../../contract/x402.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { Atomic } from '../../domain/money.ts';
import type { Signer } from '../rail.ts';
import { encodeBase58 } from './base58.ts';
import { encodeWire, withSignature } from './message.ts';
import type { SolanaRpc } from './rpc.ts';
import { readBlockhash } from './seal.ts';
import type { Claim } from './settlement.ts';
import { buildTransfer, PAYER_SIGNATURE } from './transfer.ts';

interface Sweep {
  readonly rpc: SolanaRpc;
  readonly owner: Signer;
  readonly feePayer: Signer;
  /** Wallet to credit; it must have a USDC account. */
  readonly treasury: string;
  readonly amountAtomic: Atomic;
  /** As in `buildTransfer`. */
  readonly nonce: number;
  readonly atMs: number;
}

const FEE_PAYER_SIGNATURE = 0;

/**
 * Signs the transfer without sending it; `followClaim` sends it once the claim is stored.
 * @throws {ScripError} CHAIN_UNREACHABLE; FACILITATOR_UNAVAILABLE if it would fail, which would
 * cost a fee
 */
export async function signSweep(sweep: Sweep): Promise<Claim> {
  const { rpc, owner, feePayer, treasury, amountAtomic, nonce, atMs } = sweep;
  const payer = owner.address;
  const { blockhash, lastValidBlockHeight } = await readBlockhash(rpc);
  const { wire, message, messageHash } = await buildTransfer({
    payer,
    feePayer: feePayer.address,
    payTo: treasury,
    mint: USDC_MINT,
    amountAtomic,
    blockhash,
    nonce,
  });
  const [paid, signed] = await Promise.all([feePayer.sign(message), owner.sign(message)]);
  const whole = withSignature(
    withSignature(wire, FEE_PAYER_SIGNATURE, paid),
    PAYER_SIGNATURE,
    signed,
  );
  const { error } = await rpc.simulate(whole);
  if (error !== null) {
    throw new ScripError(
      'FACILITATOR_UNAVAILABLE',
      t`${payer} cannot be swept to ${treasury}: ${JSON.stringify(error)}`,
      { details: { subject: payer } },
    );
  }
  return {
    messageHash,
    transaction: encodeBase58(paid),
    wire: encodeWire(whole),
    lastValidBlockHeight,
    state: 'submitting',
    reason: null,
    createdAtMs: atMs,
  };
}
