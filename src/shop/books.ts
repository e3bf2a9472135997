/**
 * The audit of a shop: its records against both nodes and the supplier. Of each receiving account, and of the
 * wallet of refunds, the whole history is read, or all since a day.
 */

import { USDC_DECIMALS, USDC_MINT } from '../contract/x402.ts';
import { atomic, formatDecimal } from '../domain/money/money.ts';
import type { AuditReport, Finding } from '../domain/operator/audit.ts';
import { associatedTokenAddress } from '../rails/solana/address.ts';
import { type BalanceChange, changesIn, changesOf, receivedIn } from '../rails/solana/credits.ts';
import type { SolanaRpc } from '../rails/solana/rpc.ts';
import { auditTables } from '../service/audit/audit.ts';
import { OPEN_MS, spareOf, sumOf } from '../service/audit/checks.ts';
import type { Landed, SupplierLedger, Transfer } from '../service/audit/evidence.ts';
import type { Store, Tables } from '../store/store.ts';
import { ownerAt } from './accounts.ts';
import { idOf } from './leases.ts';
import type { Draw } from './secrets.ts';

type Node = Pick<
  SolanaRpc,
  'request' | 'requestAll' | 'signatureStatuses' | 'signaturesForAddress' | 'tokenAccounts'
>;

export interface ShopBooks {
  readonly store: Store;
  /** The shop's own node first. */
  readonly nodes: readonly [Node, ...Node[]];
  readonly draw: Draw;
  supplierLedger(tables: Tables): SupplierLedger;
  /** Undefined where the operator pays refunds. */
  readonly refundWallet: string | undefined;
  /** Wallet that sales over x402 are paid to; it may have other business. */
  readonly treasury: string;
  /** Address that countersigns payments of the shop alone. */
  readonly feePayer: string;
  /** Nothing older is read and judged; by default all is. */
  readonly sinceMs?: number | undefined;
  readonly nowMs: number;
}

/** An order is on record before its money lands, by clocks that may differ. */
const READ_BEFORE_MS = 3_600_000;

/** @throws {ScripError} CHAIN_UNREACHABLE; MERCHANT_ERROR when the supplier is away */
export async function auditShop(books: ShopBooks): Promise<AuditReport> {
  const { store, nodes, refundWallet, feePayer, sinceMs, nowMs } = books;
  const fromMs = sinceMs === undefined ? 0 : sinceMs - READ_BEFORE_MS;
  const owners = await ownersOf(books);
  const sellers = await sellersOf(books, new Set(owners));
  const histories: History[] = [];
  const differences: Finding[] = [];
  for (const owner of [
    ...owners,
    ...sellers,
    ...(refundWallet === undefined ? [] : [refundWallet]),
  ]) {
    const told = await Promise.all(
      nodes.map((node) =>
        changesOf(node, associatedTokenAddress(owner, USDC_MINT), USDC_MINT, fromMs),
      ),
    );
    const [own = [], ...others] = told;
    histories.push({ owner, changes: own });
    for (const other of others) differences.push(...differencesOf(owner, { own, other, nowMs }));
  }
  return store.snapshot(async (tables) => {
    const isSeller = ({ owner }: History) => sellers.includes(owner);
    const own = histories.filter((one) => !isSeller(one));
    const unknown = await unrecorded(tables, own, nowMs);
    const landed = await landedOf(
      tables,
      own.filter(({ owner }) => owner !== refundWallet),
    );
    // Its other business has other fee payers.
    const isOurs = (one: BalanceChange) => one.feePayer === feePayer;
    await addSales(tables, landed, { histories: histories.filter(isSeller), isOurs });
    const evidence = {
      landed,
      isOld: ({ atMs }: Transfer) => nowMs - atMs > OPEN_MS,
      readAtMs: nowMs,
      credited: async (transaction: string, account: string) => {
        const of = { account, mint: USDC_MINT };
        const sums = nodes.map(
          async (node) => (await receivedIn(node, transaction, of))?.amountAtomic ?? 0n,
        );
        const [first = 0n, ...more] = await Promise.all(sums);
        return more.every((sum) => sum === first) ? first : 0n;
      },
      played: async () => 0n,
      supplier: books.supplierLedger(tables),
      operated: 'serve',
      sinceMs,
      nowMs,
    } as const;
    return auditTables(tables, evidence, [...differences, ...unknown]);
  });
}

/**
 * What a final transaction brought to receiving accounts and pays for nothing; 0 if it is another one, or if nodes
 * show it differently.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function spareIn(
  books: Pick<ShopBooks, 'store' | 'nodes' | 'draw' | 'treasury'>,
  transaction: string,
): Promise<bigint> {
  const owners = [...(await ownersOf(books)), books.treasury];
  const accounts = owners.map((owner) => associatedTokenAddress(owner, USDC_MINT));
  const [own, ...others] = await Promise.all(
    books.nodes.map((node) => changesIn(node, transaction, { accounts, mint: USDC_MINT })),
  );
  const amounts = (told: typeof own) => told?.map(({ change }) => change).join();
  if (own === undefined || others.some((told) => amounts(told) !== amounts(own))) return 0n;
  return books.store.snapshot(async (tables) => {
    const histories = owners.map((owner, at) => ({ owner, changes: own.slice(at, at + 1) }));
    const landed = await landedOf(tables, histories.slice(0, -1));
    await addSales(tables, landed, { histories: histories.slice(-1), isOurs: () => true });
    const { bySession, forgotten } = landed;
    let spare = sumOf(forgotten);
    for (const [sessionId, transfers] of bySession) {
      const settlement = await tables.settlements.bySession(sessionId);
      for (const transfer of transfers) spare += await spareOf(tables, settlement, transfer);
    }
    return spare;
  });
}

interface History {
  readonly owner: string;
  readonly changes: readonly BalanceChange[];
}

/** Accounts that a restored older copy of the records may not know. */
const BEYOND = 100;

async function ownersOf({
  store,
  nodes,
  draw,
}: Pick<ShopBooks, 'store' | 'nodes' | 'draw'>): Promise<readonly string[]> {
  const { receivingAccounts } = store.tables;
  const rows = await receivingAccounts.all();
  const start = await receivingAccounts.nextPosition();
  const next = Array.from({ length: BEYOND }, (_, at) => ownerAt({ draw }, start + at).address);
  const accounts = await nodes[0].tokenAccounts(
    next.map((owner) => associatedTokenAddress(owner, USDC_MINT)),
  );
  const forgotten = next.filter((_owner, at) => accounts[at] != null);
  return [...rows.map(({ owner }) => owner), ...forgotten];
}

/** Where sales over x402 are paid: the treasury, and the one before it. */
async function sellersOf(
  { store: { tables }, treasury }: Pick<ShopBooks, 'store' | 'treasury'>,
  owners: ReadonlySet<string>,
): Promise<readonly string[]> {
  const found = new Set([treasury]);
  for await (const row of tables.settlements.rows()) {
    const payTo = (await tables.sessions.byId(row.sessionId))?.payTo;
    if (payTo !== undefined && !owners.has(payTo)) found.add(payTo);
  }
  return [...found];
}

/** What only one of two nodes shows, but for the newest transactions. */
function differencesOf(
  owner: string,
  told: {
    readonly own: readonly BalanceChange[];
    readonly other: readonly BalanceChange[];
    readonly nowMs: number;
  },
): readonly Finding[] {
  const { own, other, nowMs } = told;
  const seen = (changes: readonly BalanceChange[]) =>
    new Map(changes.map(({ transaction, change }) => [transaction, change]));
  const [mine, theirs] = [seen(own), seen(other)];
  const old = [...own, ...other].filter(({ atMs }) => nowMs - atMs > OPEN_MS);
  const ids = new Set(old.map(({ transaction }) => transaction));
  return [...ids]
    .filter((id) => mine.get(id) !== theirs.get(id))
    .map((id) => ({
      kind: 'nodes_differ',
      order_id: null,
      subject: id,
      expected: `${usdc(mine.get(id) ?? 0n)} of ${owner}`,
      found: usdc(theirs.get(id) ?? 0n),
    }));
}

/** Money that left by a transfer which the shop did not record before it sent it. */
async function unrecorded(
  { claims }: Tables,
  histories: readonly History[],
  nowMs: number,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { owner, changes } of histories) {
    for (const { transaction, change, atMs } of changes) {
      if (change > 0n || nowMs - atMs <= OPEN_MS) continue;
      if ((await claims.byTransaction(transaction)) !== undefined) continue;
      findings.push({
        ...{ kind: 'transfer_unrecorded', order_id: null, subject: transaction },
        ...{ expected: 'a transfer on record', found: `${usdc(-change)} from ${owner}` },
      });
    }
  }
  return findings;
}

interface Found extends Landed {
  readonly bySession: Map<string, Transfer[]>;
  readonly forgotten: Transfer[];
  transactions: number;
  transfers: number;
}

/**
 * Adds what came to addresses that have other business too: what settled a session, or was countersigned for one.
 * @param isOurs whether money without any record is the shop's to explain
 */
async function addSales(
  tables: Tables,
  landed: Found,
  sales: {
    readonly histories: readonly History[];
    readonly isOurs: (change: BalanceChange) => boolean;
  },
): Promise<void> {
  const known = await settledBy(tables);
  for (const { owner, changes } of sales.histories) {
    const account = associatedTokenAddress(owner, USDC_MINT);
    for (const one of changes) {
      const { transaction, change, atMs } = one;
      if (change <= 0n) continue;
      const claim = await tables.claims.byTransaction(transaction);
      const countersigned = claim && (await tables.settlements.byMessage(claim.messageHash));
      const sessionId = known.get(`${transaction} ${owner}`) ?? countersigned?.sessionId;
      // Otherwise a claim is of a transfer to the treasury.
      if (sessionId === undefined && (claim !== undefined || !sales.isOurs(one))) continue;
      landed.transactions += 1;
      landed.transfers += 1;
      const transfer = { transaction, account, amountAtomic: change, atMs };
      if (sessionId === undefined) landed.forgotten.push(transfer);
      else add(landed.bySession, sessionId, transfer);
    }
  }
}

/** Money counts for the order that has its transaction on record, else for the one that leases the account. */
async function landedOf(tables: Tables, histories: readonly History[]): Promise<Found> {
  const payments = await paymentsOnRecord(tables);
  const landed = {
    bySession: new Map<string, Transfer[]>(),
    byPartnerOrder: new Map<string, Transfer[]>(),
    forgotten: [] as Transfer[],
    transactions: 0,
    transfers: 0,
  };
  for (const { owner, changes } of histories) {
    landed.transactions += changes.length;
    const account = associatedTokenAddress(owner, USDC_MINT);
    const row = await tables.receivingAccounts.byOwner(owner);
    for (const { transaction, change, atMs } of changes) {
      if (change <= 0n) continue;
      landed.transfers += 1;
      const transfer = { transaction, account, amountAtomic: change, atMs };
      // Blocks tell whole seconds.
      const isOfLease = atMs + 1_000 > (row?.leasedAtMs ?? Number.POSITIVE_INFINITY);
      const lease = isOfLease ? row?.lease : undefined;
      const known = payments.get(`${transaction} ${owner}`) ?? payments.get(transaction);
      if (known !== undefined) add(landed.byPartnerOrder, known, transfer);
      else {
        // What the service does not look for any more, such as a second payment of what is delivered, pays nothing.
        const order = await tables.partnerOrders.byId(idOf(lease ?? null));
        if (order !== undefined && order.nextLookAtMs !== null)
          add(landed.byPartnerOrder, order.orderId, transfer);
        else landed.forgotten.push({ ...transfer, orderId: order?.orderId });
      }
    }
  }
  return landed;
}

function add(map: Map<string, Transfer[]>, key: string, transfer: Transfer): void {
  map.set(key, [...(map.get(key) ?? []), transfer]);
}

/** Which order has a transaction on record. One transaction may pay two orders, each at its own account. */
async function paymentsOnRecord({ partnerOrders }: Tables): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  for await (const row of partnerOrders.rows()) {
    const transactions: readonly string[] = JSON.parse(row.transactions);
    for (const transaction of transactions) {
      const { walletAddress } = row;
      const key = walletAddress === null ? transaction : `${transaction} ${walletAddress}`;
      known.set(key, row.orderId);
    }
  }
  return known;
}

/** Sessions by the transaction that settled them and the address that it paid. */
async function settledBy({ settlements, sessions }: Tables): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>();
  for await (const row of settlements.rows()) {
    if (row.transaction === null) continue;
    const session = await sessions.byId(row.sessionId);
    known.set(`${row.transaction} ${session?.payTo ?? ''}`, row.sessionId);
  }
  return known;
}

function usdc(amountAtomic: bigint): string {
  const sign = amountAtomic < 0n ? '-' : '';
  const size = atomic(amountAtomic < 0n ? -amountAtomic : amountAtomic);
  return `${sign}${formatDecimal(size, USDC_DECIMALS)} USDC`;
}
