/** Exports this machine's purchases for bookkeeping: what left the wallet, and what for. */

import { receiptFrom } from '../../api/receipt.ts';
import { maskBeneficiary } from '../../domain/beneficiary.ts';
import { commandText } from '../../domain/command-text.ts';
import { currentAttempt, type Entry } from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import type { With } from '../context.ts';
import { explorerUrl } from '../output/link.ts';
import { listView, type View } from '../output/view.ts';
import type { ExportedPurchase } from '../schemas/purchase.ts';
import { type OrderFilterFlags, orderFilter } from './filter.ts';
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
  return {
    ...record,
    beneficiary: isRevealed ? beneficiary : maskBeneficiary(beneficiary),
    pay_to: standing.payment?.payTo ?? null,
    ...paymentOf(entry),
    transaction_url: explorerUrl(host, transaction) ?? null,
    refunded_atomic: String(standing.returnedAtomic ?? 0n),
  };
}

/** The amount that left the wallet; null while it is unknown. */
function paymentOf(entry: Entry): Pick<ExportedPurchase, 'payment' | 'paid_atomic'> {
  const payment = madePayment(entry);
  const amount = { made: currentAttempt(entry)?.amountAtomic ?? null, none: '0', unknown: null };
  return { payment, paid_atomic: amount[payment] };
}
