/** `scrip orders resume`: what became of interrupted purchases; those that were paid are finished. */

import type { PurchaseOutcome } from '../../api/payment/outcome.ts';
import { purchaseError } from '../../api/payment/outcome-error.ts';
import { commandText, ownText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Entry, NO_WALLET, nextStep } from '../../domain/journal.ts';
import { joined, type Message, t } from '../../domain/message.ts';
import { hostName, type Patience, purchaseDeps } from '../buying/purchasing.ts';
import { purchaseRecord, receiptOf } from '../buying/receipt.ts';
import type { Context } from '../context.ts';
import { listView, type View } from '../output/view.ts';
import { isEmbeddedUrl } from '../settings/settings.ts';
import { PURCHASE_COLUMNS } from './columns.ts';
import {
  findEntry,
  type Ledger,
  madePayment,
  ownAddress,
  readLedger,
  standingOf,
} from './ledger.ts';

export interface ResumeRequest extends Patience {
  readonly id: string | undefined;
  readonly isAll: boolean;
}

/** Purchases that were begun: what became of them, and their goods; nothing is signed. */
export async function resumeOrders(context: Context, request: ResumeRequest): Promise<View> {
  const { entries: chosen, problem } = await chooseEntries(context, request);
  const { mine, others } = await splitByWallet(context, chosen);
  const [other] = others;
  if (request.id !== undefined && other !== undefined) refuseOther(other);
  const outcomes = await resumeCheckoutOrders(context, mine, request);
  const finished = await resumePartnerOrders(context, mine, request.waitMs);
  const errors = outcomes.flatMap((outcome) => purchaseError(outcome) ?? []);
  const error = errors.find(({ fundsAtRisk }) => fundsAtRisk !== 'none') ?? problem;
  return {
    ...listView({
      records: [
        ...outcomes.map((outcome) => ({
          ...purchaseRecord(receiptOf(outcome)),
          deliveries: receiptOf(outcome).deliveries,
        })),
        ...finished,
      ],
      columns: PURCHASE_COLUMNS,
      empty: t`Nothing is left to be finished here.`,
      ...elsewhereNote(context, mine, others),
    }),
    ...(error === undefined ? {} : { error }),
  };
}

/** Orders that are paid from elsewhere are asked for by anybody; what a wallet paid, by itself. */
async function splitByWallet(context: Context, chosen: readonly Entry[]) {
  const isAnyones = ({ intent }: Entry) => intent.payer === NO_WALLET;
  const own = chosen.every(isAnyones) ? undefined : await ownAddress(context);
  const isMine = (entry: Entry) => isAnyones(entry) || entry.intent.payer === own;
  return { mine: chosen.filter(isMine), others: chosen.filter((entry) => !isMine(entry)) };
}

/** @throws {ScripError} WALLET_OTHER */
function refuseOther({ intent: { payer, intentId } }: Entry): never {
  throw new ScripError(
    'WALLET_OTHER',
    t`the purchase ${intentId} was made with the wallet ${payer}`,
    {
      details: { wallet: payer },
    },
  );
}

async function resumeCheckoutOrders(
  context: Context,
  mine: readonly Entry[],
  patience: Patience,
): Promise<readonly PurchaseOutcome[]> {
  const host = hostName(context.settings);
  const here = mine.filter(({ intent }) => intent.host === host && !intent.partner);
  if (here.length === 0) return [];
  const deps = await purchaseDeps(context, patience);
  const { resume } = await import('../../api/checkout/pay.ts');
  const outcomes = [];
  // One after the other: each may wait for the chain, and the log stays readable.
  for (const entry of here) outcomes.push(await resume(deps, entry));
  return outcomes;
}

/** Orders of the partner API: transfers are settled, goods are kept, nothing is signed. */
async function resumePartnerOrders(context: Context, chosen: readonly Entry[], waitMs: number) {
  const { partnerHostName } = await import('../partner/purchasing.ts');
  const host = partnerHostName(context.settings);
  const mine = chosen.filter(({ intent }) => intent.partner && intent.host === host);
  if (mine.length === 0) return [];
  const { finishPartnerOrder } = await import('../partner/following.ts');
  const records = [];
  for (const { intent } of mine) {
    const fresh = await finishPartnerOrder(context, intent, waitMs);
    records.push({ ...purchaseRecord(standingOf(fresh.entry)), deliveries: fresh.deliveries });
  }
  return records;
}

async function chooseEntries(context: Context, { id, isAll }: ResumeRequest): Promise<Ledger> {
  if (id !== undefined) return { entries: [await findEntry(context, id)], problem: undefined };
  const open: readonly string[] = isAll ? ['settle', 'follow', 'attention'] : ['settle', 'follow'];
  const { entries, problem } = await readLedger(context);
  const isOpen = (entry: Entry) => open.includes(nextStep(entry)) || isTransferOpen(entry);
  return { entries: entries.filter(isOpen), problem };
}

/** Its goods came on the merchant's word, before the chain had made the payment final. */
function isTransferOpen(entry: Entry): boolean {
  return entry.intent.partner !== undefined && madePayment(entry) === 'unknown';
}

/** A purchase is pinned to its host and to its wallet: no other can finish it. */
function elsewhereNote(
  { settings }: Context,
  mine: readonly Entry[],
  others: readonly Entry[],
): { readonly note?: Message; readonly empty?: Message } {
  const hosts = new Set(mine.map(({ intent }) => intent.host));
  hosts.delete(hostName(settings));
  if (!isEmbeddedUrl(settings.apiUrl)) hosts.delete(new URL(settings.apiUrl).origin);
  const flags = [...hosts].map((host) =>
    host.startsWith('embedded:')
      ? commandText`--profile ${host.slice(9)}`
      : commandText`--checkout-url ${host}`,
  );
  const wallets = [...new Set(others.map(({ intent }) => intent.payer))];
  const notes = [
    ...(wallets.length === 0
      ? []
      : [
          commandText`Some belong to other wallets; name each with --keypair: ${wordList(wallets)}.`,
        ]),
    ...(flags.length === 0
      ? []
      : [
          commandText`Some belong to other hosts; run the same with ${ownText(joined(flags, t`, or `))}`,
        ]),
  ];
  if (notes.length === 0) return {};
  const note = joined(notes, ' ');
  return { note, empty: note };
}
