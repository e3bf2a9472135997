/** Signs, as fee payer, transfers of USDC that the buyer's wallet completes (Solana Pay, transaction request). */

import type { Clock } from '../../domain/clock.ts';
import type { PayerBudget, PaymentSponsor, SponsoredFate } from '../merchant-rail.ts';
import type { Signer } from '../rail.ts';
import { encodeBase58, isAddress, isOnCurve } from './address.ts';
import { networkFee } from './checks.ts';
import { checkFloor, type FeeFloor } from './facilitator.ts';
import { encodeWire, withSignature } from './message.ts';
import { readBlockhash } from './seal.ts';
import { readOutcome, type SettlementParts } from './settlement.ts';
import { buildTransfer, computeBudgetFor } from './transfer.ts';

export interface SponsorOptions extends FeeFloor, Pick<SettlementParts, 'witness'> {
  readonly feePayer: Signer;
  readonly mint: string;
  /** Accounts whose payments keep failing are refused. */
  readonly budget: PayerBudget;
  readonly clock: Pick<Clock, 'now'>;
}

const FEE_PAYER_SIGNATURE = 0;
const SIGNATURES = 2;
/** The order has an address of its own and the blockhash changes, so no two messages are equal. */
const NONCE = 0;

export function createSponsor(options: SponsorOptions): PaymentSponsor {
  const { rpc, feePayer, mint, budget } = options;
  return {
    covers: ({ coin, network }) => coin === 'USDC' && network === 'Solana',
    async prepare(account, { payTo, amountAtomic, reference }) {
      // The fee payer never pays from an account of its own.
      if (!isAddress(account) || !isOnCurve(account)) return 'not_an_account';
      if (account === feePayer.address || account === payTo) return 'not_an_account';
      if (await budget.isBlocked(account)) return 'blocked';
      await checkFloor(options);
      const { blockhash, lastValidBlockHeight } = await readBlockhash(rpc);
      const { wire, message, messageHash } = await buildTransfer({
        payer: account,
        feePayer: feePayer.address,
        payTo,
        mint,
        amountAtomic,
        blockhash,
        nonce: NONCE,
        reference: encodeBase58(reference),
        version: 'legacy',
      });
      const { error } = await rpc.simulate(wire);
      if (error !== null) return 'would_fail';
      const signature = await feePayer.sign(message);
      const { units, price } = computeBudgetFor(NONCE, 'transfer');
      return {
        messageHash,
        transaction: encodeBase58(signature),
        wire: encodeWire(withSignature(wire, FEE_PAYER_SIGNATURE, signature)),
        fee: networkFee(SIGNATURES, { units, price: BigInt(price) }),
        validUntil: lastValidBlockHeight,
      };
    },
    async fate({ account, messageHash, transaction, validUntil }): Promise<SponsoredFate> {
      const outcome = await readOutcome(options, { transaction, validUntil }, 'finalized');
      if (typeof outcome === 'string' || outcome.state === 'submitting') return 'live';
      if (outcome.state === 'failed') {
        await budget.note(account, { messageHash, atMs: options.clock.now() });
      }
      return outcome.state;
    },
  };
}
