/** What a purchase works with: everything that can fail, and everything that is not pure. */
import type { WireOrderRequest } from '../../contract/checkout.ts';
import type { Fetch } from '../../contract/fetch.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ClientPoint } from '../../domain/fail-points.ts';
import type { Intent, Journal } from '../../domain/journal.ts';
import type { KeySince } from '../../domain/key-since.ts';
import type { PayerRail, Signer } from '../../rails/rail.ts';
import type { Vault } from '../../wallet/vault.ts';
import type { IntentInput } from '../payment/intent.ts';
import type { Spending } from '../payment/measure.ts';
import type { Progress } from '../progress.ts';

export interface PurchaseRequest extends IntentInput {
  readonly body: WireOrderRequest;
  readonly cart?: Intent['cart'] | undefined;
}

export interface PurchaseDeps {
  readonly fetch: Fetch;
  /** Base address of the checkout host, without a trailing slash. */
  readonly checkoutUrl: string;
  /** Origin of the checkout host, or `embedded:<profile>`: what the journal pins a purchase to. */
  readonly host: string;
  readonly rail: PayerRail;
  readonly signer: Signer;
  readonly journal: Journal;
  /** Policy and spend log that a payment is measured by. */
  readonly spending: Spending;
  readonly vault: Vault;
  /** From when on idempotency keys can have been used; from the wallet's first payment without it. */
  readonly keySince?: KeySince | undefined;
  readonly clock: Clock;
  /** Random bytes from the system. */
  random(length: number): Uint8Array;
  /** What is paid with; USDC on Solana mainnet where it is left out. */
  readonly asset?: string;
  /** How long to wait for delivery once the order is accepted; 0 returns at once. */
  readonly waitMs: number;
  /**
   * How long to find out whether payments were made, in all; without it as long as a payment needs
   * to expire and be proven dead, or as `waitMs` if that is longer.
   */
  readonly settleMs?: number;
  /** Between polls of an order; 5 s by the interface. */
  readonly pollMs?: number;
  readonly signal?: AbortSignal | undefined;
  readonly progress?: Progress;
  /** Told when a request without a key goes on with a purchase that was begun before. */
  readonly resuming?: (begun: Intent) => void;
  /** Called at places where a test may end the process. */
  readonly failPoint?: (name: ClientPoint) => void;
}
