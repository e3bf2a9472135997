/** Filters this machine's purchases, and exports them for bookkeeping: what left the wallet, and what for. */

import { type Command, Option } from 'commander';
import { receiptFrom } from '../../api/receipt.ts';
import type { Clock } from '../../domain/clock.ts';
import { currentAttempt, type Entry } from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { t } from '../../domain/message/message.ts';
import { PURCHASE_STATUSES, type PurchaseStatus } from '../../domain/order/order-states.ts';
import { maskBeneficiary } from '../../domain/product/beneficiary.ts';
import type { With } from '../context.ts';
import { explorerUrl } from '../output/link.ts';
import { listView, type View } from '../output/view.ts';
import { startOf } from '../parsing/words.ts';
import type { ExportedPurchase, PurchaseRecord } from '../schemas/purchase.ts';
import { isSigned, madePayment, readLedger } from './ledger.ts';
import { purchaseRecord } from './receipt.ts';

export interface ExportFlags extends OrderFilterFlags {
  /** Shows beneficiaries in full. */
  readonly reveal?: boolean;
}

/**
 * Oldest first. The sum of `paid_atomic` over one asset is what left the wallet for purchases, that of
 * `refunded_atomic` what came back.
 * @throws {ScripError} INPUT_INVALID, JOURNAL_UNUSABLE
 */
export async function exportOrders(context: With<'parts'>, flags: ExportFlags): Promise<View> {
  const isWanted = orderFilter(flags, context.parts.clock);
  const { entries, problem } = await readLedger(context);
  const records = entries
    .filter(isSigned)
    .map((entry) => exportRecord(entry, flags.reveal ?? false))
    .filter(isWanted);
  if (records.length === 0 && problem !== undefined) throw problem;
  const open = records.filter(({ payment }) => payment === 'unknown').length;
  return listView({
    records,
    columns: [],
    isForFile: true,
    empty: t`Nothing was bought from this machine in that time.`,
    ...(problem === undefined ? {} : { error: problem }),
    ...(open === 0
      ? {}
      : {
          note: commandText`Outcome unknown, so without paid_atomic: ${open}. Run: scrip orders resume`,
        }),
  });
}

function exportRecord(entry: Entry, isRevealed: boolean): ExportedPurchase {
  const standing = receiptFrom(entry);
  // Its decimal form would be a column only in some exports.
  const { refunded: _, ...record } = purchaseRecord(standing);
  const { beneficiary, host, transaction } = record;
  const payment = madePayment(entry);
  const left = { made: currentAttempt(entry)?.amountAtomic ?? null, none: '0', unknown: null };
  return {
    ...record,
    beneficiary: isRevealed ? beneficiary : maskBeneficiary(beneficiary),
    pay_to: standing.payment?.payTo ?? null,
    ...{ payment, paid_atomic: left[payment] },
    transaction_url: explorerUrl(host, transaction) ?? null,
    refunded_atomic: String(standing.returnedAtomic ?? 0n),
  };
}

export interface OrderFilterFlags {
  readonly since?: string;
  readonly until?: string;
  readonly status?: PurchaseStatus;
  readonly host?: string;
  readonly wallet?: string;
}

const DAY_MS = 86_400_000;

export function addOrderFilters(command: Command): Command {
  return command
    .option('--since <date>', 'from this day (2026-11-01) or instant, or the last 30d')
    .option('--until <date>', 'up to this day, inclusive, or before this instant')
    .addOption(new Option('--status <status>', 'only with this status').choices(PURCHASE_STATUSES))
    .option(
      '--host <host>',
      'purchases from this host, such as host.example; `embedded` is the sandbox',
    )
    .option(
      '--wallet <address>',
      'purchases paid by this wallet; `no-wallet` for orders made without one',
    );
}

/** Returns a filter for the options. @throws {ScripError} INPUT_INVALID for an invalid date */
export function orderFilter(
  { since, until, status, host, wallet }: OrderFilterFlags,
  clock: Clock,
): (record: Pick<PurchaseRecord, 'status' | 'host' | 'payer' | 'created_at'>) => boolean {
  const from = since === undefined ? undefined : startOf(since, '--since', clock.now());
  const to = until === undefined ? undefined : endOf(until, clock.now());
  return (record) => {
    const atMs = Date.parse(record.created_at);
    return (
      (from === undefined || atMs >= from) &&
      (to === undefined || atMs < to) &&
      (status === undefined || record.status === status) &&
      (host === undefined || isAt(record.host, host)) &&
      (wallet === undefined || record.payer === wallet)
    );
  };
}

/** A day includes all its hours. */
function endOf(text: string, nowMs: number): number {
  const start = startOf(text, '--until', nowMs);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? start + DAY_MS : start;
}

function isAt(recorded: string, wanted: string): boolean {
  if (recorded === wanted || recorded.split(':')[0] === wanted) return true;
  return (
    URL.canParse(recorded) && [new URL(recorded).host, new URL(recorded).hostname].includes(wanted)
  );
}
