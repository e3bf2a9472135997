/** Signs a transfer of the shop's own USDC to another wallet; the fee payer pays the network fee. */

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

export interface ShopTransfer {
  /** Wallet that is debited. */
  readonly owner: Signer;
  /** Wallet to credit; it must have a USDC account. */
  readonly payTo: string;
  readonly amountAtomic: Atomic;
}

interface Signing {
  readonly rpc: SolanaRpc;
  readonly feePayer: Signer;
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
export async function signShopTransfer(
  { owner, payTo, amountAtomic }: ShopTransfer,
  { rpc, feePayer, nonce, atMs }: Signing,
): Promise<Claim> {
  const payer = owner.address;
  const { blockhash, lastValidBlockHeight } = await readBlockhash(rpc);
  const { wire, message, messageHash } = await buildTransfer({
    payer,
    feePayer: feePayer.address,
    payTo,
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
      t`${payer} cannot pay ${payTo}: ${JSON.stringify(error)}`,
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
