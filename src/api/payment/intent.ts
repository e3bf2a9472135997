/** The confirmed purchase, recorded in the journal before anything is sent. */

import type { Clock } from '../../domain/clock.ts';
import {
  currentAttempt,
  type Entry,
  type Intent,
  isFinished,
  type Journal,
} from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Atomic } from '../../domain/money/money.ts';
import { type DuplicateQuery, findDuplicate } from '../../domain/order/ordered-products.ts';
import { DAY_MS } from '../../domain/policy/spending.ts';
import { goodsName } from '../../domain/product/product.ts';
import { uuid } from '../../domain/uuid.ts';
import { sha256 } from './outcome.ts';
import { recoveredKey } from './payment-tag.ts';

/** What opening a purchase needs, for any merchant. */
export interface IntentDeps {
  readonly journal: Journal;
  /** The merchant's name in the journal. */
  readonly host: string;
  /** CAIP-2 id of the wallet's network. */
  readonly network: string;
  /** Address of the journal's wallet. */
  readonly payer: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Random bytes from the system. */
  random(length: number): Uint8Array;
  /** Called when a request without a key continues an earlier purchase. */
  readonly resuming?: ((begun: Intent) => void) | undefined;
}

/** What the user ordered and confirmed, for any merchant. */
export interface IntentInput {
  /** The caller's idempotency key: the same key never pays twice. */
  readonly key?: string | undefined;
  /** Price, and the maximum to sign for, as the user confirmed; in units of the coin. */
  readonly quotedAtomic: Atomic;
  readonly capAtomic: Atomic;
  readonly summary: Intent['summary'];
  /** The user's own note, only for the journal. */
  readonly note?: string | undefined;
  readonly kinds?: readonly string[] | undefined;
  /** Allows ordering the same goods again shortly after another key ordered them. */
  readonly allowsDuplicate?: boolean;
}

/** Fields that the merchant's implementation adds to the record. */
type MerchantTerms = Pick<Intent, 'policy' | 'cart' | 'partner'>;

/** What identifies a purchase at one merchant, and the record of a new one. */
export interface Opening {
  /** Canonical JSON of the order request. */
  readonly body: string;
  /** Whether an unfinished purchase of the same order should be continued; always, if omitted. */
  readonly isStillMeant?: ((begun: Intent) => boolean) | undefined;
  /** Whether to refuse a key whose purchase a repair recovered without its key. */
  readonly refusesRecovered?: boolean;
  /** Called only for a new purchase, because it may ask for a passphrase. */
  terms(): Promise<MerchantTerms>;
}

/**
 * Opens the purchase, or returns the one that the request continues: the same key or, without a key, an
 * unfinished one for the same body at the same host.
 * @throws {ScripError} IDEMPOTENCY_KEY_REUSED, DUPLICATE_PURCHASE, JOURNAL_UNUSABLE
 */
export async function openIntent(
  deps: IntentDeps,
  input: IntentInput,
  opening: Opening,
): Promise<Entry> {
  const { journal, host } = deps;
  const { body } = opening;
  const { key } = input;
  const nowMs = deps.clock.now();
  // Always read: a damaged record here must stop a new purchase.
  const entries = await journal.recent(nowMs - DAY_MS);
  const known = await findKnown(journal, entries, { ...opening, key, host });
  if (known !== undefined && key === undefined) deps.resuming?.(known.intent);
  if (known === undefined && key !== undefined && opening.refusesRecovered === true) {
    await checkRecovered(journal, key);
  }
  if (known === undefined && input.allowsDuplicate !== true) {
    const twin = findDuplicate(entries, { body, host, summary: input.summary, nowMs });
    if (twin !== undefined) throw duplicateError(twin);
  }
  const entry =
    known === undefined
      ? await journal.open(newIntent(deps, input, { body, ...(await opening.terms()) }))
      : await reopen(journal, known);
  return checkMeant(entry, { body, host });
}

/** Returns the entry of a key, if it is for this request. @throws {ScripError} IDEMPOTENCY_KEY_REUSED */
export function checkMeant(entry: Entry, { body, host }: Pick<Intent, 'body' | 'host'>): Entry {
  if (entry.intent.body === body && entry.intent.host === host) return entry;
  throw new ScripError(
    'IDEMPOTENCY_KEY_REUSED',
    t`The idempotency key "${entry.intent.key}" belongs to another order; nothing was sent`,
    { details: { intent_id: entry.intent.intentId } },
  );
}

/**
 * Returns the record of a purchase, to be journaled before anything is sent. `body` distinguishes it from all
 * others.
 */
export function newIntent(
  deps: Omit<IntentDeps, 'journal' | 'resuming'>,
  input: IntentInput,
  terms: MerchantTerms & Pick<Intent, 'body'>,
): Intent {
  const intentId = uuid(deps.random(16));
  const { body, policy, cart, partner } = terms;
  return {
    version: 1,
    intentId,
    key: input.key ?? intentId,
    host: deps.host,
    network: deps.network,
    payer: deps.payer,
    body,
    capAtomic: input.capAtomic.toString(),
    quotedAtomic: input.quotedAtomic.toString(),
    createdAtMs: deps.clock.now(),
    summary: input.summary,
    ...(policy === undefined ? {} : { policy }),
    ...(input.note === undefined ? {} : { note: input.note }),
    ...(input.kinds === undefined ? {} : { kinds: input.kinds }),
    ...(cart === undefined ? {} : { cart }),
    ...(partner === undefined ? {} : { partner }),
  };
}

/** Refuses a key whose purchase a repair recovered without knowing the key: it may be paid. */
async function checkRecovered(journal: Pick<Journal, 'byKey'>, key: string): Promise<void> {
  const recovered = await journal.byKey(recoveredKey(await sha256(key)));
  if (recovered !== undefined) throw usedBefore(key, recovered);
}

/** Returns the error for a key whose purchase is in the journal under another name. */
export function usedBefore(key: string, { intent: { intentId } }: Entry): ScripError {
  return new ScripError(
    'IDEMPOTENCY_KEY_REUSED',
    t`The journal of the purchase with the idempotency key "${key}" is damaged; nothing was sent`,
    {
      hint: commandText`See its outcome: scrip orders show ${intentId}. To buy again, use another key.`,
      details: { intent_id: intentId },
    },
  );
}

/**
 * Opens a purchase again, which syncs records that a process wrote but did not sync before it died.
 * @throws {ScripError} JOURNAL_UNUSABLE, with money at risk if a payment was signed
 */
export async function reopen(journal: Journal, known: Entry): Promise<Entry> {
  try {
    return await journal.open(known.intent);
  } catch (error) {
    if (!(error instanceof ScripError) || currentAttempt(known) === undefined) throw error;
    throw new ScripError(error.code, error.sentence, {
      cause: error,
      hint: commandText`A payment may be in progress. Do not pay again. Free disk space or repair the state folder, then run: scrip orders resume ${known.intent.intentId}`,
      fundsAtRisk: 'possible',
      details: { ...error.details, intent_id: known.intent.intentId },
    });
  }
}

/** Returns the error for goods that another key ordered a moment ago. */
export function duplicateError({ intent }: Entry): ScripError {
  const { productName, brandName, faceValue, currency, beneficiary } = intent.summary;
  // A merchant may omit the face value, or append its currency.
  const isWhole = faceValue === '' || faceValue.endsWith(currency);
  const value = isWhole ? faceValue : `${faceValue} ${currency}`;
  const isNamed = productName !== '' && productName !== brandName;
  const what = isNamed
    ? goodsName({ name: productName, faceValue, currency })
    : `${brandName} ${value}`.trim();
  return new ScripError(
    'DUPLICATE_PURCHASE',
    t`${t`${what} for ${beneficiary} was already ordered at ${timeText(intent.createdAtMs)}`}; nothing was sent`,
    {
      hint: t`To see it: scrip orders. To buy it again, add --allow-duplicate.`,
      details: {
        intent_id: intent.intentId,
        idempotency_key: intent.key,
        ordered_at: new Date(intent.createdAtMs).toISOString(),
      },
    },
  );
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/**
 * Looks an order up in the journal before the user is asked to confirm it.
 * @param wanted canonical JSON of the order request, and the merchant's name in the journal
 * @returns the purchase that the request would continue, of its key or the same unfinished one; else one of
 * the same goods under another key, a moment ago
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
export async function lookUp(journal: Journal, wanted: DuplicateQuery & KnownQuery) {
  const entries = await journal.recent(wanted.nowMs - DAY_MS);
  const known = await findKnown(journal, entries, wanted);
  return { known, twin: known === undefined ? findDuplicate(entries, wanted) : undefined };
}

/** Finds a purchase of the same goods a moment ago. @throws {ScripError} JOURNAL_UNUSABLE */
export async function findTwin(
  journal: Pick<Journal, 'recent'>,
  wanted: DuplicateQuery,
): Promise<Entry | undefined> {
  return findDuplicate(await journal.recent(wanted.nowMs - DAY_MS), wanted);
}

interface KnownQuery extends Pick<Opening, 'body' | 'isStillMeant'> {
  readonly key: string | undefined;
  readonly host: string;
}

/** Finds a purchase by its key or, without one, an unfinished one of the same request. */
export async function findKnown(
  journal: Pick<Journal, 'byKey'>,
  entries: readonly Entry[],
  wanted: KnownQuery,
): Promise<Entry | undefined> {
  if (wanted.key !== undefined) return journal.byKey(wanted.key);
  const candidates = entries.filter(
    (entry) =>
      entry.intent.body === wanted.body &&
      entry.intent.host === wanted.host &&
      !isFinished(entry) &&
      (wanted.isStillMeant?.(entry.intent) ?? true),
  );
  // Prefer one that may be paid.
  return candidates.find((entry) => currentAttempt(entry) !== undefined) ?? candidates.at(-1);
}
