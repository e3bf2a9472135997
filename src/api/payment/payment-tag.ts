/**
 * Every payment carries a tag of its idempotency key. Only this wallet can compute it
 * and find it again, so that a key pays once, even from several journals (docs/inside/payments.md).
 */

import { PAYMENT_IDENTIFIER } from '../../contract/x402.ts';
import type { Clock } from '../../domain/clock.ts';
import {
  acceptedOrder,
  type Entry,
  eventOf,
  type Intent,
  type Journal,
  lastAttempt,
  nextStep,
} from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type KeySince, sinceInstant } from '../../domain/policy/key-since.ts';
import { expectedTransactions } from '../../domain/policy/spend-log.ts';
import { dayEnd } from '../../domain/policy/spend-time.ts';
import { DAY_MS } from '../../domain/policy/spending.ts';
import { hex } from '../../domain/uuid.ts';
import type { OwnPayment, PayerRail, PayingRail, Signer } from '../../rails/rail.ts';
import type { Vault } from '../../wallet/vault.ts';
import type { Progress } from '../progress.ts';

/** Attempts to recognize; a key signs no more. */
const TAGGED_ATTEMPTS = 9;
/** Maximum number of unknown transactions to read; a wallet with more needs --key-since. */
const MOST_READS = 5_000;
/** The same limit for the short time of one payment. */
const MOST_NEW = 100;

/**
 * Returns the tag of an attempt, of 32 bytes. It also makes equal payments of one wallet at one moment differ,
 * for merchants with one address for all orders.
 */
export function paymentTag(
  vault: Vault,
  { key }: Pick<Intent, 'key'>,
  attempt: number,
): Uint8Array {
  return vault.mark(`${key}\n${attempt}`);
}

/**
 * Returns the tag of an attempt to sign now.
 * @throws {ScripError} IDEMPOTENCY_KEY_REUSED for one that no other machine would recognize as the key's
 */
export function nextTag(
  vault: Vault,
  intent: Pick<Intent, 'key' | 'intentId'>,
  attempt: number,
): Uint8Array {
  if (attempt <= TAGGED_ATTEMPTS || !isNamed(intent)) return paymentTag(vault, intent, attempt);
  throw new ScripError(
    'IDEMPOTENCY_KEY_REUSED',
    t`The key "${intent.key}" has signed ${TAGGED_ATTEMPTS} payments, which all expired unused; a further one would not be found again`,
    {
      hint: t`Nothing was paid with it: use another key.`,
      details: { idempotency_key: intent.key, intent_id: intent.intentId },
    },
  );
}

/**
 * Returns the id under which a checkout host stores the order of a key (x402 extension `payment-identifier`).
 * Only this wallet can compute it, on any machine; anyone who has it may read the order.
 */
export function paymentIdOf(vault: Vault, intent: Pick<Intent, 'host' | 'key'>): string {
  return nameOf(vault, PAYMENT_IDENTIFIER, intent);
}

/** Returns the same for a partner API order: the id sent to its host instead of the key. */
export function orderNameOf(vault: Vault, intent: Pick<Intent, 'host' | 'key'>): string {
  return nameOf(vault, 'partner-order', intent);
}

function nameOf(
  vault: Vault,
  purpose: string,
  { host, key }: Pick<Intent, 'host' | 'key'>,
): string {
  // Encoded as an array, so that no key can produce the text of a payment tag.
  return `scrip_${hex(vault.mark(JSON.stringify([purpose, host, key])))}`;
}

/** Whether the user chose the key, which may then be in use elsewhere; a generated one is not. */
export function isNamed(intent: Pick<Intent, 'key' | 'intentId'>): boolean {
  return intent.key !== intent.intentId && !isRecovered(intent);
}

/** A payment of this wallet that no record of this journal explains. */
export interface Stray {
  readonly payment: OwnPayment;
  /** The rail that it was made on. */
  readonly rail: PayerRail;
  /** Whether it carries the key's tag. */
  readonly isTagged: boolean;
  /** The entry that a repair wrote for it, if any. */
  readonly recovered: Entry | undefined;
}

interface WatchDeps {
  readonly rail: PayerRail;
  /** The wallet’s other networks: a key may have paid there. */
  others(): Promise<readonly PayingRail[]>;
  readonly signer: Pick<Signer, 'address'>;
  readonly journal: Pick<Journal, 'all' | 'recent'>;
  readonly spending: { readonly isPlayMoney: boolean };
  readonly clock: Pick<Clock, 'now'>;
  vault(): Promise<Vault>;
  /** When keys can first have been used; default: the wallet's first payment. */
  readonly keySince?: KeySince | undefined;
  readonly progress?: Progress;
}

export interface KeyWatch {
  /**
   * Returns this wallet's payments, confirmed or final, that the journal does not know; newest first. Later
   * calls return only newer ones. Always empty for a key that this journal generated.
   * @throws {ScripError} KEY_HISTORY_UNREAD, CHAIN_UNREACHABLE, INPUT_INVALID
   */
  look(intent: Intent): Promise<readonly Stray[]>;
  /**
   * Whether another payment of the key landed since the last `look`, instead of this one; undefined while
   * the chain shows neither.
   * @throws {ScripError} CHAIN_UNREACHABLE
   */
  wasOvertaken(intent: Intent, messageHash: string): Promise<boolean | undefined>;
}

/**
 * Searches the wallet's own history, on each of its networks, before each signature for a key that may be in use
 * elsewhere.
 */
export function watchKey(deps: WatchDeps): KeyWatch {
  const { journal, clock, spending } = deps;
  /** Up to where each network was read. */
  const until = new Map<string, string | undefined>();
  const state: { sinceMs?: number | undefined } = {};
  const rails = async () => [
    { rail: deps.rail, address: deps.signer.address },
    ...(await deps.others()),
  ];
  return {
    look: async (intent) => {
      if (!isNamed(intent)) return [];
      if (until.get(deps.rail.network) === undefined) {
        deps.progress?.step(t`Checking whether this key has already paid`);
        state.sinceMs = await sinceOf(deps);
      }
      const tags = tagsOf(await deps.vault(), intent);
      const { sinceMs } = state;
      // One more day than the payments to explain.
      const entries = await (sinceMs === undefined
        ? journal.all()
        : journal.recent(sinceMs - DAY_MS));
      const explained = explainedBy(entries);
      const query = { known: explained.transactions, mostReads: MOST_READS, isTip: true, tags };
      const found: Stray[] = [];
      for (const { rail, address } of await rails()) {
        const { network } = rail;
        const from = until.get(network);
        // A sandbox's chain may have been reset while the wallet stayed.
        const expected =
          from === undefined && !spending.isPlayMoney
            ? expectedTransactions(entries, network, { sinceMs, nowMs: clock.now() })
            : undefined;
        const asked = { ...query, expected, sinceMs, until: from };
        const history = await rail.ownPayments(address, asked);
        const strays = history.payments
          .filter(({ signed }) => !explained.hashes.has(signed.messageHash))
          .map((payment) => ({
            ...{ payment, rail },
            isTagged: tags.some(payment.carries),
            recovered: explained.recovered.get(payment.signed.messageHash),
          }));
        found.push(...strays);
        // After an incomplete read, the next one starts from the same point.
        if (history.isWhole) until.set(network, history.newest ?? from);
        if (strays.some(({ isTagged }) => isTagged)) break;
        if (!history.isWhole) throw unread(intent, clock.now(), history.gap);
      }
      return found;
    },
    wasOvertaken: async (intent, messageHash) => {
      if (!isNamed(intent)) return false;
      const tags = tagsOf(await deps.vault(), intent);
      const { sinceMs } = state;
      const query = { known: NONE, mostReads: MOST_NEW, isTip: true, tags, sinceMs };
      let isOthers = false;
      for (const { rail, address } of await rails()) {
        const asked = { ...query, until: until.get(rail.network) };
        const { payments } = await rail.ownPayments(address, asked);
        if (payments.some(({ signed }) => signed.messageHash === messageHash)) return false;
        isOthers ||= payments.some(({ carries }) => tags.some(carries));
      }
      return isOthers || undefined;
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

async function sinceOf({
  rail,
  keySince,
  spending: { isPlayMoney },
  clock,
}: WatchDeps): Promise<number | undefined> {
  if (keySince === undefined) return undefined;
  const chainMs = await rail.timeMs();
  if (chainMs === null) return sinceInstant(keySince, null);
  return sinceInstant(keySince, dayEnd({ isPlayMoney, clockMs: clock.now(), chainMs }));
}

export function tagsOf(vault: Vault, intent: Pick<Intent, 'key'>): readonly Uint8Array[] {
  return Array.from({ length: TAGGED_ATTEMPTS }, (_, index) =>
    paymentTag(vault, intent, index + 1),
  );
}

/** Ids and hashes of the payments that the entries explain, and those that a repair could not assign. */
function explainedBy(entries: readonly Entry[]) {
  const known = entries.filter(({ intent }) => !isRecovered(intent));
  const hashesOf = ({ attempts }: Entry) => attempts.map(({ messageHash }) => messageHash);
  return {
    transactions: new Set(
      known.flatMap((entry) => {
        return eventOf(entry, 'landed', lastAttempt(entry)?.number)?.transaction ?? [];
      }),
    ),
    hashes: new Set(known.flatMap(hashesOf)),
    // By message hash: they may belong to this key.
    recovered: new Map(
      entries
        .filter(({ intent }) => isRecovered(intent))
        .flatMap((entry) => hashesOf(entry).map((hash) => [hash, entry] as const)),
    ),
  };
}

function unread({ key }: Intent, nowMs: number, gap = t`it ends too early`): ScripError {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return new ScripError(
    'KEY_HISTORY_UNREAD',
    t`The wallet’s history does not reach far enough back to know whether the key "${key}" has already paid: ${gap}; nothing was signed`,
    {
      details: { idempotency_key: key },
      hint: t`Add --key-since ${today} if this key was never used before that day (UTC); else name an RPC that keeps the full history.`,
    },
  );
}

const PREFIX = 'recovered:';

/** @param name what is known instead: the folder, which is the key's hash, or the payment's message hash */
export function recoveredKey(name: string): string {
  return `${PREFIX}${name}`;
}

/** Whether no more is known than that a payment was made: a repair found it, and no order of the host it asked. */
export function isUnordered(entry: Entry): boolean {
  const isOpen = nextStep(entry) === 'attention' && acceptedOrder(entry) === undefined;
  return isOpen && isRecovered(entry.intent);
}

function isRecovered({ key }: Pick<Intent, 'key'>): boolean {
  return key.startsWith(PREFIX);
}
