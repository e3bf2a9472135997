/**
 * The accounts that orders are paid to. Each is leased to one order; when the order is over and the time
 * for late payments has passed, what it holds is in the treasury and the account is free for another.
 */

import { USDC_MINT } from '../contract/x402.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { atomic } from '../domain/money.ts';
import type { SessionCaller } from '../rails/merchant-rail.ts';
import type { Signer } from '../rails/rail.ts';
import { associatedTokenAddress } from '../rails/solana/address.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';
import type { LeaseStart } from '../rails/solana/merchant-fate.ts';
import { OPENING_RENT, openForPayments } from '../rails/solana/open-account.ts';
import type { SolanaRpc } from '../rails/solana/rpc.ts';
import { formatUsdc } from '../rails/solana/terms.ts';
import { leaseDue } from '../service/lease-due.ts';
import type { ShopTransfers } from '../service/shop-transfers.ts';
import type { Lease, ReceivingAccountRow } from '../storage/receiving-accounts.ts';
import type { Store, Tables } from '../storage/store.ts';
import { createFairLeases, takeBack } from './fair-leases.ts';
import { isOfOrder, leaseState, retire } from './leases.ts';
import type { Draw } from './secrets.ts';

export interface AccountLimits {
  readonly most: number;
  /** Free accounts that are opened before they are needed. */
  readonly spare: number;
  readonly rentLamportsPerDay: bigint;
  /** How long an order of the partner API keeps its account after it is over. */
  readonly lateMs: number;
}

export interface AccountOptions {
  readonly store: Store;
  readonly rpc: SolanaRpc;
  readonly clock: Clock;
  readonly draw: Draw;
  readonly feePayer: Signer;
  readonly treasury: string;
  readonly transfers: ShopTransfers;
  readonly limits: AccountLimits;
  report(error: unknown): void;
}

export interface Accounts {
  /**
   * Leases an account, which is on the chain and empty when the promise resolves; gives its owner. When all are
   * in use, an unpaid session of the network that has most gives its own up.
   * @throws {ScripError} CHAIN_UNREACHABLE; FACILITATOR_UNAVAILABLE when none is free and none may be opened
   */
  lease(lease: Lease, caller?: SessionCaller): Promise<string>;
  /** Undefined while the account is free. */
  leaseOf(owner: string): Promise<LeaseStart | undefined>;
  /** Sweeps and frees accounts, and opens spare ones, if it is due and no other server does. */
  maintain(): Promise<void>;
}

const DAY_MS = 86_400_000;
const MAINTAIN_MS = 5_000;
const FOLLOW_MS = 2_000;
const FULL_RETRY_MS = 60_000;

export function createAccounts(options: AccountOptions): Accounts {
  const { store, clock, limits, report } = options;
  const { receivingAccounts } = store.tables;
  const fair = createFairLeases();
  let nextAtMs = 0;
  return {
    async lease(lease, caller = NO_CALLER) {
      const tried = new Set<string>();
      for (;;) {
        const rows = await receivingAccounts.all();
        if (isOfOrder({ lease }) && rows.filter(isOfOrder).length >= orderShare(limits))
          throw full();
        const row =
          rows.find((one) => one.lease === null && !tried.has(one.owner)) ??
          (await addRow(options));
        const giver = row ?? fair.giver(rows, caller, tried);
        if (giver === undefined) throw full();
        tried.add(giver.owner);
        const free = row ?? (await takeBack(store, giver));
        if (free === undefined || !(await prepare(options, free, lease))) continue;
        if (!isOfOrder({ lease })) fair.note(lease, caller);
        return free.owner;
      }
    },
    async leaseOf(owner) {
      const { leasedAtMs, baseline } = (await receivingAccounts.byOwner(owner)) ?? {};
      if (leasedAtMs == null) return undefined;
      return { atMs: leasedAtMs, baseline: baseline ?? undefined };
    },
    async maintain() {
      const atMs = clock.now();
      if (atMs < nextAtMs) return;
      nextAtMs = atMs + MAINTAIN_MS;
      const term = { atMs, untilMs: nextAtMs, limit: 1 };
      if ((await leaseDue(store, ({ chores }) => chores, term)).length === 0) return;
      const rows = await receivingAccounts.all();
      const accounts = await options.rpc.tokenAccounts(rows.map(({ owner }) => accountOf(owner)));
      const results = await Promise.allSettled(
        rows.map((row, index) => advance(options, row, accounts[index]?.amount ?? 0n)),
      );
      for (const result of results) if (result.status === 'rejected') report(result.reason);
      const free = rows.filter(({ lease }) => lease === null).length;
      if (free >= limits.spare) return;
      const added = await addRow(options);
      if (added !== undefined) await openForPayments(options, added.owner);
    },
  };
}

/** An order of the partner API: it takes its account from the network with most, and keeps it. */
const NO_CALLER: SessionCaller = { network: '', hasPaid: false };

/** Orders of the partner API keep their accounts for days; a quarter is left to sessions. */
function orderShare({ most }: AccountLimits): number {
  return Math.ceil((most * 3) / 4);
}

function full(): ScripError {
  return new ScripError(
    'SHOP_FULL',
    t`No orders are accepted: every receiving account is in use, and no more may be opened today`,
    { details: { retryAfterMs: FULL_RETRY_MS } },
  );
}

function accountOf(owner: string): string {
  return associatedTokenAddress(owner, USDC_MINT);
}

/** The wallet that owns the receiving account with this number. */
export function ownerAt({ draw }: Pick<AccountOptions, 'draw'>, position: number): Signer {
  return signerFromSeed(draw(`receive ${position}`));
}

/** On record before its rent is paid; undefined where the limits allow no more. */
function addRow(options: AccountOptions): Promise<ReceivingAccountRow | undefined> {
  const { store, clock, limits } = options;
  return store.write(async ({ receivingAccounts, holds }) => {
    await holds.take('fact receiving accounts');
    const rows = await receivingAccounts.all();
    const nowMs = clock.now();
    const today = nowMs - (nowMs % DAY_MS);
    const opened = rows.filter(({ createdAtMs }) => createdAtMs >= today).length;
    const rent = BigInt(opened + 1) * OPENING_RENT;
    if (rows.length >= limits.most || rent > limits.rentLamportsPerDay) return undefined;
    const position = rows.length;
    const row: ReceivingAccountRow = {
      owner: ownerAt(options, position).address,
      position,
      lease: null,
      lastLease: null,
      leasedAtMs: null,
      baseline: null,
      sweep: null,
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
  const { store, rpc, clock } = options;
  const { receivingAccounts } = store.tables;
  const { owner, version } = row;
  if (!(await receivingAccounts.update(row, { lease, leasedAtMs: clock.now() }))) return false;
  const leased = { owner, version: version + 1 };
  await openForPayments(options, owner);
  const account = accountOf(owner);
  const amount = (await rpc.tokenAccountBalance(account)) ?? 0n;
  if (amount > 0n) {
    await leaseToLate(options, { ...row, ...leased }, amount);
    return false;
  }
  const [last] = await rpc.signaturesForAddress(account, { commitment: 'confirmed', limit: 1 });
  return receivingAccounts.update(leased, { baseline: last?.signature ?? null });
}

/** Money that no open order expects: it goes to the treasury, and the operator learns which order it may be for. */
async function leaseToLate(
  { store, clock, report }: AccountOptions,
  row: ReceivingAccountRow,
  amount: bigint,
): Promise<void> {
  const lease = { lease: 'late', leasedAtMs: clock.now() } as const;
  if (!(await store.tables.receivingAccounts.update(row, lease))) return;
  const last = row.lastLease ?? 'none';
  report(
    new ScripError(
      'MERCHANT_ERROR',
      t`${formatUsdc(atomic(amount))} came late to ${row.owner}; its last order was: ${last}`,
      { details: { subject: `late ${row.owner} ${last}` } },
    ),
  );
}

async function advance(
  options: AccountOptions,
  row: ReceivingAccountRow,
  amount: bigint,
): Promise<void> {
  if (row.sweep !== null) return followSweep(options, row, row.sweep);
  if (row.lease === null) {
    if (amount > 0n) await leaseToLate(options, row, amount);
    return;
  }
  const { store, clock, limits } = options;
  const state = await leaseState(store.tables, row, { nowMs: clock.now(), lateMs: limits.lateMs });
  if (state === 'open') return;
  if (amount > 0n) return sweep(options, row, amount);
  if (state === 'ended') await free(store, row, row.lease);
}

async function sweep(
  options: AccountOptions,
  row: ReceivingAccountRow,
  amount: bigint,
): Promise<void> {
  const { transfers, treasury } = options;
  const messageHash = await transfers.begin(
    { owner: ownerAt(options, row.position), payTo: treasury, amountAtomic: atomic(amount) },
    ({ receivingAccounts }, hash) => receivingAccounts.update(row, { sweep: hash }),
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

/** Removes the account from its last order, so that no payment for that order is sent to it. */
async function free(store: Store, row: ReceivingAccountRow, lease: Lease): Promise<void> {
  await store.write(async (tables: Tables) => {
    if (lease !== 'late') await tables.holds.take(lease);
    const ended = { lease: null, lastLease: lease, leasedAtMs: null, baseline: null };
    if (await tables.receivingAccounts.update(row, ended)) await retire(tables, lease);
  });
}
