/** What a purchase depends on: ports that can fail, and everything impure. */

import type { WireOrderRequest } from '../../contract/checkout.ts';
import type { PaymentRequirement } from '../../contract/x402.ts';
import type { ClientPoint } from '../../domain/journal/fail-points.ts';
import type { Intent } from '../../domain/journal/journal.ts';
import type { KeySince } from '../../domain/policy/key-since.ts';
import type { Vault } from '../../wallet/vault.ts';
import type { Paying } from '../paying.ts';
import type { IntentInput } from '../payment/intent.ts';
import type { ScripDeps } from '../scrip.ts';
import type { Timeouts } from '../timeouts.ts';
import type { Challenge } from './checkout.ts';

export interface PurchaseRequest extends IntentInput {
  readonly body: WireOrderRequest;
  readonly cart?: Intent['cart'] | undefined;
}

export interface PurchaseDeps
  extends Omit<Paying, 'vault'>,
    Omit<Timeouts, 'settleMs'>,
    Pick<ScripDeps, 'fetch' | 'clock' | 'random'>,
    Partial<Pick<ScripDeps, 'progress'>> {
  /** Base address of the checkout host, without a trailing slash. */
  readonly checkoutUrl: string;
  /** Origin of the checkout host, or `embedded:<profile>`; the journal ties a purchase to it. */
  readonly host: string;
  readonly vault: Vault;
  /** When idempotency keys can first have been used; default: the wallet's first payment. */
  readonly keySince?: KeySince | undefined;
  /** Asset to pay with; default: USDC on Solana mainnet. */
  readonly asset?: string;
  /**
   * Total time to find out whether payments were made. Default: as long as a payment takes to expire and be
   * proven dead, or `waitMs` if longer.
   */
  readonly settleMs?: number | undefined;
  /** Pause between polls of an order; 5 s by the interface. */
  readonly pollMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The challenge that the user agreed to: signed while it is valid, and any other must ask for the same. */
  readonly agreed?:
    | { readonly challenge: Challenge; readonly requirement: PaymentRequirement }
    | undefined;
  /** Called when a request without a key continues an earlier purchase. */
  readonly resuming?: (begun: Intent) => void;
  /** Called at places where a test may kill the process. */
  readonly failPoint?: (name: ClientPoint) => void;
}
