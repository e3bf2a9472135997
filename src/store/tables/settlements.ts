/** Payments to the checkout host, and when each is tried next. */
import { ANY, type DueWork } from '../due-work.ts';
import { type Db, equal, join, sql, within } from '../sql.ts';
import { table } from '../table.ts';
import type { TryRow } from './tries.ts';

export type SettlementState = 'submitting' | 'settled' | 'failed';

/** A session's only settlement; its message hash is unique over all sessions. */
export interface SettlementRow {
  readonly messageHash: string;
  readonly sessionId: string;
  readonly orderId: string;
  /** JSON of the payment payload, to settle again after a crash. */
  readonly payload: string;
  readonly payer: string;
  /** CAIP-2 id of where it is paid. */
  readonly network: string;
  /** The buyer's id for the payment; at most one settlement with an id has not failed. */
  readonly paymentId: string | null;
  readonly state: SettlementState;
  readonly transaction: string | null;
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly settledAtMs: number | null;
}

/** A settlement at its next try; the first is made by the request that pays, and is not counted. */
export interface SettlementTry extends SettlementRow {
  readonly attempts: number;
}

export const settlements = table<SettlementRow>('settlements', 'messageHash');

/** Longer than a facilitator follows one message. */
export const FIRST_TRY_MS = 10_000;

type SettlementKeys = Pick<SettlementRow, 'sessionId' | 'messageHash'>;

type Outcome = Pick<SettlementRow, 'state' | 'transaction' | 'reason' | 'settledAtMs'>;

/** @param bornMs when the first try of a settlement created then has ended */
const dueRows = (atMs: number, bornMs: number, limit: number) => sql<SettlementTry>`
  select settlements.*, coalesce(tries.attempts, 0) as attempts
  from settlements left join tries on tries.name = settlements.message_hash
  where settlements.state = ${'submitting'} and (
    tries.next_attempt_at_ms <= ${atMs}
    or (tries.name is null and settlements.created_at_ms <= ${bornMs})
  )
  order by coalesce(tries.next_attempt_at_ms, settlements.created_at_ms), settlements.message_hash
  limit ${limit}`;

/**
 * Due is what is `submitting`: the request that pays holds the first lease, for `FIRST_TRY_MS` from
 * when the row was created.
 */
export function settlementsIn(db: Db, locksRows: boolean) {
  type Found = Promise<SettlementRow | undefined>;
  const { insert, first, select, rows } = settlements.in(db);
  const lock = locksRows ? sql`for update of settlements skip locked` : sql``;
  const work: DueWork<SettlementTry> = {
    due: (atMs, limit) => db.all(dueRows(atMs, atMs - FIRST_TRY_MS, limit)),
    lease: async ({ atMs, untilMs, limit }) => {
      const leased = await db.all(sql<Pick<TryRow, 'name'>>`
        with due_work as materialized (${dueRows(atMs, atMs - FIRST_TRY_MS, limit)} ${lock})
        insert into tries (name, attempts, next_attempt_at_ms)
        select message_hash, 1, cast(${untilMs} as bigint) from due_work where true
        on conflict (name) do update
        set attempts = tries.attempts + 1, next_attempt_at_ms = excluded.next_attempt_at_ms
        where tries.next_attempt_at_ms <= ${atMs}
        returning name`);
      if (leased.length === 0) return [];
      return db.all(sql<SettlementTry>`
        select settlements.*, tries.attempts
        from settlements inner join tries on tries.name = settlements.message_hash
        where tries.name in (${join(leased.map(({ name }) => name))})`);
    },
    free: ({ atMs, untilMs }) =>
      db.run(sql`
        with held as materialized (${dueRows(untilMs, untilMs, ANY)})
        insert into tries (name, attempts, next_attempt_at_ms)
        select message_hash, attempts, cast(${atMs} as bigint) from held where true
        on conflict (name) do update set next_attempt_at_ms = excluded.next_attempt_at_ms
        where tries.next_attempt_at_ms > ${atMs}`),
  };
  return {
    ...work,
    insert,
    rows,
    bySession: (sessionId: string) => first({ sessionId }),
    byMessage: (messageHash: string) => first({ messageHash }),
    ofOrders: (orderIds: readonly string[]) =>
      select(sql`where ${within(sql`order_id`, orderIds)}`),
    /** Returns the settlement of the session, or else the one of the message. */
    ofPayment: async ({ sessionId, messageHash }: SettlementKeys): Found => {
      const rows = await select(
        sql`where session_id = ${sessionId} or message_hash = ${messageHash}`,
      );
      return rows.find((row) => row.sessionId === sessionId) ?? rows[0];
    },
    /** Those that a wallet paid or is paying, newest first. */
    ofPayer: (payer: string, limit: number) =>
      select(sql`where payer = ${payer} and state <> 'failed'
        order by created_at_ms desc limit ${limit}`),
    /** Returns the settlement with this id that has not failed. */
    byPaymentId: async (paymentId: string): Found =>
      (await select(sql`where payment_id = ${paymentId} and state <> 'failed'`))[0],
    /**
     * Sets the buyer's id of a settlement that has none.
     * @throws {ScripError} RECORD_EXISTS when another settlement has it
     */
    name: (messageHash: string, paymentId: string) =>
      db.run(sql`update settlements set payment_id = ${paymentId}
        where message_hash = ${messageHash} and payment_id is null`),
    /** Changes the state from `submitting` and returns the row; undefined if another process already did. */
    decide: (messageHash: string, { state, transaction, reason, settledAtMs }: Outcome): Found =>
      db.first(sql<SettlementRow>`
        update settlements set ${equal({ state, transaction, reason, settledAtMs }, ', ')}
        where message_hash = ${messageHash} and state = ${'submitting'} returning *`),
    /** Ends the lease of a settlement that is not decided yet, unless another try has begun. */
    putOff: (
      { messageHash, attempts }: Pick<SettlementTry, 'messageHash' | 'attempts'>,
      nextAttemptAtMs: number,
    ) =>
      db.run(sql`
        insert into tries (name, attempts, next_attempt_at_ms)
        values (${messageHash}, ${attempts}, ${nextAttemptAtMs})
        on conflict (name) do update set next_attempt_at_ms = excluded.next_attempt_at_ms
        where tries.attempts = ${attempts}`),
    /** Makes an undecided settlement of an order due; false if it has none. */
    wake: (orderId: string, atMs: number) =>
      db.changesOne(sql`
        insert into tries (name, attempts, next_attempt_at_ms)
        select message_hash, 0, cast(${atMs} as bigint) from settlements
        where order_id = ${orderId} and state = 'submitting'
        on conflict (name) do update set next_attempt_at_ms = excluded.next_attempt_at_ms`),
  };
}
