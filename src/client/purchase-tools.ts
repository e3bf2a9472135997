/** What a purchase works with: everything that can fail, and everything that is not pure. */
import type { Fetch } from '../contract/fetch.ts';
import type { Clock } from '../domain/clock.ts';
import type { Intent, Journal } from '../domain/journal.ts';
import type { PayerRail, Signer } from '../rails/rail.ts';
import type { Vault } from '../wallet/vault.ts';

/** Places where a test ends the process, in the order in which a purchase comes by. */
export type FailPoint =
  | 'intent-written'
  | 'challenge-read'
  | 'signed'
  | 'attempt-written'
  /** Phase 2 went out; its answer is not used yet. */
  | 'submitted'
  | 'accepted-recorded'
  | 'goods-recorded';

export interface PurchaseTools {
  readonly fetch: Fetch;
  /** Base address of the checkout host, without a trailing slash. */
  readonly checkoutUrl: string;
  /** Origin of the checkout host, or `embedded:<profile>`: what the journal pins a purchase to. */
  readonly host: string;
  readonly rail: PayerRail;
  readonly signer: Signer;
  readonly journal: Journal;
  readonly vault: Vault;
  readonly clock: Clock;
  /** Random bytes from the system. */
  random(length: number): Uint8Array;
  /** What is paid with; USDC on Solana mainnet where it is left out. */
  readonly asset?: string;
  /** How long to wait for delivery once the order is accepted; 0 returns at once. */
  readonly waitMs: number;
  /** How long to find out whether a payment was made. */
  readonly settleMs?: number;
  /** Between polls of an order, after a few quicker ones. */
  readonly pollMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: { step(text: string): void };
  /** Told when a request without a key goes on with a purchase that was begun before. */
  readonly resuming?: (begun: Intent) => void;
  readonly failPoint?: (name: FailPoint) => void;
}
