/** The embedded chain, asked as a node, and transfers over it as a shop and those who pay it send them. */

import type { Fetch } from '../../src/contract/fetch.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import type { ShopRail } from '../../src/rails/merchant-rail.ts';
import type { Signer } from '../../src/rails/rail.ts';
import { associatedTokenAddress } from '../../src/rails/solana/address.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { createSolanaShopRail } from '../../src/rails/solana/shop-rail.ts';
import { openChain } from '../../src/sandbox/chain/chain.ts';
import { createRpcEndpoint } from '../../src/sandbox/rpc/handler.ts';
import { createShopTransfers } from '../../src/service/refunds/shop-transfers.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';
import { claimsOf, type Store } from '../../src/store/store.ts';
import type { ManualClock } from './manual-clock.ts';
import { random } from './random.ts';
import { FEE_PAYER, MERCHANT, PAYER } from './solana-payment.ts';

export type LiveChain = Awaited<ReturnType<typeof liveChain>>;

const SLOT_MS = 400;

/** The same, with a payer of 100 USDC, a merchant's account and a fee payer, all of it final. */
export async function fundedChain(clock: ManualClock): Promise<LiveChain> {
  const live = await liveChain(clock);
  await live.chain.airdrop(FEE_PAYER.address, 1_000_000_000n);
  await live.chain.fundUsdc(PAYER.address, 100_000_000n);
  await live.chain.openForPayments(MERCHANT.address);
  clock.advance(40 * SLOT_MS);
  return live;
}

export async function liveChain(clock: ManualClock) {
  const chainStore = await openSqliteChain(':memory:');
  const chain = await openChain({ store: chainStore, clock });
  const answer = createRpcEndpoint(chain);
  const fetch: Fetch = (url, init) => answer(new Request(url, init));
  const rpc = createSolanaRpc({ url: 'http://chain.invalid/rpc', fetch, clock });
  const balanceOf = (owner: string) =>
    rpc.tokenAccountBalance(associatedTokenAddress(owner, USDC_MINT));
  const shopRail = (
    store: Store,
    over: Partial<Parameters<typeof createSolanaShopRail>[0]> = {},
  ): ShopRail =>
    createSolanaShopRail({
      ...{ network: SOLANA_MAINNET, mint: USDC_MINT, rpc, clock, claims: claimsOf(store) },
      feePayer: () => FEE_PAYER,
      random,
      ...over,
    });
  const transfersOf = (store: Store, over: Parameters<typeof shopRail>[1] = {}) =>
    createShopTransfers(store, shopRail(store, over));
  return {
    ...{ chain, fetch, rpc, balanceOf, shopRail, transfersOf },
    /** Sends until it is final, and opens the recipient's account where that is closed; gives the transaction. */
    async send(store: Store, owner: Signer, payTo: string, amountAtomic: bigint) {
      if ((await balanceOf(payTo)) === null) await chain.openForPayments(payTo);
      const transfers = transfersOf(store);
      const transfer = { owner, payTo, amountAtomic: atomic(amountAtomic) };
      const hash = (await transfers.begin(transfer, async () => true)) ?? '';
      for (;;) {
        const outcome = await transfers.follow(hash, 5_000);
        if (outcome !== undefined) return outcome.transaction;
        clock.advance(5_000);
      }
    },
    close: () => chainStore.close(),
  };
}
