/**
 * The accounts that orders of the partner API are paid to. An address belongs to one order for good, so no payment
 * is taken for another's, however late it comes. What is limited is the rent: once the order needs its account no
 * more and the money is in the treasury, the account is closed, and its rent is back.
 */

import { SOLANA_MAINNET, USDC_MINT } from '../contract/x402.ts';
import { expected } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import { atomic, parseSol } from '../domain/money/money.ts';
import type { ReceivingRail } from '../rails/merchant-rail.ts';
import type { Signer } from '../rails/rail.ts';
import { associatedTokenAddress } from '../rails/solana/address.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';
import { closeForPayments, OPENING_RENT, openForPayments } from '../rails/solana/open-account.ts';
import type { SolanaRpc } from '../rails/solana/rpc.ts';
import { formatUsdc } from '../rails/terms.ts';
import { metricLines } from '../service/http/observation.ts';
import { leaseDue } from '../service/lease-due.ts';
import type { ShopTransfers } from '../service/refunds/shop-transfers.ts';
import type { Store } from '../store/store.ts';
import type { Lease, ReceivingAccountRow } from '../store/tables/receiving-accounts.ts';
import { createCallers, isNeeded, isUnpaid, isWatched } from './leases.ts';
import type { Draw } from './secrets.ts';
import type { ShopConfig } from './shop-config.ts';

export interface AccountLimits {
  /** Accounts that are open at a time. */
  readonly most: number;
  /** Accounts that are opened before they are needed. */
  readonly spare: number;
  /** How many that were opened in a day (UTC) may be open still: their rent is limited. */
  readonly mostADay: number;
  /** How long closed accounts are looked at for money that comes late. */
  readonly lateMs: number;
}

export function accountLimits({ accounts }: Pick<ShopConfig, 'accounts'>): AccountLimits {
  return {
    most: accounts.most,
    spare: accounts.spare,
    mostADay: Number(parseSol(accounts.rent_per_day_sol) / OPENING_RENT),
    lateMs: accounts.late_payment_hours * 3_600_000,
  };
}

export interface AccountOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly rail: ReceivingRail;
  readonly treasury: string;
  readonly transfers: ShopTransfers;
  readonly limits: AccountLimits;
  report(error: unknown): void;
}

const DAY_MS = 86_400_000;
const MAINTAIN_MS = 5_000;
const FOLLOW_MS = 2_000;
const FULL_RETRY_MS = 60_000;
/** Money that comes to a closed account opens it: so often they are looked at. */
const LATE_LOOK_MS = 3_600_000;
/** From this share of what may be open on, the operator is warned. */
const SHORT_PERCENT = 80;

export function createAccounts(options: AccountOptions) {
  const { store, clock, limits, rail, report } = options;
  const { network } = rail;
  const { receivingAccounts } = store.tables;
  const callers = createCallers();
  let lateAtMs = 0;
  /** When each transfer to the treasury was followed last. */
  const followed = new Map<string, number>();
  let use: AccountUse | undefined;

  /** Closes the account of an unpaid order; false if it is paid, or another server was first. */
  async function giveUp(row: ReceivingAccountRow): Promise<boolean> {
    if (row.sweep !== null || !(await isUnpaid(store.tables, row))) return false;
    const [amount] = await rail.held([row.owner]);
    if (amount) return false;
    return close(options, row).catch(
      // Money came meanwhile, so the chain did not close it.
      expected((error) => {
        report(error);
        return false;
      }),
    );
  }

  async function makeRoom(caller: string, tried: Set<string>): Promise<boolean> {
    const rows = await receivingAccounts.open(network);
    for (const row of callers.givers(rows, caller)) {
      if (tried.has(row.owner)) continue;
      tried.add(row.owner);
      if (await giveUp(row)) return true;
    }
    return false;
  }

  return {
    /**
     * Gives an order an account of its own, which is on the chain and empty when the promise resolves; returns its
     * owner. When no more may be open, an unpaid order of the network that has most loses its account: it stays an
     * order, and what is sent to its address is still its payment.
     * @param caller the network of who orders
     * @throws {ScripError} CHAIN_UNREACHABLE; SHOP_FULL
     */
    async lease(lease: Lease, caller: string = '') {
      const tried = new Set<string>();
      for (;;) {
        const rows = await receivingAccounts.open(network);
        const row =
          rows.find((one) => isSpare(one) && !tried.has(one.owner)) ?? (await addRow(options));
        if (row === undefined) {
          if (await makeRoom(caller, tried)) continue;
          throw full();
        }
        tried.add(row.owner);
        if (!(await prepare(options, row, lease))) continue;
        callers.note(row.owner, caller);
        return row.owner;
      }
    },
    /** The last transaction of the account before its order. */
    baselineOf: async (owner: string) =>
      (await receivingAccounts.byOwner(owner))?.baseline ?? undefined,
    /** Sees how many are open, for `shortage` and `use`. */
    async measure() {
      use = useOf(await receivingAccounts.open(network), limits, clock.now());
    },
    /** Sweeps and closes accounts, and opens spare ones. */
    async maintain() {
      const atMs = clock.now();
      if (atMs >= lateAtMs) {
        await findLate(options);
        lateAtMs = atMs + LATE_LOOK_MS;
      }
      const rows = await receivingAccounts.open(network);
      const due = rows.filter(({ sweep }) => {
        if (atMs < (followed.get(sweep ?? '') ?? 0) + rail.followEveryMs) return false;
        if (sweep !== null) followed.set(sweep, atMs);
        return true;
      });
      for (const sweep of followed.keys()) {
        if (!rows.some((row) => row.sweep === sweep)) followed.delete(sweep);
      }
      const held = await rail.held(due.map(({ owner }) => owner));
      const results = await Promise.allSettled(
        due.map((row, index) => advance(options, row, held[index] ?? 0n)),
      );
      for (const result of results) if (result.status === 'rejected') report(result.reason);
      if (rows.filter(isSpare).length >= limits.spare) return;
      const added = await addRow(options);
      if (added !== undefined) await rail.open(added.owner);
    },
    /** Why it may refuse orders soon; null while there is room. */
    shortage: () => (use === undefined ? null : shortageOf(use)),
    use: () => use,
  };
}

export type Accounts = ReturnType<typeof createAccounts>;

/** Looks after the accounts of all networks, and the shop's books, if it is due and no other server does. */
export function createMaintenance(
  { store, clock, report }: Pick<AccountOptions, 'store' | 'clock' | 'report'>,
  networks: readonly Pick<Accounts, 'measure' | 'maintain'>[],
): () => Promise<void> {
  let nextAtMs = 0;
  return async () => {
    const atMs = clock.now();
    if (atMs < nextAtMs) return;
    nextAtMs = atMs + MAINTAIN_MS;
    for (const accounts of networks) await accounts.measure();
    const term = { atMs, untilMs: nextAtMs, limit: 1 };
    if ((await leaseDue(store, ({ chores }) => chores, term)).length === 0) return;
    for (const accounts of networks) await accounts.maintain().catch(report);
  };
}

/** Metrics of the accounts; the lines of the first network have no label of it. */
export function accountLines(
  networks: readonly { readonly network: string; readonly accounts: Accounts }[],
): readonly string[] {
  const uses = networks.flatMap(({ network, accounts }, at) => {
    const use = accounts.use();
    return use === undefined ? [] : [{ ...use, labels: at === 0 ? {} : { network } }];
  });
  if (uses.length === 0) return [];
  return [
    ...metricLines(
      'scrip_receiving_accounts',
      'gauge',
      uses.flatMap(({ used, spare, labels }) => [
        { labels: { state: 'used', ...labels }, value: used },
        { labels: { state: 'spare', ...labels }, value: spare },
      ]),
    ),
    ...metricLines(
      'scrip_receiving_accounts_limit',
      'gauge',
      uses.map(({ limit: value, labels }) => ({ labels, value })),
    ),
  ];
}

/** How many accounts are open, and may be. */
export interface AccountUse {
  readonly used: number;
  readonly spare: number;
  readonly limit: number;
}

export function useOf(
  rows: readonly ReceivingAccountRow[],
  limits: AccountLimits,
  nowMs: number,
): AccountUse {
  const spare = rows.filter(isSpare).length;
  const limit = Math.min(limits.most, rows.length + Math.max(0, affordable(rows, limits, nowMs)));
  return { used: rows.length - spare, spare, limit };
}

/** How many more the rent of the day allows. */
function affordable(
  rows: readonly ReceivingAccountRow[],
  { mostADay }: AccountLimits,
  nowMs: number,
): number {
  const today = nowMs - (nowMs % DAY_MS);
  const opened = rows.filter(({ createdAtMs }) => createdAtMs >= today).length;
  return mostADay - opened;
}

export function shortageOf({ used, limit }: AccountUse): Message | null {
  if (used >= limit) return t`No orders are accepted: all ${limit} receiving accounts are in use`;
  if (used * 100 < limit * SHORT_PERCENT) return null;
  return t`${used} of ${limit} receiving accounts are in use`;
}

/** Ours: a paid order needs its account until it is paid, the money is moved and the account is closed. */
const PAID_ORDER_MINUTES = 5;
const DAY_MINUTES = 1_440;

/** How many orders a day so many accounts carry. */
export function ordersPerDay(
  { limit }: Pick<AccountUse, 'limit'>,
  windowMs: number,
): { readonly paid: number; readonly unpaid: number } {
  const unpaidMinutes = windowMs / 60_000 + 2;
  return {
    paid: Math.floor((limit * DAY_MINUTES) / PAID_ORDER_MINUTES),
    unpaid: Math.floor((limit * DAY_MINUTES) / unpaidMinutes),
  };
}

/** Open, and no order ever had it. */
function isSpare({ lease }: ReceivingAccountRow): boolean {
  return lease === null;
}

function full(): ScripError {
  return new ScripError(
    'SHOP_FULL',
    t`No orders are accepted: every receiving account is in use, and no more may be opened today`,
    { details: { retryAfterMs: FULL_RETRY_MS } },
  );
}

/** The wallet that owns the receiving account on Solana with this number. */
export function ownerAt(draw: Draw, position: number): Signer {
  return signerFromSeed(draw(`receive ${position}`));
}

/** Accounts on Solana, whose rent the fee payer pays. */
export function solanaReceiving({
  draw,
  ...opening
}: {
  readonly rpc: SolanaRpc;
  readonly clock: Clock;
  readonly feePayer: Signer;
  readonly draw: Draw;
}): ReceivingRail {
  const { rpc } = opening;
  const accountOf = (owner: string) => associatedTokenAddress(owner, USDC_MINT);
  return {
    network: SOLANA_MAINNET,
    followEveryMs: 0,
    ownerAt: (position) => ownerAt(draw, position),
    open: (owner) => openForPayments(opening, owner),
    close: (owner) => closeForPayments(opening, owner),
    async held(owners) {
      const accounts = await rpc.tokenAccounts(owners.map(accountOf));
      return accounts.map((account) => account?.amount ?? null);
    },
    async baselineOf(owner) {
      const options = { commitment: 'confirmed', limit: 1 } as const;
      const [last] = await rpc.signaturesForAddress(accountOf(owner), options);
      return last?.signature ?? null;
    },
  };
}

/** On record before its rent is paid; undefined where the limits allow no more. */
function addRow(options: AccountOptions): Promise<ReceivingAccountRow | undefined> {
  const { store, clock, limits, rail } = options;
  const { network } = rail;
  return store.write(async ({ receivingAccounts, holds }) => {
    await holds.take('fact receiving accounts');
    const rows = await receivingAccounts.open(network);
    const nowMs = clock.now();
    if (rows.length >= limits.most || affordable(rows, limits, nowMs) < 1) return undefined;
    const position = await receivingAccounts.nextPosition();
    const row: ReceivingAccountRow = {
      owner: rail.ownerAt(position).address,
      network,
      position,
      lease: null,
      leasedAtMs: null,
      baseline: null,
      sweep: null,
      closedAtMs: null,
      createdAtMs: nowMs,
      version: 0,
    };
    await receivingAccounts.insert(row);
    return row;
  });
}

/**
 * Takes the lease first, so that no other order has the account meanwhile. False when another was first,
 * or when money has come to it since.
 */
async function prepare(
  options: AccountOptions,
  row: ReceivingAccountRow,
  lease: Lease,
): Promise<boolean> {
  const { store, rail, clock } = options;
  const { receivingAccounts } = store.tables;
  const { owner, version } = row;
  if (!(await receivingAccounts.update(row, { lease, leasedAtMs: clock.now() }))) return false;
  const leased = { owner, version: version + 1 };
  await rail.open(owner);
  const [amount] = await rail.held([owner]);
  if (amount) {
    await leaseToLate(options, { ...row, ...leased }, amount);
    return false;
  }
  return receivingAccounts.update(leased, { baseline: await rail.baselineOf(owner) });
}

/** Money that no order expects: it goes to the treasury. */
async function leaseToLate(
  options: AccountOptions,
  row: ReceivingAccountRow,
  amount: bigint,
): Promise<void> {
  const lease = { lease: 'late', leasedAtMs: options.clock.now() } as const;
  if (!(await options.store.tables.receivingAccounts.update(row, lease))) return;
  reportLate(options, { owner: row.owner, order: 'none', amount });
}

/** The operator learns which order late money is for. */
function reportLate(
  { report }: AccountOptions,
  late: { readonly owner: string; readonly order: string; readonly amount: bigint },
): void {
  const { owner, order, amount } = late;
  report(
    new ScripError(
      'MERCHANT_ERROR',
      t`${formatUsdc(atomic(amount))} came to ${owner}, which expects no payment now; it is of: ${order}`,
      { details: { subject: `late ${owner} ${order}` } },
    ),
  );
}

/** Opens the rows of closed accounts that others opened again to send money, once the service does not look itself. */
async function findLate(options: AccountOptions): Promise<void> {
  const { store, rail, clock, limits } = options;
  const { receivingAccounts } = store.tables;
  const rows = await receivingAccounts.closedSince(rail.network, clock.now() - limits.lateMs);
  if (rows.length === 0) return;
  const held = await rail.held(rows.map(({ owner }) => owner));
  for (const [index, row] of rows.entries()) {
    const amount = held[index] ?? null;
    if (amount === null || (await isWatched(store.tables, row))) continue;
    if (!(await receivingAccounts.update(row, { closedAtMs: null }))) continue;
    if (amount > 0n) {
      reportLate(options, {
        owner: row.owner,
        order: row.lease ?? 'none',
        amount,
      });
    }
  }
}

async function advance(
  options: AccountOptions,
  row: ReceivingAccountRow,
  amount: bigint,
): Promise<void> {
  const { store, clock } = options;
  if (row.sweep !== null) return followSweep(options, row, row.sweep);
  if (row.lease === null && amount > 0n) return leaseToLate(options, row, amount);
  if (isSpare(row)) return;
  const isLeased = row.lease !== null;
  if (isLeased && (await isNeeded(store.tables, row, { amount, nowMs: clock.now() }))) return;
  if (amount > 0n) return sweep(options, row, amount);
  await close(options, row);
}

/** Takes the rent back; the account is still its order's. False if another server was first. */
async function close(options: AccountOptions, row: ReceivingAccountRow): Promise<boolean> {
  await options.rail.close(options.rail.ownerAt(row.position));
  const closedAtMs = options.clock.now();
  return options.store.tables.receivingAccounts.update(row, { closedAtMs });
}

async function sweep(
  options: AccountOptions,
  row: ReceivingAccountRow,
  amount: bigint,
): Promise<void> {
  const { transfers, treasury, rail } = options;
  const messageHash = await transfers.begin(
    { owner: rail.ownerAt(row.position), payTo: treasury, amountAtomic: atomic(amount) },
    ({ receivingAccounts }, hash) => receivingAccounts.update(row, { sweep: hash }),
    { isSweep: true },
  );
  if (messageHash === undefined) return;
  await followSweep(options, { ...row, version: row.version + 1 }, messageHash);
}

/** Once the transfer is final or can never land, the account may be swept anew. */
async function followSweep(
  { store, transfers }: AccountOptions,
  row: ReceivingAccountRow,
  messageHash: string,
): Promise<void> {
  if ((await transfers.follow(messageHash, FOLLOW_MS)) === undefined) return;
  await store.tables.receivingAccounts.update(row, { sweep: null });
}
