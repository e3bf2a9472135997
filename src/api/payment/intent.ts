/** The confirmed purchase, recorded in the journal before anything is sent. */

import type { Clock } from '../../domain/clock.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import {
  currentAttempt,
  type Entry,
  type Intent,
  isFinished,
  type Journal,
} from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import type { Atomic } from '../../domain/money.ts';
import { findDuplicate } from '../../domain/ordered-products.ts';
import { DAY_MS } from '../../domain/spending.ts';
import { uuid } from '../../domain/uuid.ts';
import { recoveredKey } from '../recovery/recovered-key.ts';
import { sha256 } from './digest.ts';

/** What a purchase is opened with, whichever merchant it is from. */
export interface IntentDeps {
  readonly journal: Journal;
  /** As the journal names the merchant. */
  readonly host: string;
  /** CAIP-2 id of the network that the wallet is of. */
  readonly network: string;
  /** Address of the wallet whose journal it is. */
  readonly payer: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Random bytes from the system. */
  random(length: number): Uint8Array;
  /** Told when a request without a key goes on with a purchase that was begun before. */
  readonly resuming?: ((begun: Intent) => void) | undefined;
}

/** What is ordered and agreed to, whichever merchant it is from. */
export interface IntentInput {
  /** The caller's idempotency key: the same key never pays twice. */
  readonly key?: string | undefined;
  /** Price, and the most that may be signed for, as the user agreed; in units of the coin. */
  readonly quotedAtomic: Atomic;
  readonly capAtomic: Atomic;
  readonly summary: Intent['summary'];
  /** The user's own remark, for the journal alone. */
  readonly note?: string | undefined;
  readonly kinds?: readonly string[];
  /** The same goods are wanted once more, although they were ordered a moment ago. */
  readonly allowsDuplicate?: boolean;
}

/** What a merchant's own record adds to it. */
type MerchantTerms = Pick<Intent, 'policy' | 'cart' | 'partner'>;

/** How purchases of one merchant are told apart, and what is written down of a new one. */
export interface Opening {
  /** Canonical JSON of the order request. */
  readonly body: string;
  /** Whether an unfinished purchase of the same is still meant; always, where it is left out. */
  readonly isStillMeant?: ((begun: Intent) => boolean) | undefined;
  /** Whether what a repair could not name speaks against the key: found here or at the merchant. */
  readonly refusesRecovered?: boolean;
  /** Asked for a new one alone: a passphrase may be needed for it. */
  terms(): Promise<MerchantTerms>;
}

/**
 * Opens the purchase, or finds the one that the request continues: the same key or, without a key,
 * an unfinished one for the same body at the same host.
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
  // Read in any case: while one of these records is damaged, nothing new is begun.
  const entries = await journal.recent(nowMs - DAY_MS);
  const known = await findKnown(journal, entries, { ...opening, key, host });
  if (known !== undefined && key === undefined) deps.resuming?.(known.intent);
  if (known === undefined && key !== undefined && opening.refusesRecovered === true) {
    await checkRecovered(journal, key);
  }
  if (known === undefined && input.allowsDuplicate !== true) {
    const twin = findDuplicate(entries, {
      ...{ body, host, summary: input.summary },
      nowMs,
    });
    if (twin !== undefined) throw duplicateError(twin);
  }
  const entry =
    known === undefined
      ? await journal.open(newIntent(deps, input, { body, ...(await opening.terms()) }))
      : await reopen(journal, known);
  if (entry.intent.body === body && entry.intent.host === host) return entry;
  throw new ScripError(
    'IDEMPOTENCY_KEY_REUSED',
    t`The idempotency key "${entry.intent.key}" belongs to another order; nothing was sent`,
    { details: { intent_id: entry.intent.intentId } },
  );
}

/** What is written down of a purchase before anything of it goes out. `body` tells it from all others. */
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

/** A key whose purchase was written anew without it: what it paid for is there, under another name. */
async function checkRecovered(journal: Pick<Journal, 'byKey'>, key: string): Promise<void> {
  const recovered = await journal.byKey(recoveredKey(await sha256(key)));
  if (recovered !== undefined) throw usedBefore(key, recovered);
}

/** The key is of a purchase that stands in the journal under another name. */
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
 * Opens a purchase again, and syncs records that a process wrote but did not sync before it died.
 * @throws {ScripError} JOURNAL_UNUSABLE, with money at risk where a payment was signed
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

/** The same goods were bought a moment ago, under another key. */
export function duplicateError({ intent }: Entry): ScripError {
  const { brandName, faceValue, currency, beneficiary } = intent.summary;
  // A merchant need not tell the face value, and may tell it with its currency.
  const isWhole = faceValue === '' || faceValue.endsWith(currency);
  const value = isWhole ? faceValue : `${faceValue} ${currency}`;
  const what = `${brandName} ${value}`.trim();
  return new ScripError(
    'DUPLICATE_PURCHASE',
    t`${t`${what} for ${beneficiary} was already ordered at ${timeText(intent.createdAtMs)}`}; nothing was sent`,
    {
      hint: t`To see it: scrip orders. To buy it again, add --allow-duplicate.`,
      details: { intent_id: intent.intentId, idempotency_key: intent.key },
    },
  );
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** What an order meets in the journal. */
export interface Found {
  /** The purchase that the request would go on with, by its key or as the same unfinished one. */
  readonly known: Entry | undefined;
  /** The same goods under another key, a moment ago. */
  readonly twin: Entry | undefined;
}

/**
 * Looks an order up before the user is asked to confirm it.
 * @param wanted canonical JSON of the order request, and the host as the journal names it
 * @throws {ScripError} JOURNAL_UNUSABLE
 */
export async function lookUp(
  journal: Journal,
  wanted: {
    readonly key: string | undefined;
    readonly body: string;
    readonly host: string;
    readonly nowMs: number;
    readonly summary: Intent['summary'];
    readonly isStillMeant?: Opening['isStillMeant'];
  },
): Promise<Found> {
  const entries = await journal.recent(wanted.nowMs - DAY_MS);
  const known = await findKnown(journal, entries, wanted);
  return { known, twin: known === undefined ? findDuplicate(entries, wanted) : undefined };
}

/** By its key or, without one, as the same request that is not finished. */
async function findKnown(
  journal: Pick<Journal, 'byKey'>,
  entries: readonly Entry[],
  wanted: Pick<Opening, 'body' | 'isStillMeant'> & {
    readonly key: string | undefined;
    readonly host: string;
  },
): Promise<Entry | undefined> {
  if (wanted.key !== undefined) return journal.byKey(wanted.key);
  const candidates = entries.filter(
    (entry) =>
      entry.intent.body === wanted.body &&
      entry.intent.host === wanted.host &&
      !isFinished(entry) &&
      (wanted.isStillMeant?.(entry.intent) ?? true),
  );
  // One that may have been paid comes before one that surely was not.
  return candidates.find((entry) => currentAttempt(entry) !== undefined) ?? candidates.at(-1);
}
