/**
 * Transfers of the shop's own money, each sent once: the signed bytes and the caller's mark are one
 * write, made before anything is sent; a new transfer is signed only when the one before can never land.
 */

import { ScripError } from '../../domain/message/errors.ts';
import { verbatim } from '../../domain/message/message.ts';
import type { Outcome } from '../../domain/payment/claim.ts';
import type { ShopRail, ShopTransfer } from '../../rails/merchant-rail.ts';
import type { Store, Tables } from '../../store/store.ts';

/**
 * Within the write that stores the transfer: records its message hash where it is found again, and
 * false if it must not be sent, such as when another process was first.
 */
export type Mark = (tables: Tables, messageHash: string) => Promise<boolean>;

/** What became of a transfer; only `landed` moved money. */
export interface TransferOutcome extends Outcome {
  readonly transaction: string;
}

export type ShopTransfers = ReturnType<typeof createShopTransfers>;

export function createShopTransfers(store: Store, rail: ShopRail) {
  return {
    rail,
    /**
     * Signs a transfer and stores it; nothing is sent yet. Returns its message hash; undefined if the
     * mark refused it.
     * @param isSweep whether it moves money to the treasury, for the shop's accounts
     * @throws {ScripError} CHAIN_UNREACHABLE; FACILITATOR_UNAVAILABLE if the chain would refuse it
     */
    async begin(
      transfer: ShopTransfer,
      mark: Mark,
      { isSweep = false } = {},
    ): Promise<string | undefined> {
      const signed = await rail.sign(transfer);
      const claim = isSweep ? { ...signed, swept: transfer.amountAtomic.toString() } : signed;
      const { messageHash } = claim;
      const isOurs = await store.write(async (tables) => {
        // Equal transfers of one moment could have equal bytes, which land once.
        if ((await tables.claims.byMessage(messageHash)) !== undefined) return false;
        if (!(await mark(tables, messageHash))) return false;
        await tables.claims.claim(claim);
        return true;
      });
      return isOurs ? messageHash : undefined;
    },
    /** Sends a stored transfer until it is final or can never land; undefined while it is neither. */
    async follow(messageHash: string, forMs: number): Promise<TransferOutcome | undefined> {
      const claim = await store.tables.claims.byMessage(messageHash);
      if (claim === undefined) {
        throw new ScripError('INTERNAL', verbatim(`the transfer ${messageHash} is not on record`));
      }
      const outcome = claim.state === 'submitting' ? await rail.follow(claim, forMs) : claim;
      const transaction = outcome?.landedIn ?? claim.transaction;
      return outcome && { transaction, state: outcome.state, reason: outcome.reason };
    },
  };
}
