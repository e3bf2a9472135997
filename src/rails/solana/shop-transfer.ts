/** Signs a transfer of the shop's own USDC to another wallet; the fee payer pays the network fee. */

import { USDC_MINT } from '../../contract/x402.ts';
import { attempt } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Claim } from '../../domain/payment/claim.ts';
import type { FoundTransfer, ShopTransfer } from '../merchant-rail.ts';
import type { Signer } from '../rail.ts';
import { encodeBase58 } from './address.ts';
import { historyPages, oldestFirst } from './history.ts';
import { decodeTransaction, encodeWire, withSignature } from './message.ts';
import type { SolanaRpc } from './rpc.ts';
import { readBlockhash } from './seal.ts';
import { buildTransfer, PAYER_SIGNATURE } from './transfer.ts';

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
  { owner, payTo, amountAtomic, reference }: ShopTransfer,
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
    reference: reference && encodeBase58(reference),
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
    validUntil: lastValidBlockHeight,
    state: 'submitting',
    reason: null,
    createdAtMs: atMs,
  };
}

/**
 * Looks for a transfer of the owner with this reference, also one that no record knows.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function landedTransfer(
  rpc: SolanaRpc,
  { owner, reference }: { readonly owner: string; readonly reference: Uint8Array },
): Promise<FoundTransfer | undefined> {
  // Strangers can name the reference once the transfer is on the chain: ours is among the oldest.
  const pages = historyPages(rpc, encodeBase58(reference), { commitment: 'confirmed' });
  for (const { signature, error } of await oldestFirst(pages)) {
    if (error !== null) continue;
    const transaction = await rpc.transaction(signature);
    if (transaction === null) return { kind: 'open' };
    if (isSignedBy(owner, transaction.wire)) return { kind: 'final', transaction: signature };
  }
  return undefined;
}

/** Others can name the reference in a transaction, and cannot sign for the owner. */
function isSignedBy(owner: string, wire: Uint8Array): boolean {
  // What is not decoded has a form that ours never have.
  const transaction = attempt(
    () => decodeTransaction(wire),
    () => undefined,
  );
  const signers = transaction?.accountKeys.slice(0, transaction.header.requiredSignatures);
  return signers?.includes(owner) === true;
}
