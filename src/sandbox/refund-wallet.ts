/** Pays the sandbox's refunds on its chain, from a wallet of its own that holds test money. */

import type { Clock } from '../domain/clock.ts';
import type { Signer } from '../rails/rail.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';
import type { SolanaRpc } from '../rails/solana/rpc.ts';
import type { Watch } from '../service/fail-points.ts';
import type { Market } from '../service/market.ts';
import { createRefundPayments } from '../service/refund-payments.ts';
import { createShopTransfers } from '../service/shop-transfers.ts';
import type { Store } from '../store/store.ts';
import { claimsOf } from '../store/tables/claims.ts';
import type { Draw } from './secrets.ts';
import type { ShopChain } from './shop-chain.ts';

interface RefundParts {
  readonly store: Store;
  readonly chain: Pick<ShopChain, 'fund'>;
  readonly rpc: SolanaRpc;
  readonly clock: Clock;
  readonly draw: Draw;
  readonly feePayer: Signer;
  readonly market: Market;
  readonly watch: Watch;
  random(length: number): Uint8Array;
  report?: ((error: unknown) => void) | undefined;
}

/** In atomic units: more than any order of the sandbox costs. */
const MOST_ATOMIC = 100_000_000_000n;
const PER_DAY_ATOMIC = 100n * MOST_ATOMIC;

export function sandboxRefunds(parts: RefundParts): () => Promise<void> {
  const { store, chain, draw, watch, clock, market, report = () => undefined } = parts;
  const wallet = signerFromSeed(draw('refunds'));
  const rpc = watch.refundRpc(parts.rpc);
  const claims = watch.refundClaims(claimsOf(store));
  return createRefundPayments({
    store,
    clock,
    market,
    report,
    rpc,
    wallet,
    transfers: createShopTransfers({ ...parts, rpc, claims }),
    limits: {
      mostAtomic: MOST_ATOMIC,
      perDayAtomic: PER_DAY_ATOMIC,
      approveAboveAtomic: MOST_ATOMIC,
    },
    topUp: () => chain.fund(wallet.address, { usdcAtomic: PER_DAY_ATOMIC, lamports: 0n }),
  });
}
