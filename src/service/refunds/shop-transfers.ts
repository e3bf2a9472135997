/**
 * Transfers of the shop's own money, each sent once: the signed bytes and the caller's mark are one
 * write, made before anything is sent; a new transfer is signed only when the one before can never land.
 */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { verbatim } from '../../domain/message/message.ts';
import type { Signer } from '../../rails/rail.ts';
import type { SolanaRpc } from '../../rails/solana/rpc.ts';
import { type ClaimStore, followClaim, type Outcome } from '../../rails/solana/settlement.ts';
import {
  type FoundTransfer,
  landedTransfer,
  type ShopTransfer,
  signShopTransfer,
} from '../../rails/solana/shop-transfer.ts';
import type { Store, Tables } from '../../store/store.ts';

export interface TransferParts {
  readonly store: Store;
  readonly rpc: SolanaRpc;
  /** A node of another operator: both must agree on a decision. */
  readonly witness?: SolanaRpc | undefined;
  readonly claims: ClaimStore;
  readonly clock: Clock;
  readonly feePayer: Signer;
  random(length: number): Uint8Array;
}

/**
 * Within the write that stores the transfer: records its message hash where it is found again, and
 * false if it must not be sent, such as when another process was first.
 */
export type Mark = (tables: Tables, messageHash: string) => Promise<boolean>;

/** What became of a transfer; only `landed` moved money. */
export interface TransferOutcome extends Outcome {
  readonly transaction: string;
}

/** Nonces of a transfer are below this. */
const NONCES = 2_999_999_999;

export type ShopTransfers = ReturnType<typeof createShopTransfers>;

export function createShopTransfers(parts: TransferParts) {
  const { store, rpc, witness, claims, clock, feePayer, random } = parts;
  return {
    /**
     * Signs a transfer and stores it; nothing is sent yet. Returns its message hash; undefined if the
     * mark refused it.
     * @throws {ScripError} CHAIN_UNREACHABLE; FACILITATOR_UNAVAILABLE if the chain would refuse it
     */
    async begin(transfer: ShopTransfer, mark: Mark): Promise<string | undefined> {
      const nonce = Buffer.from(random(4)).readUInt32BE() % NONCES;
      const claim = await signShopTransfer(transfer, { rpc, feePayer, nonce, atMs: clock.now() });
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
    /**
     * Looks on the chain for a transfer with this reference, which a restored older copy of the records does not
     * know.
     * @throws {ScripError} CHAIN_UNREACHABLE
     */
    async landed(sought: Parameters<typeof landedTransfer>[1]): Promise<FoundTransfer | undefined> {
      for (const node of witness === undefined ? [rpc] : [rpc, witness]) {
        const found = await landedTransfer(node, sought);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    /** Sends a stored transfer until it is final or can never land; undefined while it is neither. */
    async follow(messageHash: string, forMs: number): Promise<TransferOutcome | undefined> {
      const claim = await claims.byMessage(messageHash);
      if (claim === undefined) {
        throw new ScripError('INTERNAL', verbatim(`the transfer ${messageHash} is not on record`));
      }
      const { transaction, state, reason } = claim;
      if (state !== 'submitting') return { transaction, state, reason };
      const following = { rpc, witness, claims, clock, confirmTimeoutMs: forMs };
      const outcome = await followClaim(following, claim, { landedAt: 'finalized' });
      return outcome && { transaction, state: outcome.state, reason: outcome.reason };
    },
  };
}
