/** A shop's own money on Solana; the fee payer pays what its transfers cost. */

import { SOL_DECIMALS } from '../../domain/money/money.ts';
import type { ShopRail } from '../merchant-rail.ts';
import type { Signer } from '../rail.ts';
import { nodesOf, readsOfShop } from '../witness.ts';
import { associatedTokenAddress, isAddress, isOnCurve } from './address.ts';
import { changesIn, changesOf, feeIn, receivedIn } from './credits.ts';
import { canReceiveUsdc } from './open-account.ts';
import { followClaim, type SettlementParts } from './settlement.ts';
import { landedTransfer, signShopTransfer } from './shop-transfer.ts';

interface ShopRailOptions extends Omit<SettlementParts, 'confirmTimeoutMs' | 'nextBlockMs'> {
  readonly network: string;
  readonly mint: string;
  /** Asked for when it signs or is looked at. */
  feePayer(): Signer;
  random(length: number): Uint8Array;
}

/** 64 bytes in base58. */
const TRANSACTION_ID = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/;
/** Nonces of a transfer are below this. */
const NONCES = 2_999_999_999;

export function createSolanaShopRail(options: ShopRailOptions): ShopRail {
  const { network, mint, rpc, clock, feePayer, random } = options;
  const placeOf = (owner: string) => ({ account: associatedTokenAddress(owner, mint), mint });
  return {
    network,
    isAddress,
    isKeyAddress: (text) => isAddress(text) && isOnCurve(text),
    isTransactionId: (text) => TRANSACTION_ID.test(text),
    canReceive: (owner) => canReceiveUsdc(rpc, owner),
    async usdcOf(owners) {
      const accounts = await rpc.tokenAccounts(owners.map((owner) => placeOf(owner).account));
      return owners.map((_owner, index) => accounts[index]?.amount ?? null);
    },
    async feeAccount() {
      const { address } = feePayer();
      return { address, coin: 'SOL', decimals: SOL_DECIMALS, balance: await rpc.balance(address) };
    },
    sign(transfer) {
      const nonce = Buffer.from(random(4)).readUInt32BE() % NONCES;
      return signShopTransfer(transfer, { rpc, feePayer: feePayer(), nonce, atMs: clock.now() });
    },
    follow: (claim, forMs) =>
      followClaim({ ...options, confirmTimeoutMs: forMs }, claim, { landedAt: 'finalized' }),
    async feeOf({ transaction, messageHash, state }) {
      // Claims of other rails learn the id of their transaction later.
      if (transaction === messageHash) return undefined;
      return state === 'expired' ? 0n : feeIn(rpc, transaction);
    },
    ...readsOfShop(nodesOf(options), {
      landed: landedTransfer,
      received: (node, transaction, owner) => receivedIn(node, transaction, placeOf(owner)),
      changesIn(node, transaction, owners) {
        const accounts = owners.map((owner) => placeOf(owner).account);
        return changesIn(node, transaction, { accounts, mint });
      },
      changesOf: (node, owner, sinceMs) => changesOf(node, placeOf(owner).account, mint, sinceMs),
      head: async (node) => (await node.height('finalized')).slot,
    }),
  };
}
