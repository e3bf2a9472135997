/** The audit of a sandbox. Reads one snapshot of each store, so a server can keep selling. */

import { USDC_MINT } from '../contract/x402.ts';
import type { AuditReport } from '../domain/operator/audit.ts';
import { associatedTokenAddress } from '../rails/solana/address.ts';
import { auditTables } from '../service/audit/audit.ts';
import type { Landed, SupplierLedger, Transfer } from '../service/audit/evidence.ts';
import { decodeLine } from '../service/checkout/line.ts';
import type { ChainStore, Store, Tables } from '../store/store.ts';
import type { ChainRecords, NumberedTransaction } from '../store/tables/chain.ts';
import type { DeliveryRow } from '../store/tables/deliveries.ts';
import type { PurchaseRow } from '../store/tables/purchases.ts';
import type { TokenBalance, TransactionMeta } from './chain/ledger.ts';
import { type Draw, feePayerFrom } from './data-folder.ts';
import { playedFor } from './partner/played-payments.ts';

interface Audited {
  readonly store: Pick<Store, 'snapshot'>;
  readonly chain: Pick<ChainStore, 'tables' | 'snapshot'>;
  /** Of the sandbox's keys. */
  readonly draw: Draw;
}

/** @param nowMs decides which settlements and orders still count as under way */
export async function audit({ store, chain, draw }: Audited, nowMs: number): Promise<AuditReport> {
  // Transactions after this position may pay an order that the shop's snapshot does not hold yet.
  const settledUpTo = await chain.tables.chain.transactionCount();
  const lastBlock = await chain.tables.evm.blockUpTo(Number.MAX_SAFE_INTEGER);
  const feePayer = feePayerFrom(draw).address;
  return store.snapshot(async (tables) => {
    // The first read takes the snapshot. The shop's is taken before the chain's, so the chain holds
    // every payment that the shop records.
    await tables.facts.get('');
    return chain.snapshot(async ({ chain: ledger, evm }) =>
      auditTables(tables, {
        landed: await withBase(tables, await readLanded(tables, ledger, feePayer), { evm, draw }),
        isOld: ({ position, block }) =>
          block === undefined ? position <= settledUpTo : block <= (lastBlock?.number ?? 0),
        readAtMs: Number.POSITIVE_INFINITY,
        credited: async (transaction, { recipient }) => {
          const block = await evm.blockWith(transaction);
          if (block) return (await import('./evm/landed.ts')).creditedIn(block, recipient);
          const row = await ledger.transaction(transaction);
          const credits = row === undefined ? [] : tokenCredits({ ...row, position: 0 });
          const account = associatedTokenAddress(recipient, USDC_MINT);
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
function ledgerOf({ purchases, deliveries }: Tables): SupplierLedger {
  return {
    async sold(row) {
      const purchase = await purchases.byReference(row.deliveryId);
      return purchase && { outcome: purchase.outcome, isSame: isOf(purchase, row) };
    },
    async *sales() {
      for await (const { reference, outcome } of purchases.rows()) {
        const hasLine = outcome === 'refused' || (await deliveries.byId(reference)) !== undefined;
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

// Money that landed at the service's addresses, read from the chain's ledger.

interface LedgerTransfer extends Transfer {
  /** Token account, or the owner of the lamports. */
  readonly account: string;
  /** Position of the transaction on the chain. */
  readonly position: number;
  /** Of a transaction on Base: number of its block. */
  readonly block?: number;
}

/**
 * Reads the whole ledger once, in order.
 * @param feePayer the sandbox's own
 */
async function readLanded(
  tables: Tables,
  ledger: Pick<ChainRecords, 'transactions'>,
  feePayer: string,
): Promise<Landed<LedgerTransfer>> {
  const bySession = new Map<string, LedgerTransfer[]>();
  const byPartnerOrder = new Map<string, LedgerTransfer[]>();
  const forgotten: LedgerTransfer[] = [];
  const accounts = ownAccounts(feePayer);
  let [transactions, transfers] = [0, 0];
  const note = (
    map: Map<string, LedgerTransfer[]>,
    key: string | undefined,
    transfer: LedgerTransfer,
  ) => {
    if (key === undefined) return;
    transfers += 1;
    map.set(key, [...(map.get(key) ?? []), transfer]);
  };
  for await (const row of ledger.transactions()) {
    transactions += 1;
    accounts.read(row);
    for (const { owner, ...transfer } of tokenCredits(row)) {
      const session = await tables.sessions.byDestination(transfer.account);
      note(bySession, session?.sessionId, transfer);
      if (session) continue;
      const order = await partnerOrder(tables, owner, 'token');
      note(byPartnerOrder, order, transfer);
      const isOurs = accounts.has(transfer.account) || metaOf(row)?.accounts[0] === feePayer;
      // What the service sends itself, such as refunds, has a claim.
      const isKnown = order !== undefined || (await tables.claims.byMessage(row.messageHash));
      if (isOurs && !isKnown) forgotten.push(transfer);
    }
    for (const transfer of lamportCredits(row)) {
      note(byPartnerOrder, await partnerOrder(tables, transfer.account, 'SOL'), transfer);
    }
  }
  return { bySession, byPartnerOrder, forgotten, transactions, transfers };
}

/**
 * Adds what came on the stand-in for Base: by authorizations for sessions, and to addresses of orders. A settlement
 * is on record before its claim, so there is none that the shop's snapshot lacks.
 */
async function withBase(
  { settlements, partnerOrders }: Tables,
  landed: Landed<LedgerTransfer>,
  { evm, draw }: Pick<ChainStore['tables'], 'evm'> & { readonly draw: Draw },
): Promise<Landed<LedgerTransfer>> {
  const blocks = await evm.blocksBetween(0, Number.MAX_SAFE_INTEGER);
  if (blocks.length === 0) return landed;
  const { authorizedIn, baseTreasuryOf, creditedIn, transfersIn } = await import('./evm/landed.ts');
  const treasury = baseTreasuryOf(draw);
  const bySession = new Map(landed.bySession);
  const byPartnerOrder = new Map(landed.byPartnerOrder);
  const forgotten = [...landed.forgotten];
  let { transfers } = landed;
  for (const row of blocks) {
    const place = { account: '', position: 0, block: row.number };
    let unknown = creditedIn(row, treasury);
    for (const { messageHash, ...paid } of authorizedIn(row)) {
      const settlement = await settlements.byMessage(messageHash);
      if (settlement === undefined) continue;
      const { sessionId } = settlement;
      bySession.set(sessionId, [...(bySession.get(sessionId) ?? []), { ...paid, ...place }]);
      transfers += 1;
      unknown -= paid.amountAtomic;
    }
    for (const { payTo, ...paid } of transfersIn(row)) {
      const order = await partnerOrders.paidAt(payTo);
      if (order === undefined) continue;
      const before = byPartnerOrder.get(order.orderId) ?? [];
      byPartnerOrder.set(order.orderId, [...before, { ...paid, ...place }]);
      transfers += 1;
    }
    const { transaction, timeMs: atMs } = row;
    if (unknown > 0n && transaction !== null) {
      forgotten.push({ transaction, atMs, amountAtomic: unknown, ...place });
    }
  }
  const transactions = landed.transactions + blocks.length;
  return { ...landed, bySession, byPartnerOrder, forgotten, transfers, transactions };
}

/**
 * Token accounts that the sandbox opened for payments, by the ledger alone: its fee payer did, or they were there,
 * empty, before any transaction named them.
 */
function ownAccounts(feePayer: string) {
  const seen = new Set<string>();
  const own = new Set<string>();
  return {
    read(row: NumberedTransaction): void {
      const meta = metaOf(row);
      for (const { accountIndex } of meta?.postTokenBalances ?? []) {
        const account = meta?.accounts[accountIndex];
        if (account === undefined || seen.has(account)) continue;
        seen.add(account);
        const before = meta?.preTokenBalances.find((one) => one.accountIndex === accountIndex);
        const isOpenedByUs = before === undefined && meta?.accounts[0] === feePayer;
        if (isOpenedByUs || before?.amount === '0') own.add(account);
      }
    },
    has: (account: string): boolean => own.has(account),
  };
}

/**
 * An order paid in tokens ignores lamports (rent) at its address, and an order paid in SOL ignores
 * tokens.
 */
async function partnerOrder(
  { partnerOrders }: Tables,
  owner: string,
  means: 'token' | 'SOL',
): Promise<string | undefined> {
  const order = await partnerOrders.paidAt(owner);
  return order && (order.coin === 'SOL') === (means === 'SOL') ? order.orderId : undefined;
}

function metaOf(row: NumberedTransaction): TransactionMeta | undefined {
  return row.error === null ? JSON.parse(row.meta) : undefined;
}

function tokenCredits(row: NumberedTransaction): (LedgerTransfer & { readonly owner: string })[] {
  const meta = metaOf(row);
  if (!meta) return [];
  const before = (index: number): bigint =>
    amountOf(meta.preTokenBalances.find(({ accountIndex }) => accountIndex === index));
  return meta.postTokenBalances.flatMap((balance) => {
    const amountAtomic = amountOf(balance) - before(balance.accountIndex);
    const account = meta.accounts[balance.accountIndex];
    if (balance.mint !== USDC_MINT || amountAtomic <= 0n || account === undefined) return [];
    const { signature: transaction, position, blockTimeMs: atMs } = row;
    return [{ transaction, position, account, owner: balance.owner, amountAtomic, atMs }];
  });
}

function amountOf(balance: TokenBalance | undefined): bigint {
  return BigInt(balance?.amount ?? 0);
}

function lamportCredits(row: NumberedTransaction): LedgerTransfer[] {
  const meta = metaOf(row);
  if (!meta) return [];
  return meta.accounts.flatMap((account, index) => {
    const amountAtomic =
      BigInt(meta.postBalances[index] ?? 0) - BigInt(meta.preBalances[index] ?? 0);
    const { signature: transaction, position, blockTimeMs: atMs } = row;
    return amountAtomic > 0n ? [{ transaction, position, account, amountAtomic, atMs }] : [];
  });
}
