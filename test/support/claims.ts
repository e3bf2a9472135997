/** Claims in memory, with the one guarantee that counts: the first to write decides. */
import type { Claim } from '../../src/domain/payment/claim.ts';
import type { ClaimStore } from '../../src/rails/merchant-rail.ts';

export interface MemoryClaims extends ClaimStore {
  readonly rows: Map<string, Claim>;
}

export function memoryClaims(): MemoryClaims {
  const rows = new Map<string, Claim>();
  return {
    rows,
    byMessage: async (messageHash) => rows.get(messageHash),
    claim: async (claim) => {
      const first = rows.get(claim.messageHash) ?? claim;
      rows.set(claim.messageHash, first);
      return first;
    },
    decide: async (messageHash, outcome) => {
      const claim = rows.get(messageHash);
      if (claim?.state === 'submitting') rows.set(messageHash, { ...claim, ...outcome });
      return rows.get(messageHash);
    },
  };
}
