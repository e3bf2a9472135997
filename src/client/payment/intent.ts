/** The purchase as it is agreed on: opened in the journal before anything is sent. */

import type { WireOrderRequest } from '../../contract/checkout.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { findDuplicate } from '../../domain/goods.ts';
import {
  currentAttempt,
  type Entry,
  type Intent,
  isFinished,
  type Journal,
} from '../../domain/journal.ts';
import type { Atomic } from '../../domain/money.ts';
import { policyRecord } from '../../domain/policy-file.ts';
import { uuid } from '../../domain/uuid.ts';
import { sha256 } from '../digest.ts';
import type { PurchaseTools } from '../purchase-tools.ts';
import { recoveredKey } from '../recovery/recovered-key.ts';

export interface PurchaseRequest {
  /** The caller's idempotency key: the same key never pays twice. */
  readonly key?: string | undefined;
  readonly body: WireOrderRequest;
  readonly quotedAtomic: Atomic;
  /** The most that may be signed for, as the user agreed. */
  readonly capAtomic: Atomic;
  readonly summary: Intent['summary'];
  /** The user's own remark, for the journal alone. */
  readonly note?: string | undefined;
  readonly kinds?: readonly string[];
  readonly cart?: Intent['cart'];
  /** The same goods are wanted once more, although they were bought a moment ago. */
  readonly allowsDuplicate?: boolean;
}

/**
 * Opens the purchase, or finds the one that the request continues: the same key or, without a key,
 * an unfinished one for the same body at the same host.
 * @throws {ScripError} IDEMPOTENCY_KEY_REUSED, DUPLICATE_PURCHASE, JOURNAL_UNUSABLE
 */
export async function openIntent(tools: PurchaseTools, request: PurchaseRequest): Promise<Entry> {
  const { journal, host } = tools;
  const body = canonicalJson(request.body);
  // Read in any case: while a record is damaged, no new payment is made (reliability 2.5, C22).
  const entries = await journal.all();
  const unfinished =
    request.key === undefined ? pickUnfinished(entries, { body, host }) : undefined;
  if (unfinished !== undefined) tools.resuming?.(unfinished.intent);
  const known = unfinished ?? entries.find(({ intent }) => intent.key === request.key);
  if (known === undefined && request.key !== undefined) await checkRecovered(entries, request.key);
  if (known === undefined && request.allowsDuplicate !== true) {
    const twin = findDuplicate(entries, { body, host, nowMs: tools.clock.now() });
    if (twin !== undefined) throw duplicateError(twin);
  }
  const entry =
    known === undefined
      ? await journal.open(newIntent(tools, request, body))
      : await reopen(journal, known);
  if (entry.intent.body !== body || entry.intent.host !== host) {
    throw new ScripError(
      'IDEMPOTENCY_KEY_REUSED',
      `The idempotency key "${entry.intent.key}" belongs to another order; nothing was sent`,
      { details: { intent_id: entry.intent.intentId } },
    );
  }
  return entry;
}

/** A key whose purchase was written anew without it: what it paid for is there, under another name. */
async function checkRecovered(entries: readonly Entry[], key: string): Promise<void> {
  const name = recoveredKey(await sha256(key));
  const recovered = entries.find(({ intent }) => intent.key === name);
  if (recovered !== undefined) throw usedBefore(key, recovered);
}

/** The key is of a purchase that stands in the journal under another name. */
export function usedBefore(key: string, { intent: { intentId } }: Entry): ScripError {
  return new ScripError(
    'IDEMPOTENCY_KEY_REUSED',
    `The idempotency key "${key}" belongs to a purchase of which the journal was damaged; nothing was sent`,
    {
      hint: commandText`See what it came to: scrip orders show ${intentId}. To buy again, use another key.`,
      details: { intent_id: intentId },
    },
  );
}

/**
 * Opens a purchase again, which makes durable whatever a process wrote that died before it could.
 * @throws {ScripError} JOURNAL_UNUSABLE, with money at risk where a payment was signed
 */
export async function reopen(journal: Journal, known: Entry): Promise<Entry> {
  try {
    return await journal.open(known.intent);
  } catch (error) {
    if (!(error instanceof ScripError) || currentAttempt(known) === undefined) throw error;
    throw new ScripError(error.code, error.message, {
      cause: error,
      hint: commandText`A payment may be under way. Do not pay again. Free disk space or mend the state folder, then run: scrip orders resume ${known.intent.intentId}`,
      fundsAtRisk: 'possible',
      details: { ...error.details, intent_id: known.intent.intentId },
    });
  }
}

/** The same goods were bought a moment ago, under another key. */
export function duplicateError({ intent }: Entry): ScripError {
  const { brandName, faceValue, currency, beneficiary } = intent.summary;
  const what = `${brandName} ${faceValue} ${currency}`.trim();
  return new ScripError(
    'DUPLICATE_PURCHASE',
    `${what} for ${beneficiary} was ordered at ${timeText(intent.createdAtMs)} already; nothing was sent`,
    {
      hint: `To see it: scrip orders. To buy it again, add --allow-duplicate.`,
      details: { intent_id: intent.intentId, idempotency_key: intent.key },
    },
  );
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** What a wish meets in the journal. */
export interface Found {
  /** The purchase that the request would go on with, by its key or as the same unfinished one. */
  readonly known: Entry | undefined;
  /** The same goods under another key, a moment ago. */
  readonly twin: Entry | undefined;
}

/**
 * Looks a wish up before anybody is asked about it.
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
  },
): Promise<Found> {
  const entries = await journal.all();
  const known =
    wanted.key === undefined
      ? pickUnfinished(entries, wanted)
      : entries.find(({ intent }) => intent.key === wanted.key);
  return { known, twin: known === undefined ? findDuplicate(entries, wanted) : undefined };
}

function pickUnfinished(
  entries: readonly Entry[],
  { body, host }: { readonly body: string; readonly host: string },
): Entry | undefined {
  const candidates = entries.filter(
    (entry) => entry.intent.body === body && entry.intent.host === host && !isFinished(entry),
  );
  // One that may have been paid comes before one that surely was not.
  return candidates.find((entry) => currentAttempt(entry) !== undefined) ?? candidates.at(-1);
}

function newIntent(tools: PurchaseTools, request: PurchaseRequest, body: string): Intent {
  const intentId = uuid(tools.random(16));
  return {
    version: 1,
    intentId,
    key: request.key ?? intentId,
    host: tools.host,
    network: tools.rail.network,
    payer: tools.signer.address,
    body,
    capAtomic: request.capAtomic.toString(),
    quotedAtomic: request.quotedAtomic.toString(),
    createdAtMs: tools.clock.now(),
    summary: request.summary,
    policy: policyRecord(tools.spending.policy),
    ...(request.note === undefined ? {} : { note: request.note }),
    ...(request.kinds === undefined ? {} : { kinds: request.kinds }),
    ...(request.cart === undefined ? {} : { cart: request.cart }),
  };
}
