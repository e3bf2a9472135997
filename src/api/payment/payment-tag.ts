/**
 * Every payment carries a tag of its idempotency key in its compute budget, which this wallet alone
 * can make and find again: a key pays once, whatever journal it was used with (docs/inside/payments.md).
 */

import { PAYMENT_IDENTIFIER } from '../../contract/x402.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import {
  type Entry,
  eventOf,
  type Intent,
  type Journal,
  lastAttempt,
} from '../../domain/journal.ts';
import { type KeySince, sinceInstant } from '../../domain/key-since.ts';
import { t } from '../../domain/message.ts';
import { expectedTransactions } from '../../domain/spend-log.ts';
import { dayEnd } from '../../domain/spend-time.ts';
import { DAY_MS } from '../../domain/spending.ts';
import type { OwnPayment, PayerRail, RailInsight } from '../../rails/rail.ts';
import type { Vault } from '../../wallet/vault.ts';
import type { Progress } from '../progress.ts';
import { isRecovered } from '../recovery/recovered-key.ts';

/** As many as a purchase signs at most, and those of runs before it. */
const TAGGED_ATTEMPTS = 9;
/** Transactions that no record knows; a wallet that has more says since when the key can have been used. */
const MOST_READS = 5_000;
/** Of the moments that a payment takes. */
const MOST_NEW = 100;
/** Low digits of a nonce raise the price of a unit, high ones the units: both stay small. */
const NONCE_STRIDE = 100_000;

/**
 * The tag of an attempt, which is its nonce, of 27 bits: two keys have the same one in 134 million. It also makes equal
 * payments of one wallet in one block differ, where a merchant has one address for all orders (1.3).
 */
export function paymentTag(vault: Vault, { key }: Pick<Intent, 'key'>, attempt: number): number {
  const [first = 0, second = 0, third = 0, fourth = 0] = vault.mark(`${key}\n${attempt}`);
  const low = ((first << 8) | second) & 0x1fff;
  const high = ((third << 8) | fourth) & 0x3fff;
  return high * NONCE_STRIDE + low;
}

/**
 * The name under which a checkout host keeps the order of a key (x402 extension `payment-identifier`):
 * this wallet alone can make it, the same on any machine, and whoever has it may ask for the order.
 */
export function paymentIdOf(vault: Vault, intent: Pick<Intent, 'host' | 'key'>): string {
  return nameOf(vault, PAYMENT_IDENTIFIER, intent);
}

/** The same for an order of the partner API: what its host is told in place of a key. */
export function orderNameOf(vault: Vault, intent: Pick<Intent, 'host' | 'key'>): string {
  return nameOf(vault, 'partner-order', intent);
}

function nameOf(
  vault: Vault,
  purpose: string,
  { host, key }: Pick<Intent, 'host' | 'key'>,
): string {
  // In brackets, so that no key makes the text of a payment’s tag.
  const mark = vault.mark(JSON.stringify([purpose, host, key]));
  return `scrip_${[...mark].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** A key that somebody chose may be in use elsewhere; one that this journal drew is nowhere else. */
export function isNamed(intent: Pick<Intent, 'key' | 'intentId'>): boolean {
  return intent.key !== intent.intentId && !isRecovered(intent);
}

/** A payment of this wallet that no record of this journal explains. */
export interface Stray {
  readonly payment: OwnPayment;
  /** It carries the tag of the key. */
  readonly isTagged: boolean;
  /** What a repair wrote of it, where one did. */
  readonly recovered: Entry | undefined;
}

export interface WatchDeps {
  readonly rail: Pick<PayerRail, 'insight'>;
  readonly journal: Pick<Journal, 'all' | 'recent'>;
  readonly spending: { readonly isPlayMoney: boolean };
  readonly clock: Pick<Clock, 'now'>;
  vault(): Promise<Vault>;
  /** From when on keys can have been used; from the wallet's first payment without it. */
  readonly keySince?: KeySince | undefined;
  readonly progress?: Progress;
}

export interface KeyWatch {
  /**
   * What this wallet paid, confirmed or final, and the journal does not know; newest first. A later
   * look tells only what came since. Nothing for a key that this journal drew.
   * @throws {ScripError} KEY_HISTORY_UNREAD, CHAIN_UNREACHABLE, INPUT_INVALID
   */
  look(intent: Intent): Promise<readonly Stray[]>;
  /**
   * Whether another payment of the key took place since the last look, and not this one; false also
   * where the chain does not show yet. @throws {ScripError} CHAIN_UNREACHABLE
   */
  wasOvertaken(intent: Intent, messageHash: string): Promise<boolean>;
}

/** Looks through the wallet's own history, before each signature for a key that may be in use elsewhere. */
export function watchKey(deps: WatchDeps): KeyWatch {
  const { insight } = deps.rail;
  const state: { until?: string | undefined; sinceMs?: number | undefined } = {};
  return {
    look: async (intent) => {
      if (insight === undefined || !isNamed(intent)) return [];
      const isFirst = state.until === undefined;
      if (isFirst) {
        deps.progress?.step(t`Looking whether this key has paid before`);
        state.sinceMs = await sinceOf(deps, insight);
      }
      const tags = tagsOf(await deps.vault(), intent);
      const { sinceMs, until } = state;
      const entries = await readEntries(deps.journal, sinceMs);
      const explained = explainedBy(entries);
      // A sandbox may be begun anew, with the same wallet.
      const expected =
        isFirst && !deps.spending.isPlayMoney
          ? expectedTransactions(entries, { sinceMs, nowMs: deps.clock.now() })
          : undefined;
      const query = { known: explained.transactions, mostReads: MOST_READS, isTip: true, expected };
      const history = await insight.ownPayments(intent.payer, { ...query, sinceMs, until });
      const strays = history.payments
        .filter(({ signed }) => !explained.hashes.has(signed.messageHash))
        .map((payment) => ({
          payment,
          isTagged: payment.nonce !== undefined && tags.has(payment.nonce),
          recovered: explained.recovered.get(payment.signed.messageHash),
        }));
      const isFound = strays.some(({ isTagged }) => isTagged);
      if (!history.isWhole && !isFound) throw unread(intent, history.gap);
      // What could not be read is not skipped by a later look either.
      if (history.isWhole) state.until = history.newest ?? until;
      return strays;
    },
    wasOvertaken: async (intent, messageHash) => {
      if (insight === undefined || !isNamed(intent)) return false;
      const tags = tagsOf(await deps.vault(), intent);
      const { sinceMs, until } = state;
      const query = { known: NONE, mostReads: MOST_NEW, isTip: true, sinceMs, until };
      const { payments } = await insight.ownPayments(intent.payer, query);
      const isShown = payments.some(({ signed }) => signed.messageHash === messageHash);
      return !isShown && payments.some(({ nonce }) => nonce !== undefined && tags.has(nonce));
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

/** What may explain payments from an instant on: a day more than is asked about. */
function readEntries(journal: Pick<Journal, 'all' | 'recent'>, sinceMs: number | undefined) {
  return sinceMs === undefined ? journal.all() : journal.recent(sinceMs - DAY_MS);
}

async function sinceOf(
  { keySince, spending: { isPlayMoney }, clock }: WatchDeps,
  insight: RailInsight,
): Promise<number | undefined> {
  if (keySince === undefined) return undefined;
  const chainMs = await insight.timeMs();
  if (chainMs === null) return sinceInstant(keySince, null);
  return sinceInstant(keySince, dayEnd({ isPlayMoney, clockMs: clock.now(), chainMs }));
}

function tagsOf(vault: Vault, intent: Intent): ReadonlySet<number> {
  return new Set(
    Array.from({ length: TAGGED_ATTEMPTS }, (_, index) => paymentTag(vault, intent, index + 1)),
  );
}

interface Explained {
  readonly transactions: ReadonlySet<string>;
  readonly hashes: ReadonlySet<string>;
  /** By message hash: what a repair could not explain may be explained by this key. */
  readonly recovered: ReadonlyMap<string, Entry>;
}

function explainedBy(entries: readonly Entry[]): Explained {
  const known = entries.filter(({ intent }) => !isRecovered(intent));
  return {
    transactions: new Set(known.flatMap(transactionsOf)),
    hashes: new Set(known.flatMap(hashesOf)),
    recovered: new Map(
      entries
        .filter(({ intent }) => isRecovered(intent))
        .flatMap((entry) => hashesOf(entry).map((hash) => [hash, entry] as const)),
    ),
  };
}

function transactionsOf(entry: Entry): readonly string[] {
  const landed = eventOf(entry, 'landed', lastAttempt(entry)?.number)?.transaction;
  return landed === undefined ? [] : [landed];
}

function hashesOf({ attempts }: Entry): readonly string[] {
  return attempts.map(({ messageHash }) => messageHash);
}

function unread({ key }: Intent, gap = t`it cannot be read to its end`): ScripError {
  return new ScripError(
    'KEY_HISTORY_UNREAD',
    t`The history of this wallet cannot be read back far enough to know whether the key "${key}" has paid before: ${gap}; nothing was signed`,
    { details: { idempotency_key: key } },
  );
}
