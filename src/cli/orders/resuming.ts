/**
 * `scrip orders resume`: finds out what became of interrupted purchases, and finishes those that were paid.
 */

import type { Finished } from '../../api/merchant.ts';
import { openMerchant } from '../../api/merchants.ts';
import { requestSeller } from '../../api/paid-request.ts';
import { receiptFrom } from '../../api/receipt.ts';
import type { Timeouts } from '../../api/timeouts.ts';
import { unlessInterrupted } from '../../domain/attempt.ts';
import { type Entry, NO_WALLET, nextStep, orderIdOf } from '../../domain/journal/journal.ts';
import { commandText, ownText, wordList } from '../../domain/message/command-text.ts';
import { CODES, ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import type { BuyerContext, With } from '../context.ts';
import { listView, type View } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { unaskedNotes } from './asked-orders.ts';
import { isRead, purchaseColumns } from './columns.ts';
import { findEntry, idLength, type Ledger, madePayment, ownAddress, readLedger } from './ledger.ts';
import { optionsFor } from './order-meant.ts';
import { isPaidElsewhere } from './past-purchase.ts';
import { purchaseRecord } from './receipt.ts';

export interface ResumeRequest extends Timeouts {
  readonly id: string | undefined;
  readonly isAll: boolean;
}

/** Resumes the purchases and returns their outcome with codes; signs nothing. */
export async function resumeOrders(context: BuyerContext, request: ResumeRequest): Promise<View> {
  const { entries: chosen, problem } = await chooseEntries(context, request);
  const { mine, others } = await splitByWallet(context, chosen);
  const [other] = others;
  if (request.id !== undefined && other !== undefined) {
    const { payer, intentId } = other.intent;
    const message = t`The purchase ${intentId} was made with the wallet ${payer}`;
    throw new ScripError('WALLET_OTHER', message, { details: { wallet: payer } });
  }
  const finished = await finishAll(context, mine, request);
  const worst = finished.find(({ error }) => (error?.fundsAtRisk ?? 'none') !== 'none');
  const silent = finished.find(({ error }) => error?.exit === CODES.NETWORK_UNREACHABLE.exit);
  const error = worst === undefined ? (problem ?? silent?.error) : await errorOf(context, worst);
  const note = [
    ...elsewhereNotes(context, mine, others),
    ...unaskedNotes(finished.filter(isUnanswered).length),
  ];
  return {
    ...listView({
      records: finished.map(({ receipt }) => ({
        ...purchaseRecord(receipt),
        deliveries: receipt.deliveries,
      })),
      columns: purchaseColumns(idLength((await readLedger(context)).entries), isRead(context)),
      empty: note.length > 0 ? note : t`There is nothing to finish here.`,
      ...(note.length > 0 && { note }),
    }),
    ...(error === undefined ? {} : { error }),
  };
}

/** The error of a finished purchase; for a failed one, with what became of its money. */
async function errorOf(
  context: BuyerContext,
  { error, receipt: { intent, orderId, status } }: Finished,
): Promise<ScripError | undefined> {
  if (error === undefined || status !== 'failed' || orderId === null) return error;
  const { refundsAtMerchant, withRefundHint } = await import('./shown-refunds.ts');
  // Finishing it has journaled its end.
  const refunds = await refundsAtMerchant(context, await findEntry(context, intent.intentId));
  return withRefundHint(error, refunds, orderId);
}

/** Orders paid from elsewhere can be resumed with any wallet; others need the wallet that paid. */
async function splitByWallet(context: With<'settings' | 'keys'>, chosen: readonly Entry[]) {
  const isAnyones = ({ intent }: Entry) => intent.payer === NO_WALLET;
  const own = chosen.every(isAnyones) ? undefined : await ownAddress(context);
  const isMine = (entry: Entry) => isAnyones(entry) || entry.intent.payer === own;
  return { mine: chosen.filter(isMine), others: chosen.filter((entry) => !isMine(entry)) };
}

/** One after another: each may wait for the chain, and the output stays readable. */
async function finishAll(
  context: ScripContext,
  mine: readonly Entry[],
  { id, ...timeouts }: ResumeRequest,
): Promise<readonly Finished[]> {
  const deps = scripDeps(context);
  const orders = [await openMerchant(deps, 'checkout'), await openMerchant(deps, 'partner')];
  const merchants = [...orders, requestSeller(deps)];
  const finished: Finished[] = [];
  for (const merchant of merchants) {
    for (const entry of mine) {
      if (!merchant.sells(entry.intent)) continue;
      deps.progress.step(t`Checking ${orderIdOf(entry) ?? entry.intent.intentId}`, {
        isSafe: true,
      });
      finished.push(
        await merchant
          .finish(entry, timeouts)
          .catch((failure: unknown) => {
            if (id !== undefined) throw failure;
            return unfinished(entry)(failure);
          })
          .finally(() => deps.progress.done()),
      );
    }
  }
  return finished;
}

/** Among several, an order that nothing was sent for from here keeps no other from being finished. */
function unfinished(entry: Entry): (failure: unknown) => Finished {
  return unlessInterrupted((error) => {
    if (!isPaidElsewhere(entry)) throw error;
    return { receipt: { ...receiptFrom(entry), deliveries: [] }, error };
  });
}

async function chooseEntries(context: BuyerContext, { id, isAll }: ResumeRequest): Promise<Ledger> {
  if (id !== undefined) return { entries: [await findEntry(context, id)], problem: undefined };
  const open: readonly string[] = isAll ? ['settle', 'follow', 'attention'] : ['settle', 'follow'];
  const { entries, problem } = await readLedger(context);
  const isOpen = (entry: Entry) =>
    open.includes(nextStep(entry)) || isTransferOpen(entry) || isPaidElsewhere(entry);
  return { entries: entries.filter(isOpen), problem };
}

/** Whether the merchant delivered before the payment was final on the chain. */
function isTransferOpen(entry: Entry): boolean {
  return entry.intent.partner !== undefined && madePayment(entry) === 'unknown';
}

/** Only the host and wallet of a purchase can finish it. */
function elsewhereNotes(
  { settings }: With<'settings'>,
  mine: readonly Entry[],
  others: readonly Entry[],
): readonly Message[] {
  const hosts = optionsFor(settings, mine);
  const wallets = [...new Set(others.map(({ intent }) => intent.payer))];
  return [
    ...(wallets.length === 0
      ? []
      : [
          commandText`Some belong to other wallets; name each with --keypair: ${wordList(wallets)}.`,
        ]),
    ...(hosts === undefined
      ? []
      : [commandText`Some belong to other hosts; run the same with ${ownText(hosts)}`]),
  ];
}

function isUnanswered({ error, receipt }: Finished): boolean {
  return error !== undefined && receipt.status === 'unpaid';
}
