/** Completes a claim on any rail: its bytes are sent until the chain has decided. */

import type { PaymentRequirement } from '../contract/x402.ts';
import { expected } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import type { Claim, Outcome } from '../domain/payment/claim.ts';
import { requiredAmount } from '../domain/payment/payment.ts';
import type { ClaimStore } from './merchant-rail.ts';

export interface Settling {
  readonly claims: ClaimStore;
  readonly clock: Clock;
  /** After this time, a later call continues the settlement. */
  readonly confirmTimeoutMs: number;
  /** How long until the next block, where the chain can tell: before, nothing changes. */
  readonly nextBlockMs?: (() => Promise<number>) | undefined;
}

export interface Until {
  /** Whether the claim was made just now, so that no node can have its transaction. */
  readonly isNew?: boolean | undefined;
  /** From when it counts as landed; `confirmed` by default. */
  readonly landedAt?: LandedAt | undefined;
  /** Ends the polling early, as if the time were up. */
  readonly signal?: AbortSignal | undefined;
}

/** Once a block has it, or a final one. */
export type LandedAt = 'confirmed' | 'finalized';

export interface Finality {
  /** Payments of this amount or more count once finalized, smaller ones once confirmed. */
  readonly finalFromAtomic?: bigint | undefined;
}

export function landedAtOf(
  requirement: PaymentRequirement,
  { finalFromAtomic }: Finality,
): LandedAt {
  const isLarge = finalFromAtomic !== undefined && requiredAmount(requirement) >= finalFromAtomic;
  return isLarge ? 'finalized' : 'confirmed';
}

const POLL_DELAYS_MS = [50, 100, 150, 200, 300, 500];
const LAST_POLL_DELAY_MS = 1_000;
/** Every fourth poll that finds nothing sends the same bytes again. */
const POLLS_PER_BROADCAST = 4;

/** How a rail asks and tells its chain. */
interface ChainSide {
  /** What the chain shows now; `absent` and `open` are undecided. */
  look(landedAt: LandedAt): Promise<Outcome | 'absent' | 'open'>;
  /** Sends what is `absent`; throws CHAIN_UNREACHABLE at most. */
  send(): Promise<unknown>;
}

/**
 * Polls until a claim is decided or the time is up, and records the decision. RPC errors decide nothing. Undefined
 * means still open.
 */
export async function followUntilDecided(
  { clock, claims, confirmTimeoutMs, nextBlockMs }: Settling,
  { messageHash }: Claim,
  { isNew = false, landedAt = 'confirmed', signal }: Until,
  { look, send }: ChainSide,
): Promise<Outcome | undefined> {
  const deadlineMs = clock.now() + confirmTimeoutMs;
  for (let poll = 0; ; poll += 1) {
    const seen = poll === 0 && isNew ? 'absent' : await look(landedAt);
    if (typeof seen !== 'string') {
      // Another process may have decided first: all return the stored decision.
      return (await claims.decide(messageHash, seen)) ?? seen;
    }
    // An error after sending is no failure: this node may have the transaction, or the next one will get it.
    if (seen === 'absent' && poll % POLLS_PER_BROADCAST === 0) {
      await send().catch(expected(() => undefined, 'CHAIN_UNREACHABLE'));
    }
    if (clock.now() >= deadlineMs || signal?.aborted) return undefined;
    const delayMs = POLL_DELAYS_MS[poll] ?? LAST_POLL_DELAY_MS;
    const blockMs = (await nextBlockMs?.()) ?? 0;
    await clock.sleep(Math.max(delayMs, blockMs), signal).catch(() => undefined);
  }
}
