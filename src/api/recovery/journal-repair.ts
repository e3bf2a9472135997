/**
 * Rebuilds a damaged or lost journal (docs/inside/recovery.md) from what its records prove, what the chain
 * has finalized, and what the merchant reports. Signs no payment and deletes nothing.
 */

import type { OwnOrder } from '../../contract/sign-in.ts';
import {
  type Attempt,
  acceptedOrder,
  type Entry,
  eventOf,
  type Intent,
  type JournalEvent,
  nextStep,
} from '../../domain/journal/journal.ts';
import type { JournalCare, Salvage, Survey } from '../../domain/journal/journal-care.ts';
import { requestIn } from '../../domain/journal/paid-request.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { uuid } from '../../domain/uuid.ts';
import type { Horizon, OwnHistory, OwnPayment, PayerRail } from '../../rails/rail.ts';
import { submit } from '../checkout/checkout.ts';
import type { PurchaseDeps } from '../checkout/purchase-deps.ts';
import { pause } from '../http/pause.ts';
import { isUnordered, recoveredKey } from '../payment/payment-tag.ts';
import { attemptOf, type Draft, draftOf, entryOf, withAttempts } from './salvage.ts';

interface RepairDeps extends MatchDeps, Pick<PurchaseDeps, 'rail' | 'random' | 'progress'> {
  readonly care: JournalCare;
  /** Address of the wallet. */
  readonly payer: string;
  /** What the host says that the wallet paid there; nothing if it does not tell. */
  ownOrders(): Promise<readonly OwnOrder[]>;
}

export interface RepairReport {
  /** Number of undamaged entries, kept as they were. */
  readonly kept: number;
  /** The result for each damaged entry, and for each payment that no record explained. */
  readonly lines: readonly {
    readonly intentId: string;
    readonly outcome: 'restored' | 'found on the chain' | 'nothing to restore';
    readonly detail: string;
  }[];
  /** Keys of the entries to resume now. */
  readonly restoredKeys: readonly string[];
  /** Folder of the old records; null when there were none. */
  readonly aside: string | null;
  /** False when there is more history than could be read: older payments may be missing. */
  readonly isHistoryWhole: boolean;
}

/** Maximum number of transactions to read; for a busier wallet, the report says that there are more. */
const MOST_READS = 2_000;
const HORIZON_POLL_MS = 2_000;

/**
 * Repairs the journal.
 * @throws {ScripError} CHAIN_UNREACHABLE, JOURNAL_UNUSABLE, INTERRUPTED; the journal is then unchanged
 */
export async function repairJournal(deps: RepairDeps): Promise<RepairReport> {
  const state: { plan?: Plan } = {};
  const aside = await deps.care.rebuild(async (survey) => {
    state.plan = await planRepair(deps, survey);
    return state.plan.entries;
  });
  const { entries = [], ...told } = state.plan ?? NO_PLAN;
  return { ...told, kept: entries.length - told.lines.length, aside };
}

interface Plan extends Pick<RepairReport, 'lines' | 'restoredKeys' | 'isHistoryWhole'> {
  readonly entries: readonly Entry[];
}

const NO_PLAN: Plan = { entries: [], lines: [], restoredKeys: [], isHistoryWhole: true };

async function planRepair(deps: RepairDeps, survey: Survey): Promise<Plan> {
  const keys = new Set(survey.whole.map(({ intent }) => intent.key));
  const { rail, vault } = deps;
  const horizon = await rail.horizon();
  const nowMs = deps.clock.now();
  const known = { vault, rail, horizon, nowMs };
  const drafts = distinct(survey.damaged, keys).map((salvage) => {
    const { intent = unknownIntent(deps, recoveredKey(salvage.folder), nowMs) } = salvage;
    return draftOf(salvage, intent, known);
  });
  if (drafts.some(isOpen)) await waitUntilPast(horizon, deps);
  deps.progress?.step(t`Reading the payments of this wallet from the chain`);
  const history = await readHistory(deps, survey.whole);
  const landed = hashesOf(history.payments);
  const owning = drafts.map(withoutOthers(drafts, history.payments)).map(landedLast(landed));
  const explained = explainedBy(survey.whole, owning);
  const unexplained = history.payments.filter(({ signed }) => !explained.has(signed.messageHash));
  const matched = await matchPayments(deps, owning.map(settled(landed)), unexplained);
  const confirmed: Draft[] = [];
  for (const draft of matched.drafts) {
    confirmed.push(await confirmOrder(deps, draft, history.payments));
  }
  const restored = confirmed.map((draft) => restore(draft, history.payments));
  const found = matched.left
    .filter(({ isDirect }) => !isDirect)
    .map((payment) => unexplainedEntry(deps, payment));
  const all = [...survey.whole, ...restored, ...found];
  const orders = all.some(isUnordered) ? await deps.ownOrders() : [];
  const entries = all.map(withOrder(deps.host, all, orders));
  const placed = entries.filter((entry, at) => entry !== all[at]);
  const isPlaced = ({ intent }: Entry) => placed.some((one) => one.intent.key === intent.key);
  return {
    entries,
    lines: [
      ...matched.drafts.map(lineOf),
      ...[...found, ...survey.whole.filter(isPlaced)].map((entry) => ({
        intentId: entry.intent.intentId,
        outcome: isPlaced(entry) ? ('restored' as const) : ('found on the chain' as const),
        detail: transactionsIn(entry.facts).join(''),
      })),
    ],
    restoredKeys: [...restored, ...placed].map(({ intent }) => intent.key),
    isHistoryWhole: history.isWhole,
  };
}

/** Gives a payment the order that the host says it paid for, so that its goods can be asked for. */
function withOrder(
  host: string,
  entries: readonly Entry[],
  orders: readonly OwnOrder[],
): (entry: Entry) => Entry {
  const known = new Set(entries.map((entry) => acceptedOrder(entry)?.orderId));
  const open = entries.filter(isUnordered);
  return (entry) => {
    const landed = eventOf(entry, 'landed');
    if (landed === undefined || !open.includes(entry)) return entry;
    const { attempt, transaction } = landed;
    const [order, ...others] = orders.filter(
      (one) => one.transaction === transaction && !known.has(one.order_id),
    );
    const isShared = open.filter((one) => eventOf(one, 'landed')?.transaction === transaction);
    // Several payments of one transaction have several orders: a person has to find out whose is whose.
    if (order === undefined || others.length > 0 || isShared.length > 1) return entry;
    const { order_id: orderId, products } = order;
    const { intent, attempts, facts } = entry;
    const summary = { ...intent.summary, productName: products.join(', ') };
    const rest = facts.filter(({ fact }) => fact !== 'attention');
    const accepted = { fact: 'accepted', attempt, orderId, transaction } as const;
    return { intent: { ...intent, host, summary }, attempts, facts: [...rest, accepted] };
  };
}

/** Drops copied folders: keeps the undamaged entry, or else the first copy. */
function distinct(damaged: readonly Salvage[], whole: ReadonlySet<string>): readonly Salvage[] {
  const seen = new Set(whole);
  return damaged.filter(({ intent }) => {
    if (intent === undefined) return true;
    const isNew = !seen.has(intent.key);
    seen.add(intent.key);
    return isNew;
  });
}

/**
 * Whether an unproven payment of it may still land: a lost attempt, or one with an unproven number or
 * lifetime.
 */
function isOpen({ isAttemptLost, salvage }: Draft): boolean {
  return isAttemptLost || salvage.attempts.some(({ isProven }) => !isProven);
}

/** Waits until no unproven payment can land any more; only then its outcome is certain. */
async function waitUntilPast(horizon: Horizon, deps: RepairDeps): Promise<void> {
  deps.progress?.step(
    t`Waiting until the earlier signed payment can no longer be confirmed (80 s on Solana, 5 minutes on Base)`,
  );
  while (!(await horizon.isPast())) await pause(deps.clock, HORIZON_POLL_MS, deps.signal);
}

function readHistory({ payer, rail }: RepairDeps, whole: readonly Entry[]): Promise<OwnHistory> {
  const known = new Set(whole.flatMap((entry) => eventOf(entry, 'landed')?.transaction ?? []));
  return rail.ownPayments(payer, { known, mostReads: MOST_READS });
}

function explainedBy(whole: readonly Entry[], drafts: readonly Draft[]): ReadonlySet<string> {
  const attempts = [...whole, ...drafts].flatMap((from) => from.attempts);
  return new Set(attempts.map(({ messageHash }) => messageHash));
}

/**
 * Removes attempts whose payments carry the tag of another entry: a folder without its intent may hold records
 * copied from elsewhere.
 */
function withoutOthers(
  drafts: readonly Draft[],
  payments: readonly OwnPayment[],
): (draft: Draft) => Draft {
  const others = hashesOf(payments.filter((one) => drafts.some((draft) => isTagged(draft, one))));
  return (draft) => {
    const own = draft.attempts.filter(({ messageHash }) => !others.has(messageHash));
    return draft.salvage.intent === undefined ? withAttempts(draft, own) : draft;
  };
}

function transactionsIn(events: readonly JournalEvent[]): readonly (string | undefined)[] {
  return events.flatMap((event) => ('transaction' in event ? [event.transaction] : []));
}

/**
 * Keeps only the last landed attempt: one attempt lands at most and none follows it, so the others came from
 * elsewhere.
 */
function landedLast(landed: ReadonlySet<string>): (draft: Draft) => Draft {
  return (draft) => {
    const paid = draft.attempts.filter(({ messageHash }) => landed.has(messageHash));
    const unpaid = draft.attempts.filter(({ messageHash }) => !landed.has(messageHash));
    return paid.length === 0 ? draft : withAttempts(draft, [...unpaid, ...paid.slice(-1)]);
  };
}

function hashesOf(payments: readonly OwnPayment[]): ReadonlySet<string> {
  return new Set(payments.map(({ signed }) => signed.messageHash));
}

/** Stops the search for a lost attempt if another one has landed: at most one attempt of a purchase lands. */
function settled(landed: ReadonlySet<string>): (draft: Draft) => Draft {
  return (draft) =>
    draft.attempts.some(({ messageHash }) => landed.has(messageHash))
      ? { ...draft, isAttemptLost: false }
      : draft;
}

/**
 * Builds the repaired entry, even if nothing remains: it keeps the key from being used for another payment.
 */
function restore(draft: Draft, payments: readonly OwnPayment[]): Entry {
  const reason = 'its records were damaged, and no payment is theirs';
  const closed = { attempts: [], facts: [{ fact: 'closed', reason } as const] };
  const entry = entryOf(draft.intent, isEmpty(draft) ? closed : draft, payments);
  const lost = t`a payment of this wallet; what was bought with it is lost with its records`;
  return isOrderLost(entry, draft) ? withAttention(entry, lost) : entry;
}

/** Whether it is paid, but neither the order nor its request is known, so that nothing can be asked for. */
function isOrderLost(entry: Entry, { salvage }: Draft): boolean {
  const isPaid = eventOf(entry, 'landed') !== undefined;
  return salvage.intent === undefined && isPaid && nextStep(entry) === 'settle';
}

function withAttention<T extends Pick<Entry, 'facts'>>(entry: T, reason: Message): T {
  return { ...entry, facts: [...entry.facts, { fact: 'attention', reason: String(reason) }] };
}

function isEmpty({ salvage, attempts, facts }: Draft): boolean {
  return attempts.length === 0 && facts.length === 0 && salvage.intent === undefined;
}

function lineOf(draft: Draft): RepairReport['lines'][number] {
  const { intent, salvage } = draft;
  const outcome = isEmpty(draft) ? 'nothing to restore' : 'restored';
  return { intentId: intent.intentId, outcome, detail: salvage.problem };
}

/** Returns an entry for a payment of an unknown purchase: it needs manual action. */
function unexplainedEntry(deps: RepairDeps, payment: OwnPayment): Entry {
  const { transactionId: transaction, slot, timeMs = deps.clock.now() } = payment;
  const { network = deps.rail.network } = payment;
  const key = recoveredKey(payment.signed.messageHash);
  const intent = { ...unknownIntent(deps, key, timeMs), network };
  const attempt = attemptOf(deps, payment, intent, 1);
  const reason = t`a payment of this wallet without a record; the host is unknown, so it is listed under ${deps.host}`;
  const landed = { fact: 'landed', attempt: 1, transaction, slot } as const;
  return withAttention({ intent, attempts: [attempt], facts: [landed] }, reason);
}

function unknownIntent(
  { payer, host, rail, random }: RepairDeps,
  key: string,
  nowMs: number,
): Intent {
  return {
    version: 1,
    intentId: uuid(random(16)),
    key,
    host,
    network: rail.network,
    payer,
    body: '',
    capAtomic: '0',
    quotedAtomic: '0',
    createdAtMs: nowMs,
    summary: {
      productId: '',
      productName: 'unknown purchase',
      brandName: '',
      countryCode: '',
      faceValue: '',
      currency: '',
      beneficiary: '',
    },
  };
}

interface MatchDeps
  extends Pick<PurchaseDeps, 'fetch' | 'checkoutUrl' | 'host' | 'vault' | 'clock' | 'signal'> {
  readonly rail: PayerRail;
}

interface Matched {
  readonly drafts: readonly Draft[];
  /** Payments that belong to none of them. */
  readonly left: readonly OwnPayment[];
}

/**
 * Assigns a payment to each purchase whose last attempt is lost; first to those that know their own by its
 * tag.
 * @throws {ScripError} INTERRUPTED
 */
async function matchPayments(
  deps: MatchDeps,
  drafts: readonly Draft[],
  payments: readonly OwnPayment[],
): Promise<Matched> {
  const hasOwn = (draft: Draft) => payments.some((one) => isTagged(draft, one));
  const inTurn = [...drafts.filter(hasOwn), ...drafts.filter((draft) => !hasOwn(draft))];
  let matched: Matched = { drafts: [], left: payments };
  for (const draft of inTurn)
    matched = take(matched, draft, await ownedBy(deps, draft, matched.left));
  return matched;
}

interface Owned {
  readonly draft: Draft;
  readonly payment: OwnPayment;
}

function take({ drafts, left }: Matched, draft: Draft, owned: Owned | undefined): Matched {
  return {
    drafts: [...drafts, owned?.draft ?? draft],
    left: left.filter((payment) => payment !== owned?.payment),
  };
}

/**
 * Finds the payment of a purchase whose last attempt is lost, so that its key pays for nothing again: by its tag or,
 * where none tells, by the transaction that its own records name. That may hold payments of others as well
 * (Base): if several are left, a person has to find out which one it was.
 */
async function ownedBy(
  deps: MatchDeps,
  draft: Draft,
  payments: readonly OwnPayment[],
): Promise<Owned | undefined> {
  if (!draft.isAttemptLost) return undefined;
  const told = transactionsIn(draft.orphans);
  const tagged = payments.filter((one) => isTagged(draft, one));
  // Later attempts of a generated key are not among its tags.
  const found =
    tagged.length > 0 ? tagged : payments.filter((one) => told.includes(one.transactionId));
  for (const payment of found) {
    // Ask even if a record names an order: with the attempt lost, nothing proves that record.
    const attempt = attemptOf(deps, payment, draft.intent, 1);
    const orderId = await orderFor(deps, draft.intent, { payment, attempt });
    if (orderId !== undefined) return withPayment(deps, draft, { payment, orderId });
  }
  const [payment, ...more] = found;
  if (payment === undefined) return undefined;
  const owned = withPayment(deps, draft, { payment });
  if (more.length === 0) return owned;
  const others = more.map(({ transactionId }) => transactionId).join(', ');
  const doubt = t`its record is lost, and several payments could belong to it; the others: ${others}`;
  return { payment, draft: withAttention(owned.draft, doubt) };
}

function isTagged({ tags }: Draft, { carries }: OwnPayment): boolean {
  return tags.some(carries);
}

/**
 * Replaces an order id that only an unproven record names by the merchant's, because a wrong one would be
 * asked for forever. Keeps the record's if the merchant does not answer.
 */
async function confirmOrder(
  deps: MatchDeps,
  draft: Draft,
  payments: readonly OwnPayment[],
): Promise<Draft> {
  const attempt = draft.attempts.at(-1);
  const payment = payments.find(({ signed }) => signed.messageHash === attempt?.messageHash);
  const isOwn = (event: JournalEvent): boolean =>
    event.fact === 'accepted' &&
    event.attempt === attempt?.number &&
    isHearsay(draft, event.orderId);
  if (attempt === undefined || payment === undefined || !draft.facts.some(isOwn)) return draft;
  const orderId = await orderFor(deps, draft.intent, { payment, attempt });
  if (orderId === undefined) return draft;
  return {
    ...draft,
    facts: draft.facts.map((event) => (isOwn(event) ? { ...event, orderId } : event)),
  };
}

function isHearsay({ salvage }: Draft, orderId: string): boolean {
  return salvage.facts.some(
    ({ value, isProven }) => !isProven && value.fact === 'accepted' && value.orderId === orderId,
  );
}

/**
 * Asks the merchant for the order of a landed payment, by sending the payment again: that cannot pay twice,
 * and returns the order if the payment is for it.
 */
async function orderFor(
  { fetch, checkoutUrl: baseUrl, host, clock, rail, signal }: MatchDeps,
  intent: Intent,
  { payment, attempt }: { readonly payment: OwnPayment; readonly attempt: Attempt },
): Promise<string | undefined> {
  if (intent.host !== host || intent.partner !== undefined || intent.body === '') return undefined;
  if (requestIn(intent) !== undefined) return undefined;
  const call = { fetch, baseUrl, body: intent.body, clock, network: rail.name, signal };
  const submission = await submit(call, attempt);
  if (submission.kind !== 'accepted') return undefined;
  // A merchant that finds the order by the payment id returns the transaction that paid for it.
  const { receipt, transaction = payment.transactionId } = submission;
  return transaction === payment.transactionId ? receipt.order_id : undefined;
}

function withPayment(
  deps: MatchDeps,
  draft: Draft,
  { payment, orderId }: { readonly payment: OwnPayment; readonly orderId?: string },
): Owned {
  const { intent, orphans } = draft;
  const number = draft.attempts.length + 1;
  const attempt = attemptOf(deps, payment, intent, number);
  const { transactionId: transaction } = payment;
  const accepted: readonly JournalEvent[] =
    orderId === undefined ? [] : [{ fact: 'accepted', attempt: number, orderId, transaction }];
  // Events about the lost record are about this payment; don't repeat `accepted`.
  const found = orphans
    .map((event) => ({ ...event, attempt: number }))
    .filter(({ fact }) => fact !== 'dead' && (fact !== 'accepted' || accepted.length === 0));
  const attempts = [...draft.attempts, attempt];
  const events = [...draft.facts, ...accepted, ...found];
  return {
    payment,
    draft: { ...draft, attempts, facts: events, isAttemptLost: false, orphans: [] },
  };
}
