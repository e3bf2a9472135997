/** The purchase journal: what is written, when, and what it allows next (docs/inside/payments.md). */

/** In the place of a wallet's address: orders that are paid from elsewhere, made without a wallet. */
export const NO_WALLET = 'no-wallet';

/** What the user agreed to, written before anything is sent. One per idempotency key. */
export interface Intent {
  readonly version: 1;
  readonly intentId: string;
  /** The caller's idempotency key, or the intent id when none was given. */
  readonly key: string;
  /** Origin of the checkout host, or `embedded:<profile>`; an attempt is pinned to it. */
  readonly host: string;
  readonly network: string;
  /** Address of the wallet that pays, or `NO_WALLET`. */
  readonly payer: string;
  /** Canonical JSON of the order request: both phases send these bytes. */
  readonly body: string;
  /** The most that may be signed for, in atomic units of USDC. */
  readonly capAtomic: string;
  /** Quoted price at the time, in atomic units. */
  readonly quotedAtomic: string;
  readonly createdAtMs: number;
  /** The user's own remark; it is never sent. */
  readonly note?: string;
  /** Kinds of the goods, where they are known: the policy may allow some alone. */
  readonly kinds?: readonly string[];
  /** The policy in force when it was confirmed, as `scrip policy show` prints it. */
  readonly policy?: Readonly<Record<string, unknown>>;
  /** For listings alone. */
  readonly summary: {
    readonly productId: string;
    readonly productName: string;
    readonly brandName: string;
    readonly countryCode: string;
    readonly faceValue: string;
    readonly currency: string;
    readonly beneficiary: string;
  };
  /** Set for orders of a cart: which of its items they are, in the order of the request's. */
  readonly cart?: {
    /** Name under which the cart is bought once; empty where none was given. */
    readonly scope: string;
    /** Ids of its items: `domain/cart-items.ts`. */
    readonly items: readonly string[];
    /** What each was quoted at, in atomic units of USDC. */
    readonly pricesAtomic: readonly string[];
    /** Of items whose product was found by words: what tells their line from others, and its brand. */
    readonly found?: readonly ({ readonly line: string; readonly brand: string } | null)[];
  };
  /** Set for orders of the partner API: amounts are then in units of 10^-decimals of the coin. */
  readonly partner?: {
    readonly coin: string;
    readonly network: string;
    readonly decimals: number;
    /** Where the merchant sends money back to. */
    readonly refundAddress: string | null;
    /** What the host is told in place of a key that the user chose; the intent id without it. */
    readonly name?: string;
    /** The order that this is a further payment for; its own creation is another entry's. */
    readonly topUpOf?: string;
  };
}

/** One signed payment. The next may be written only when this one is proven dead. */
export interface Attempt {
  readonly number: number;
  /** Exact bytes of the `PAYMENT-SIGNATURE` header. */
  readonly header: string;
  readonly sessionId: string | null;
  /** The payment requirement that was signed for, as received (JSON). */
  readonly requirement: string;
  readonly amountAtomic: string;
  readonly asset: string;
  readonly payTo: string;
  readonly transaction: string;
  readonly messageHash: string;
  readonly signature: string;
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
  readonly payer: string;
  readonly baseline: {
    readonly sourceAccount: string;
    readonly signature: string | null;
    readonly slot: number;
  };
  /** What the limits of a day count it by: never before the chain's time at the signature. */
  readonly createdAtMs: number;
  /** The transaction that it was found in, where another journal signed it. */
  readonly foundIn?: string;
}

/** Append-only findings; no two contradict, so their order does not matter. */
export type JournalEvent =
  // Order ids stand here as the merchant wrote them: `orderName` gives what is shown and typed.
  /** The partner API's reply to the creation, as JSON: what a payment is measured against. */
  | { readonly fact: 'created'; readonly orderId: string; readonly order: string }
  | {
      readonly fact: 'accepted';
      readonly attempt: number;
      readonly orderId: string;
      readonly transaction?: string;
    }
  | {
      readonly fact: 'landed';
      readonly attempt: number;
      readonly transaction: string;
      readonly slot: number;
    }
  /** The transaction as the chain shows it, final or not, where the merchant named none. */
  | { readonly fact: 'named'; readonly attempt: number; readonly transaction: string }
  | { readonly fact: 'dead'; readonly attempt: number; readonly proof: string }
  /** Redemption data, encrypted with a key derived from the wallet's; empty where none is kept. */
  | {
      readonly fact: 'goods';
      readonly attempt: number;
      readonly status: 'completed' | 'failed';
      readonly sealed: string;
      /** Address of the wallet that sealed them, where the entry belongs to none. */
      readonly wallet?: string;
    }
  | { readonly fact: 'attention'; readonly reason: string }
  /**
   * Given up before anything was signed: declined, refused, over the cap. Of an order of the
   * partner API the state that it ended in without goods, paid or not.
   */
  | { readonly fact: 'closed'; readonly reason: string }
  /** An order of the partner API that had ended before was paid back since. */
  | { readonly fact: 'refunded' };

export interface Entry {
  readonly intent: Intent;
  readonly attempts: readonly Attempt[];
  readonly facts: readonly JournalEvent[];
}

/** Durable records of one wallet's purchases; every write is on disk when its promise resolves. */
export interface Journal {
  /** Writes the intent, or returns the entry that its key has already. */
  open(intent: Intent): Promise<Entry>;
  byKey(key: string): Promise<Entry | undefined>;
  /** Every entry, oldest first. @throws {ScripError} JOURNAL_UNUSABLE when a record is damaged */
  all(): Promise<readonly Entry[]>;
  /**
   * Those that a payment depends on, oldest first: all but those that are final and were signed up to
   * an instant, of which a damaged one is not noticed here. @throws {ScripError} JOURNAL_UNUSABLE
   */
  recent(sinceMs: number): Promise<readonly Entry[]>;
  /** Compare-and-swap on the attempt's number: the second caller is given the first one's. */
  addAttempt(intent: Intent, attempt: Attempt): Promise<Attempt>;
  addFact(intent: Intent, fact: JournalEvent): Promise<void>;
}

/** The address of the wallet that alone opens the codes of an entry. */
export function sealingWallet({ intent, facts }: Entry): string {
  const goods = facts.find((fact) => fact.fact === 'goods');
  return goods?.wallet ?? intent.payer;
}

/** What has to happen next to an entry. */
export type NextStep =
  /** Nothing that was signed can land: a challenge may be asked for. */
  | 'challenge'
  /** A payment may be under way and no order is known: send it again, watch the chain. */
  | 'settle'
  /** An order is known: ask for its goods. */
  | 'follow'
  | 'finished'
  /** Paid for without goods, and out of our hands. */
  | 'attention';

/** The fact of one kind about one attempt, if it was found. */
export function eventOf<Kind extends JournalEvent['fact']>(
  entry: Entry,
  kind: Kind,
  attempt?: number,
): Extract<JournalEvent, { readonly fact: Kind }> | undefined {
  return entry.facts.find(
    (fact): fact is Extract<JournalEvent, { readonly fact: Kind }> =>
      fact.fact === kind &&
      (attempt === undefined || ('attempt' in fact && fact.attempt === attempt)),
  );
}

/** The attempt written last: by the rule of writing, the only one that can still land. */
export function lastAttempt(entry: Entry): Attempt | undefined {
  return entry.attempts.reduce<Attempt | undefined>(
    (last, attempt) => (last === undefined || attempt.number > last.number ? attempt : last),
    undefined,
  );
}

/** The number that the next attempt of an entry has. */
export function nextNumber(entry: Entry): number {
  return (lastAttempt(entry)?.number ?? 0) + 1;
}

/** Whether an attempt is proven unable to land, now and for ever. */
export function isDead(entry: Entry, attempt: Attempt): boolean {
  return eventOf(entry, 'dead', attempt.number) !== undefined;
}

/** The attempt that may still land, or has; none before signing and after proof of death. */
export function currentAttempt(entry: Entry): Attempt | undefined {
  const last = lastAttempt(entry);
  return last === undefined || isDead(entry, last) ? undefined : last;
}

/** The order that the merchant named for the current attempt. Named is not paid. */
export function acceptedOrder(
  entry: Entry,
): Extract<JournalEvent, { readonly fact: 'accepted' }> | undefined {
  const attempt = currentAttempt(entry);
  return attempt === undefined ? undefined : eventOf(entry, 'accepted', attempt.number);
}

/** A word that no shell reads anything into, and no command line takes for an option. */
const PLAIN_ID = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,127}$/;

/** What an order is called on this machine, and by the merchant where that is something else. */
export interface OrderNames {
  readonly orderId: string | null;
  readonly merchantOrderId: string | null;
}

export function orderNames(intent: Intent, merchantId: string | null | undefined): OrderNames {
  const orderId = merchantId ? orderName(intent, merchantId) : null;
  return { orderId, merchantOrderId: merchantId && orderId !== merchantId ? merchantId : null };
}

/**
 * As the merchant calls an order, or by our own id where that is no plain word. The merchant's id goes
 * into requests, and is shown as a text of others.
 */
export function orderName({ intentId }: Pick<Intent, 'intentId'>, merchantId: string): string {
  return PLAIN_ID.test(merchantId) ? merchantId : intentId;
}

/** The order that the merchant named for an entry, in the merchant's words. */
export function merchantOrderId(entry: Entry): string | undefined {
  return acceptedOrder(entry)?.orderId ?? eventOf(entry, 'created')?.orderId;
}

/** The order that the merchant named for an entry, as it is called here. */
export function orderIdOf(entry: Entry): string | undefined {
  const merchantId = merchantOrderId(entry);
  return merchantId === undefined ? undefined : orderName(entry.intent, merchantId);
}

/** Whether nothing is left to be done or to be found out. */
export function isFinished(entry: Entry): boolean {
  return nextStep(entry) === 'finished';
}

export function nextStep(entry: Entry): NextStep {
  if (eventOf(entry, 'goods') !== undefined) return 'finished';
  if (currentAttempt(entry) === undefined) {
    // Ours: an entry given up stays in the listing, and its key may still be used again.
    return eventOf(entry, 'closed') === undefined ? 'challenge' : 'finished';
  }
  if (isPaidTopUp(entry) || isSettledEnd(entry)) return 'finished';
  if (eventOf(entry, 'attention') !== undefined) return 'attention';
  return acceptedOrder(entry) === undefined ? 'settle' : 'follow';
}

/**
 * Whether nothing that is written to it any more changes what was spent: it ended paid, and no attempt may follow.
 * A further payment for an order is counted with that order, however old it is.
 */
export function isFinal(entry: Entry): boolean {
  const isTopUp = entry.intent.partner?.topUpOf !== undefined;
  return !isTopUp && currentAttempt(entry) !== undefined && isFinished(entry);
}

/** Money alone: the goods belong to the entry of the order that it completes. */
function isPaidTopUp(entry: Entry): boolean {
  return entry.intent.partner?.topUpOf !== undefined && eventOf(entry, 'landed') !== undefined;
}

/** How an order of the partner API ended without goods. */
export type FruitlessEnd = 'canceled' | 'expired' | 'refunded' | 'failed';

/** By its order state, which is the reason that its entry is closed with. */
const FRUITLESS_ENDS: ReadonlyMap<string, FruitlessEnd> = new Map([
  ['Canceled', 'canceled'],
  ['Expired', 'expired'],
  ['Refunded', 'refunded'],
  ['PaymentSetupFailed', 'failed'],
]);

/** Undefined as well where a creation was refused: the same key may have made an order since. */
export function fruitlessEnd(entry: Entry): FruitlessEnd | undefined {
  if (eventOf(entry, 'created') === undefined) return undefined;
  if (eventOf(entry, 'refunded') !== undefined) return 'refunded';
  return FRUITLESS_ENDS.get(eventOf(entry, 'closed')?.reason ?? '');
}

/** Over at the merchant, and the transfer is final: what may follow is a refund, outside of here. */
function isSettledEnd(entry: Entry): boolean {
  return (
    fruitlessEnd(entry) !== undefined &&
    eventOf(entry, 'landed', currentAttempt(entry)?.number) !== undefined
  );
}
