/** Who settles the payments of a shop: its own fee payer, or a facilitator elsewhere beside it. */

import { SOLANA_MAINNET, USDC_DECIMALS, USDC_MINT } from '../contract/x402.ts';
import { type Message, t } from '../domain/message/message.ts';
import { parseDecimal, parseSol } from '../domain/money/money.ts';
import { type FacilitatorClient, routeByFeePayer } from '../rails/facilitator-http.ts';
import type { ClaimStore, ShopRail } from '../rails/merchant-rail.ts';
import type { Signer } from '../rails/rail.ts';
import type { Finality } from '../rails/settling.ts';
import { createFacilitator } from '../rails/solana/facilitator.ts';
import { createRemoteFacilitator } from '../rails/solana/remote-facilitator.ts';
import type { SolanaRpc } from '../rails/solana/rpc.ts';
import { createSolanaShopRail } from '../rails/solana/shop-rail.ts';
import { createSponsor } from '../rails/solana/sponsor.ts';
import type { Degraded } from '../service/http/health.ts';
import type { Sponsorship } from '../service/options.ts';
import { createPayerBudget } from '../service/payer-budget.ts';
import { claimsOf } from '../store/store.ts';
import type { PartOptions } from './parts.ts';
import type { ShopConfig } from './shop-config.ts';
import type { OpenedShopStore } from './shop-store.ts';

const CONFIRM_TIMEOUT_MS = 8_000;

/** What the parts that reach the chain are made of. */
export interface ChainParts extends Pick<PartOptions, 'clock'>, OpenedShopStore {
  readonly config: ShopConfig;
  readonly feePayer: Signer;
  readonly rpc: SolanaRpc;
  readonly witness: SolanaRpc | undefined;
  random(length: number): Uint8Array;
  report(error: unknown): void;
}

export function finalityOf({ chain }: ShopConfig): Finality {
  return { finalFromAtomic: parseDecimal(chain.finalized_from_usdc, USDC_DECIMALS) };
}

const FUNDS_EVERY_MS = 60_000;

export function openFacilitators(parts: ChainParts, client: FacilitatorClient | undefined) {
  const { config, store, clock, feePayer } = parts;
  const shared = {
    ...parts,
    ...finalityOf(config),
    confirmTimeoutMs: CONFIRM_TIMEOUT_MS,
    network: SOLANA_MAINNET,
    mint: USDC_MINT,
  };
  const own = createFacilitator({
    ...shared,
    claims: claimsOf(store),
    budget: createPayerBudget(store, clock),
    floorLamports: parseSol(config.chain.fee_payer_floor_sol),
  });
  const remote = createRemoteFacilitator({ ...shared, client });
  const current = client === undefined ? own : remote;
  const { address } = feePayer;
  const facilitator = routeByFeePayer({ own, feePayer: address, remote, current });
  let nextAtMs = 0;
  let fault: Message | null = null;
  return {
    /** Our fee payer's. */
    own,
    /** The one that payments are given to. */
    facilitator,
    /** Reports each minute what keeps them from paying, also while no order comes. */
    async watch() {
      if (client !== undefined) {
        fault = await remote.supported().then(
          () => null,
          () => AWAY,
        );
      }
      if (clock.now() < nextAtMs) return;
      nextAtMs = clock.now() + FUNDS_EVERY_MS;
      await facilitator.checkFunds();
    },
    /** Payments over x402 alone need the one elsewhere. */
    degraded: (): Degraded => (client === undefined ? {} : { facilitator: fault }),
  };
}

const AWAY = t`Nothing is sold over x402: the facilitator cannot be used`;

export function openSponsorship(parts: ChainParts): Sponsorship {
  const { config, store, clock } = parts;
  const { fee_payer_floor_sol: floor, sponsored_fees_per_day_sol: perDay } = config.chain;
  const sponsor = createSponsor({
    ...parts,
    mint: USDC_MINT,
    budget: createPayerBudget(store, clock),
    floorLamports: parseSol(floor),
  });
  return { sponsor, feesPerDay: parseSol(perDay) };
}

/** The shop's own money on Solana. */
export function openShopRail(
  parts: Omit<ChainParts, 'config'>,
  watch: (claims: ClaimStore) => ClaimStore = (claims) => claims,
): ShopRail {
  const { store, feePayer } = parts;
  return createSolanaShopRail({
    ...parts,
    ...{ network: SOLANA_MAINNET, mint: USDC_MINT },
    claims: watch(claimsOf(store)),
    feePayer: () => feePayer,
  });
}
