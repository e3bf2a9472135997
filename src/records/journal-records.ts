/** The content of a journal record, its file name, and the record that it is chained to. */

import type { Attempt, Intent, JournalEvent } from '../domain/journal/journal.ts';
import { hasShape, parseShaped, type Shape } from './record-files.ts';

export type JournalRecord =
  | { readonly kind: 'intent'; readonly intent: Intent }
  | {
      readonly kind: 'attempt';
      readonly attempt: Attempt;
      /** A second copy: if one of the files is damaged, the other shows what was bought where. */
      readonly intent?: Intent;
    }
  | { readonly kind: 'fact'; readonly fact: JournalEvent };

/** A record's place in its chain. */
export interface Place {
  /** Records of a lower depth come first. */
  readonly depth: number;
  /** File name of the record that it is sealed onto; undefined for the first. */
  readonly parent: string | undefined;
}

export const INTENT_NAME = 'intent.rec';

export function attemptName(number: number): string {
  return `attempt-${number}.rec`;
}

export function recordName(record: JournalRecord): string {
  if (record.kind === 'intent') return INTENT_NAME;
  if (record.kind === 'attempt') return attemptName(record.attempt.number);
  return eventName('attempt' in record.fact ? record.fact.attempt : 0, record.fact.fact);
}

/** Returns the place that a file name means; undefined if the name is not a record's. */
export function placeOf(name: string): Place | undefined {
  if (name === INTENT_NAME) return { depth: 0, parent: undefined };
  const match = /^(?:attempt-([1-9]\d{0,5})|fact-(0|[1-9]\d{0,5})-([a-z]+))\.rec$/.exec(name);
  if (match === null) return undefined;
  const [, attempt, subject] = match;
  return attempt === undefined ? eventPlace(Number(subject)) : attemptPlace(Number(attempt));
}

function attemptPlace(number: number): Place {
  const parent = number === 1 ? INTENT_NAME : eventName(number - 1, 'dead');
  return { depth: 2 * number, parent };
}

/** An event belongs to an attempt or, with number 0, to the intent. */
function eventPlace(number: number): Place {
  const parent = number === 0 ? INTENT_NAME : attemptName(number);
  return { depth: 2 * number + 1, parent };
}

function eventName(attempt: number, kind: JournalEvent['fact']): string {
  return `fact-${attempt}-${kind}.rec`;
}

const INTENT_SHAPE: Shape = {
  version: 'number',
  intentId: 'string',
  key: 'string',
  host: 'string',
  network: 'string',
  payer: 'string',
  body: 'string',
  capAtomic: 'amount',
  quotedAtomic: 'amount',
  createdAtMs: 'number',
  summary: 'object',
};

/** The rail checks its own fields when it reads them. */
const ATTEMPT_SHAPE: Shape = {
  number: 'number',
  header: 'string',
  sessionId: 'text or null',
  requirement: 'string',
  amountAtomic: 'amount',
  asset: 'string',
  payTo: 'string',
  messageHash: 'string',
  signature: 'string',
  payer: 'string',
  createdAtMs: 'number',
};

const FACT_SHAPES: Readonly<Record<JournalEvent['fact'], Shape>> = {
  created: { orderId: 'string', order: 'string' },
  accepted: { attempt: 'number', orderId: 'string' },
  landed: { attempt: 'number', transaction: 'string', slot: 'number' },
  named: { attempt: 'number', transaction: 'string' },
  dead: { attempt: 'number', proof: 'string' },
  key: { attempt: 'number', jwk: 'string' },
  goods: { attempt: 'number', status: 'string', sealed: 'string' },
  attention: { reason: 'string' },
  closed: { reason: 'string' },
  refunded: {},
  returned: { attempt: 'number', amountAtomic: 'string', transactions: 'string' },
};

/** Parses a record's line; undefined if it is not a record of this version. */
export function parseLine(line: string): JournalRecord | undefined {
  const value = parseShaped(line, {});
  const kind = value?.kind;
  if (kind === 'intent' && isIntentShaped(value?.intent)) return value as unknown as JournalRecord;
  if (
    kind === 'attempt' &&
    hasShape(value?.attempt, ATTEMPT_SHAPE) &&
    (value.intent === undefined || isIntentShaped(value.intent))
  ) {
    return value as unknown as JournalRecord;
  }
  return kind === 'fact' && isFactShaped(value?.fact)
    ? (value as unknown as JournalRecord)
    : undefined;
}

function isIntentShaped(value: unknown): boolean {
  return hasShape(value, INTENT_SHAPE) && value.version === 1;
}

function isFactShaped(value: unknown): boolean {
  if (!hasShape(value, { fact: 'string' })) return false;
  const [, shape] = Object.entries(FACT_SHAPES).find(([kind]) => kind === value.fact) ?? [];
  return shape !== undefined && hasShape(value, shape);
}
