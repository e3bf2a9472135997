/** The audit of a sandbox. Reads one snapshot of each store, so a server can keep selling. */
import type { AuditReport } from '../../domain/audit.ts';
import { auditTables } from '../../service/audit/audit.ts';
import type { SupplierLedger } from '../../service/audit/evidence.ts';
import { pages } from '../../service/audit/pages.ts';
import { decodeLine } from '../../service/line.ts';
import type { ChainStore, Store, Tables } from '../../store/store.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { PurchaseRow } from '../../store/tables/purchases.ts';
import { playedFor } from '../partner/played-payments.ts';
import { readLanded, tokenCredits } from './transfers.ts';

export interface Audited {
  readonly store: Pick<Store, 'snapshot'>;
  readonly chain: Pick<ChainStore, 'tables' | 'snapshot'>;
  /** Address that pays the sandbox's network fees. */
  readonly feePayer: string;
}

/** @param nowMs decides which settlements and orders still count as under way */
export async function audit(
  { store, chain, feePayer }: Audited,
  nowMs: number,
): Promise<AuditReport> {
  // Transactions after this position may pay an order that the shop's snapshot does not hold yet.
  const settledUpTo = await chain.tables.chain.transactionCount();
  return store.snapshot(async (tables) => {
    // The first read takes the snapshot. The shop's is taken before the chain's, so the chain holds
    // every payment that the shop records.
    await tables.facts.get('');
    return chain.snapshot(async ({ chain: ledger }) =>
      auditTables(tables, {
        landed: await readLanded(tables, ledger, feePayer),
        isOld: ({ position }) => position <= settledUpTo,
        readAtMs: Number.POSITIVE_INFINITY,
        credited: async (transaction, account) => {
          const row = await ledger.transaction(transaction);
          const credits = row === undefined ? [] : tokenCredits({ ...row, position: 0 });
          return credits.find((credit) => credit.account === account)?.amountAtomic ?? 0n;
        },
        played: (orderId) => playedFor(tables.facts, orderId),
        supplier: ledgerOf(tables),
        operated: 'sandbox',
        nowMs,
      }),
    );
  });
}

/** The sandbox's supplier keeps its ledger beside the shop's records. */
function ledgerOf({ purchases, books }: Tables): SupplierLedger {
  return {
    async sold(row) {
      const purchase = await purchases.byReference(row.deliveryId);
      return purchase && { outcome: purchase.outcome, isSame: isOf(purchase, row) };
    },
    async *sales() {
      for await (const { reference, outcome } of pages(books.purchases, (row) => row.reference)) {
        const hasLine = outcome === 'refused' || (await books.delivery(reference)) !== undefined;
        yield { reference, hasLine };
      }
    },
  };
}

/** Whether the ledger recorded the product, value and beneficiary that the delivery sold. */
function isOf(purchase: PurchaseRow, { goods, beneficiary }: DeliveryRow): boolean {
  const asked: { productId?: unknown; faceValue?: unknown; beneficiary?: unknown } = JSON.parse(
    purchase.request,
  );
  const { product, faceValue } = decodeLine(goods);
  return (
    asked.productId === product.productId &&
    asked.faceValue === faceValue.toString() &&
    asked.beneficiary === beneficiary
  );
}
