/** Reads this machine's purchases from its journals, and finds one by any of its ids. */

import type { MerchantName } from '../../api/merchants.ts';
import { statusOf } from '../../api/receipt.ts';
import { expected, unlessInterrupted } from '../../domain/attempt.ts';
import {
  currentAttempt,
  type Entry,
  eventOf,
  merchantOrderId,
  NO_WALLET,
  orderIdOf,
} from '../../domain/journal/journal.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { PurchaseStatus } from '../../domain/order/order-states.ts';
import type { Signer } from '../../rails/rail.ts';
import type { BuyerContext, With } from '../context.ts';

/** Characters of an id that are shown where it is short; more where they name several orders. */
export const SHORT_ID = 7;

/** Orders of the partner API are UUIDs; those of the checkout host are not. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Checkout host ids start like this. */
const CHECKOUT = /^cr_/;

/** Tells the merchant from the form of the id. */
export function merchantByForm(id: string): MerchantName {
  return UUID.test(id) ? 'partner' : 'checkout';
}

/**
 * Checks an id of the partner API.
 * @throws {ScripError} INPUT_INVALID, for a checkout order with what to do instead
 */
export function checkPartnerOrderId(id: string): string {
  if (UUID.test(id)) return id;
  if (CHECKOUT.test(id)) {
    throw new ScripError(
      'INPUT_INVALID',
      t`${id} is an order of the checkout host, which was paid when it was placed`,
      { hint: commandText`Check its status: scrip track ${id}` },
    );
  }
  throw new ScripError('INPUT_INVALID', t`"${id}" is not a partner API order id`, {
    hint: commandText`Give its whole id. To list the orders: scrip orders`,
  });
}

/** This machine's purchases, from every wallet. */
export interface Ledger {
  /** Oldest first. */
  readonly entries: readonly Entry[];
  /** The first error of a journal that could not be read, and so is missing. */
  readonly problem: ScripError | undefined;
}

/**
 * Reads the journals of all wallets that paid from this machine, and that of orders made without a wallet.
 * Opens no wallet.
 * @throws {ScripError} JOURNAL_UNUSABLE if their folder cannot be read
 */
export async function readLedger(context: With<'parts'>): Promise<Ledger> {
  const wallets = await context.parts.journalWallets();
  const readings = await Promise.all(wallets.map((address) => readJournal(context, address)));
  const entries = readings.flatMap((reading) => reading.entries).toSorted(byAge);
  return {
    entries: withoutRepeated(entries),
    problem: readings.find(({ problem }) => problem !== undefined)?.problem,
  };
}

async function readJournal({ parts }: With<'parts'>, address: string): Promise<Ledger> {
  const read = async () => (await parts.journal({ address })).all();
  return read().then(
    (entries) => ({ entries, problem: undefined }),
    expected((problem) => ({ entries: [], problem }), 'JOURNAL_UNUSABLE'),
  );
}

function byAge({ intent: one }: Entry, { intent: other }: Entry): number {
  return one.createdAtMs - other.createdAtMs;
}

/** An order made without a wallet and paid later is in both journals: keep the wallet's entry. */
function withoutRepeated(entries: readonly Entry[]): readonly Entry[] {
  const ofWallets = new Set(entries.filter(isOfWallet).map(nameOf));
  return entries.filter((entry) => isOfWallet(entry) || !ofWallets.has(nameOf(entry)));
}

function isOfWallet({ intent }: Entry): boolean {
  return intent.payer !== NO_WALLET;
}

/** Identifies a purchase; all payments for one order are one purchase. */
function nameOf(entry: Entry): string {
  return `${entry.intent.host} ${orderIdOf(entry) ?? entry.intent.intentId}`;
}

/** A shorter beginning of an id is not looked up. */
const LEAST_PREFIX = 4;

/**
 * Finds a purchase.
 * @param id order id, intent id, idempotency key or transaction, or the unique beginning of an id or
 * transaction
 * @throws {ScripError} ORDER_UNKNOWN, INPUT_INVALID if several match, JOURNAL_UNUSABLE if it may be in a
 * journal that cannot be read
 */
export async function findEntry(context: BuyerContext, id: string): Promise<Entry> {
  const { entries, problem } = await readLedger(context);
  const whole = entries.filter((entry) => isNamed(entry, id));
  if (whole.length > 0) return chosenOf(context, id, whole);
  const begun =
    id.length < LEAST_PREFIX
      ? []
      : entries.filter((entry) => idsOf(entry).some((one) => one.startsWith(id)));
  if (begun.length > 0) return chosenOf(context, id, begun);
  throw (
    problem ??
    new ScripError('ORDER_UNKNOWN', t`This machine has no purchase "${id}"`, {
      hint: commandText`List them: scrip orders. If its journal was lost: scrip orders recover`,
    })
  );
}

/** Undefined for an order that the journal does not have: it can be followed all the same. */
export async function recordedEntry(context: BuyerContext, id: string): Promise<Entry | undefined> {
  const find = async () => {
    const found = (await readLedger(context)).entries.filter((entry) => isNamed(entry, id));
    return found.length === 0 ? undefined : chosenOf(context, id, found);
  };
  return find().catch(unlessInterrupted(() => undefined));
}

/** Finds a purchase by a full id. @throws {ScripError} ORDER_UNKNOWN, also for the beginning of an id */
export async function findWhole(context: BuyerContext, id: string): Promise<Entry> {
  const entry = await findEntry(context, id);
  if (isNamed(entry, id)) return entry;
  throw new ScripError('ORDER_UNKNOWN', t`"${id}" is only the beginning of an id`, {
    hint: commandText`Give the full id: ${orderIdOf(entry) ?? entry.intent.intentId}`,
  });
}

/** Returns the number of leading characters that make every purchase's ids unique. */
export function idLength(entries: readonly Entry[]): number {
  return shortLength(
    entries.flatMap((entry) => idsOf(entry).map((id) => ({ id, name: nameOf(entry) }))),
  );
}

/** @param named ids with the name of what each is an id of */
export function shortLength(named: readonly { readonly id: string; readonly name: string }[]) {
  const ids = named.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  // Sorting puts ids with the same beginning next to each other. Ids of the same purchase may share theirs.
  return ids.reduce((most, { id, name }, at) => {
    let next = at + 1;
    while (ids[next]?.name === name) next += 1;
    return Math.max(most, sameBeginning(id, ids[next]?.id ?? '') + 1);
  }, SHORT_ID);
}

function sameBeginning(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function isNamed(entry: Entry, id: string): boolean {
  return [entry.intent.key, ...idsOf(entry)].includes(id);
}

/** If several purchases match, prefers the configured wallet's: two wallets may have used the same key. */
async function chosenOf(
  context: With<'settings' | 'keys'>,
  id: string,
  found: readonly Entry[],
): Promise<Entry> {
  const one = soleAmong(found);
  if (one !== undefined) return one;
  const address = await ownAddress(context);
  const own = found.filter(({ intent }) => intent.payer === address);
  const ownOne = soleAmong(own);
  if (ownOne !== undefined) return ownOne;
  throw ambiguous(id, own.length > 0 ? own : found);
}

/** The entry with the most information, if all belong to one purchase; otherwise undefined. */
function soleAmong(found: readonly Entry[]): Entry | undefined {
  if (new Set(found.map(nameOf)).size !== 1) return undefined;
  return (
    found.find((entry) => eventOf(entry, 'goods') !== undefined) ??
    found.find(({ attempts }) => attempts.length > 0) ??
    found[0]
  );
}

/** Undefined if no wallet can be opened: reading past purchases needs none. */
export async function ownAddress({
  keys: { wallets },
  settings,
}: With<'settings' | 'keys'>): Promise<string | undefined> {
  const opened = wallets.open(settings.keypairPath).catch(unlessInterrupted(() => undefined));
  return (await opened)?.address;
}

function ambiguous(id: string, entries: readonly Entry[]): ScripError {
  const ids = [...new Set(entries.map((entry) => orderIdOf(entry) ?? entry.intent.intentId))];
  return new ScripError('INPUT_INVALID', t`"${id}" matches ${ids.length} purchases`, {
    hint: commandText`Give more of the name: ${wordList(ids.slice(0, 3))}`,
    details: { ids },
  });
}

function idsOf(entry: Entry): readonly string[] {
  const transactions = entry.facts.flatMap((event) =>
    'transaction' in event && event.transaction !== undefined ? [event.transaction] : [],
  );
  return [
    orderIdOf(entry) ?? [],
    merchantOrderId(entry) ?? [],
    entry.intent.intentId,
    transactions,
  ].flat();
}

/**
 * Returns the configured wallet if it has this address.
 * @throws {ScripError} the codes of an existing but unusable wallet
 */
export async function signerAt(
  { keys: { wallets }, settings }: With<'settings' | 'keys'>,
  address: string,
): Promise<Signer | undefined> {
  const signer = await wallets
    .open(settings.keypairPath)
    .catch(expected(() => undefined, 'WALLET_MISSING'));
  return signer?.address === address ? signer : undefined;
}

/** Whether a payment was signed, or an order was made that is still unpaid. */
export function isSigned(entry: Entry): boolean {
  return entry.attempts.length > 0 || eventOf(entry, 'created') !== undefined;
}

/** Whether the signed payment has left the wallet, as far as the journal knows. */
export function madePayment(entry: Entry): 'made' | 'unknown' | 'none' {
  const attempt = currentAttempt(entry);
  // Nothing was signed, or every signed payment is proven unable to land.
  if (attempt === undefined) return 'none';
  const isMade =
    eventOf(entry, 'landed', attempt.number) !== undefined ||
    eventOf(entry, 'goods', attempt.number) !== undefined;
  return isMade ? 'made' : 'unknown';
}

/** Counts purchases with status processing or unknown in `scrip orders`: they continue, or may. */
export function underWay(entries: readonly Entry[]): number {
  const open: readonly PurchaseStatus[] = ['processing', 'unknown'];
  return entries.filter((entry) => isSigned(entry) && open.includes(statusOf(entry))).length;
}
