/** The purchase journal: its records, and the next step that they allow (docs/inside/payments.md). */

/** Stands for a wallet's address in orders made without a wallet, which are paid from elsewhere. */
export const NO_WALLET = 'no-wallet';

/** What the user confirmed, written before anything is sent. One per idempotency key. */
export interface Intent {
  readonly version: 1;
  readonly intentId: string;
  /** The caller's idempotency key, or the intent id when none was given. */
  readonly key: string;
  /** Origin of the checkout host, or `embedded:<profile>`; its payments are sent only there. */
  readonly host: string;
  readonly network: string;
  /** Address of the paying wallet, or `NO_WALLET`. */
  readonly payer: string;
  /** Canonical JSON of the order request: both phases send these bytes. */
  readonly body: string;
  /** The maximum to sign for, in atomic units of USDC. */
  readonly capAtomic: string;
  /** Quoted price, in atomic units. */
  readonly quotedAtomic: string;
  readonly createdAtMs: number;
  /** The user's own note; it is never sent. */
  readonly note?: string | undefined;
  /** Kinds of the goods, if known: the policy may allow only some. */
  readonly kinds?: readonly string[] | undefined;
  /** The policy in force when it was confirmed, as `scrip policy show` prints it. */
  readonly policy?: Readonly<Record<string, unknown>> | undefined;
  /** For listings only. */
  readonly summary: {
    readonly productId: string;
    readonly productName: string;
    readonly brandName: string;
    readonly countryCode: string;
    readonly faceValue: string;
    readonly currency: string;
    readonly beneficiary: string;
  };
  /** Set for orders of a cart: the cart's items in it, in the order of the request. */
  readonly cart?:
    | {
        /** Idempotency key of the cart; empty if none was given. */
        readonly scope: string;
        /** Ids of the items: `domain/product/cart-items.ts`. */
        readonly items: readonly string[];
        /** Quoted price of each item, in atomic units of USDC. */
        readonly pricesAtomic: readonly string[];
        /** For items whose product was found by a search: identity of the cart line, and the brand found. */
        readonly found?: readonly ({ readonly line: string; readonly brand: string } | null)[];
      }
    | undefined;
  /** Set for orders of the partner API: amounts are then in units of 10^-decimals of the coin. */
  readonly partner?:
    | {
        readonly coin: string;
        readonly network: string;
        readonly decimals: number;
        /** Where the merchant sends refunds. */
        readonly refundAddress: string | null;
        /** Sent to the host instead of a key that the user chose; the intent id if not set. */
        readonly name?: string;
        /** The order that this is a further payment for; another entry holds its creation. */
        readonly topUpOf?: string;
      }
    | undefined;
}

/** A payment as a rail signed it. Beside these fields a rail has its own, which it alone reads. */
export interface SignedPayment {
  /** Hash of the signed message; the same for each sender. */
  readonly messageHash: string;
  /** By which the chain lists it for its payer. */
  readonly signature: string;
  readonly payer: string;
}

/** One signed payment. The next may be written only when this one is proven dead. */
export interface Attempt extends SignedPayment {
  readonly number: number;
  /** Exact bytes of the `PAYMENT-SIGNATURE` header. */
  readonly header: string;
  readonly sessionId: string | null;
  /** The payment requirement it pays, as received (JSON). */
  readonly requirement: string;
  readonly amountAtomic: string;
  readonly asset: string;
  readonly payTo: string;
  /** What the merchant signed of this requirement, as a compact JWS. */
  readonly offer?: string | undefined;
  /** When it was signed, for the daily limits; never before the chain's time then. */
  readonly createdAtMs: number;
  /** The transaction id, when found on the chain after another journal signed it. */
  readonly foundIn?: string;
  /** Its network, when found on another one than the intent's. */
  readonly network?: string;
}

/** Append-only events. They never contradict each other, so their order does not matter. */
export type JournalEvent =
  // Order ids are the merchant's here: `orderName` returns the id to show and to type.
  /** The partner API's reply to the creation, as JSON: each payment is checked against it. */
  | { readonly fact: 'created'; readonly orderId: string; readonly order: string }
  | {
      readonly fact: 'accepted';
      readonly attempt: number;
      readonly orderId: string;
      readonly transaction?: string | undefined;
      /** What the merchant signed of the payment, as a compact JWS. */
      readonly receipt?: string | undefined;
    }
  | {
      readonly fact: 'landed';
      readonly attempt: number;
      readonly transaction: string;
      readonly slot: number;
    }
  /** The transaction found on the chain, final or not, when the merchant named none. */
  | { readonly fact: 'named'; readonly attempt: number; readonly transaction: string }
  | { readonly fact: 'dead'; readonly attempt: number; readonly proof: string }
  /** The merchant's public key for what it signs, as it was then (JSON of a JWK). */
  | { readonly fact: 'key'; readonly attempt: number; readonly jwk: string }
  /** Redemption data, encrypted with a key derived from the wallet's; empty when codes are not kept. */
  | {
      readonly fact: 'goods';
      readonly attempt: number;
      readonly status: 'completed' | 'failed';
      readonly sealed: string;
      /** Address of the wallet that sealed them, when the entry has no wallet of its own. */
      readonly wallet?: string;
    }
  | { readonly fact: 'attention'; readonly reason: string }
  /**
   * Ended before anything was signed: declined, refused, over the maximum. For an order of the partner API:
   * the state in which it ended without goods, paid or not.
   */
  | { readonly fact: 'closed'; readonly reason: string }
  /** An order of the partner API was refunded after it had ended. */
  | { readonly fact: 'refunded' }
  /** All that the merchant sent back, as final transfers of the chain to the wallet that paid. */
  | {
      readonly fact: 'returned';
      readonly attempt: number;
      readonly amountAtomic: string;
      /** Their ids, separated by spaces. */
      readonly transactions: string;
    };

export interface Entry {
  readonly intent: Intent;
  readonly attempts: readonly Attempt[];
  readonly facts: readonly JournalEvent[];
}

/** Durable records of one wallet's purchases; a write is on disk when its promise resolves. */
export interface Journal {
  /** Writes the intent, or returns the existing entry of its key. */
  open(intent: Intent): Promise<Entry>;
  byKey(key: string): Promise<Entry | undefined>;
  /** Every entry, oldest first. @throws {ScripError} JOURNAL_UNUSABLE when a record is damaged */
  all(): Promise<readonly Entry[]>;
  /**
   * Returns the entries that a payment depends on, oldest first: all except final ones signed up to
   * `sinceMs`. Damage to the excluded ones goes unnoticed here.
   * @throws {ScripError} JOURNAL_UNUSABLE
   */
  recent(sinceMs: number): Promise<readonly Entry[]>;
  /** Compare-and-swap on the attempt's number: a second caller gets the first one's attempt. */
  addAttempt(intent: Intent, attempt: Attempt): Promise<Attempt>;
  addFact(intent: Intent, event: JournalEvent): Promise<void>;
}

/** Returns the address of the only wallet that can open the codes of an entry. */
export function sealingWallet({ intent, facts }: Entry): string {
  const goods = facts.find((event) => event.fact === 'goods');
  return goods?.wallet ?? intent.payer;
}

/** What has to happen next for an entry. */
type NextStep =
  /** No signed payment can land: request a new challenge. */
  | 'challenge'
  /** A payment may be in flight and no order is known: send it again, watch the chain. */
  | 'settle'
  /** An order is known: ask for its goods. */
  | 'follow'
  | 'finished'
  /** Paid without goods; only a person can resolve it. */
  | 'attention';

/** Returns the event of a kind, of one attempt if given; undefined if there is none. */
export function eventOf<Kind extends JournalEvent['fact']>(
  entry: Entry,
  kind: Kind,
  attempt?: number,
): Extract<JournalEvent, { readonly fact: Kind }> | undefined {
  return entry.facts.find(
    (event): event is Extract<JournalEvent, { readonly fact: Kind }> =>
      event.fact === kind &&
      (attempt === undefined || ('attempt' in event && event.attempt === attempt)),
  );
}

/**
 * Returns the attempt written last: the only one that can still land, since a new one needs proof that the
 * earlier are dead.
 */
export function lastAttempt(entry: Entry): Attempt | undefined {
  return entry.attempts.reduce<Attempt | undefined>(
    (last, attempt) => (last === undefined || attempt.number > last.number ? attempt : last),
    undefined,
  );
}

/** Returns the number for the next attempt of an entry. */
export function nextNumber(entry: Entry): number {
  return (lastAttempt(entry)?.number ?? 0) + 1;
}

/** Whether an attempt provably can never land. */
export function isDead(entry: Entry, attempt: Attempt): boolean {
  return eventOf(entry, 'dead', attempt.number) !== undefined;
}

/** Returns the attempt that has landed or still may; none before signing and after proof of death. */
export function currentAttempt(entry: Entry): Attempt | undefined {
  const last = lastAttempt(entry);
  return last === undefined || isDead(entry, last) ? undefined : last;
}

/** Whether a payment of it landed or still may, or its goods came: only proof of death frees it. */
export function isPaidFor(entry: Entry): boolean {
  return currentAttempt(entry) !== undefined || eventOf(entry, 'goods') !== undefined;
}

/** Returns the order that the merchant named for the current attempt. Named does not mean paid. */
export function acceptedOrder(
  entry: Entry,
): Extract<JournalEvent, { readonly fact: 'accepted' }> | undefined {
  const attempt = currentAttempt(entry);
  return attempt === undefined ? undefined : eventOf(entry, 'accepted', attempt.number);
}

/** A word without meaning to a shell, which no command line takes for an option. */
const PLAIN_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/;

/** The order's id here, and the merchant's id if that differs. */
export interface OrderNames {
  readonly orderId: string | null;
  readonly merchantOrderId: string | null;
}

export function orderNames(intent: Intent, merchantId: string | null | undefined): OrderNames {
  const orderId = merchantId ? orderName(intent, merchantId) : null;
  return { orderId, merchantOrderId: merchantId && orderId !== merchantId ? merchantId : null };
}

/**
 * Returns the merchant's order id, or our own intent id if the merchant's is not a plain word. Requests use
 * the merchant's id; on screen it is untrusted text.
 */
export function orderName({ intentId }: Pick<Intent, 'intentId'>, merchantId: string): string {
  return PLAIN_ID.test(merchantId) ? merchantId : intentId;
}

/** Returns the merchant's id of the entry's order. */
export function merchantOrderId(entry: Entry): string | undefined {
  return acceptedOrder(entry)?.orderId ?? eventOf(entry, 'created')?.orderId;
}

/** Returns the id by which this program names the entry's order. */
export function orderIdOf(entry: Entry): string | undefined {
  const merchantId = merchantOrderId(entry);
  return merchantId === undefined ? undefined : orderName(entry.intent, merchantId);
}

/** Whether nothing remains to do or to find out. */
export function isFinished(entry: Entry): boolean {
  return nextStep(entry) === 'finished';
}

export function nextStep(entry: Entry): NextStep {
  if (eventOf(entry, 'goods') !== undefined) return 'finished';
  if (currentAttempt(entry) === undefined) {
    // Ours: a closed entry stays in the listing, and its key may still be used again.
    return eventOf(entry, 'closed') === undefined ? 'challenge' : 'finished';
  }
  if (isPaidTopUp(entry) || isSettledEnd(entry)) return 'finished';
  if (eventOf(entry, 'attention') !== undefined) return 'attention';
  return acceptedOrder(entry) === undefined ? 'settle' : 'follow';
}

/**
 * Whether no further record can change the amount spent: it ended paid, and no attempt may follow. A further
 * payment for an order is never final, because it counts together with that order.
 */
export function isFinal(entry: Entry): boolean {
  const isTopUp = entry.intent.partner?.topUpOf !== undefined;
  return !isTopUp && currentAttempt(entry) !== undefined && isFinished(entry);
}

/** A further payment that landed; its goods belong to the entry of the order it completes. */
function isPaidTopUp(entry: Entry): boolean {
  return entry.intent.partner?.topUpOf !== undefined && eventOf(entry, 'landed') !== undefined;
}

/** How an order of the partner API ended without goods. */
type FruitlessEnd = 'canceled' | 'expired' | 'refunded' | 'failed';

/** By order state, which is the reason recorded when its entry was closed. */
const FRUITLESS_ENDS: ReadonlyMap<string, FruitlessEnd> = new Map([
  ['Canceled', 'canceled'],
  ['Expired', 'expired'],
  ['Refunded', 'refunded'],
  ['PaymentSetupFailed', 'failed'],
]);

/** Also undefined when a creation was refused: the same key may have created an order since. */
export function fruitlessEnd(entry: Entry): FruitlessEnd | undefined {
  if (eventOf(entry, 'created') === undefined) return undefined;
  if (eventOf(entry, 'refunded') !== undefined) return 'refunded';
  return FRUITLESS_ENDS.get(eventOf(entry, 'closed')?.reason ?? '');
}

/**
 * The order has ended at the merchant and the transfer is final; only a refund may follow, which the merchant
 * sends.
 */
function isSettledEnd(entry: Entry): boolean {
  return (
    fruitlessEnd(entry) !== undefined &&
    eventOf(entry, 'landed', currentAttempt(entry)?.number) !== undefined
  );
}
