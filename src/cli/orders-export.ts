/** The purchases of this machine as a table for the books: what left the wallet, and what for. */
import { currentAttempt, type Entry, factOf } from '../domain/journal.ts';
import type { Context } from './context.ts';
import { explorerUrl } from './explorer.ts';
import { everyEntry, isSigned, standingOf } from './ledger.ts';
import { type OrderFilterFlags, orderFilter } from './order-filter.ts';
import { listView, type View } from './output/view.ts';
import { purchaseRecord } from './receipt.ts';
import type { ExportedPurchase } from './schemas/purchase.ts';

export interface ExportFlags extends OrderFilterFlags {
  /** Beneficiaries in full. */
  readonly reveal?: boolean;
}

/**
 * Oldest first. The sum of `paid_atomic` over one asset is what left the wallet for purchases.
 * @throws {ScripError} INPUT_INVALID, JOURNAL_UNUSABLE
 */
export async function exportOrders(context: Context, flags: ExportFlags): Promise<View> {
  const isWanted = orderFilter(flags, context.clock);
  const records = (await everyEntry(context))
    .filter(isSigned)
    .map((entry) => exportRecord(entry, flags.reveal ?? false))
    .filter(isWanted);
  const open = records.filter(({ payment }) => payment === 'unknown').length;
  return listView({
    records,
    columns: [],
    isForFile: true,
    empty: 'Nothing was bought from this machine in that time.',
    ...(open === 0
      ? {}
      : { note: `${open} of unknown outcome, without paid_atomic. Run: scrip orders resume` }),
  });
}

function exportRecord(entry: Entry, isRevealed: boolean): ExportedPurchase {
  const standing = standingOf(entry);
  const record = purchaseRecord(standing);
  const { beneficiary, host, transaction } = record;
  return {
    ...record,
    beneficiary: isRevealed ? beneficiary : maskBeneficiary(beneficiary),
    pay_to: standing.payment?.payTo ?? null,
    ...paymentOf(entry),
    transaction_url: explorerUrl(host, transaction) ?? null,
  };
}

/** What is known to have left the wallet; null where nobody knows yet. */
function paymentOf(entry: Entry): {
  readonly payment: 'made' | 'unknown' | 'none';
  readonly paid_atomic: string | null;
} {
  const attempt = currentAttempt(entry);
  // Nothing was signed, or all that was is proven unable to land.
  if (attempt === undefined) return { payment: 'none', paid_atomic: '0' };
  const isMade =
    factOf(entry, 'landed', attempt.number) !== undefined ||
    factOf(entry, 'goods', attempt.number) !== undefined;
  return isMade
    ? { payment: 'made', paid_atomic: attempt.amountAtomic }
    : { payment: 'unknown', paid_atomic: null };
}

/** Enough to be recognised by whoever knows it: `f***@example.com`, `+551****21`. */
export function maskBeneficiary(text: string): string {
  const at = text.lastIndexOf('@');
  if (at > 0) return `${[...text][0] ?? ''}***${text.slice(at)}`;
  return text.length < 8 ? '***' : `${text.slice(0, 4)}****${text.slice(-2)}`;
}
