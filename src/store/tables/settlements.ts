/** Payments to the checkout host, and when each is tried next. */
import { type RawBuilder, sql } from 'kysely';
import { ANY, type DueWork, type Term } from '../due-work.ts';
import { type Db, statement } from '../statement.ts';
import { inTurn } from '../steps.ts';
import { equal, table } from '../table.ts';
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

/** Unique columns allow one settlement per message, session, order and transaction, even in a race. */
export const createSettlements = inTurn(
  settlements.create({
    messageHash: 'text key',
    sessionId: 'text unique',
    orderId: 'text unique',
    payload: 'text',
    payer: 'text',
    state: 'text',
    transaction: 'text unique?',
    reason: 'text?',
    createdAtMs: 'bigint',
    settledAtMs: 'bigint?',
  }),
  settlements.index('settlements_by_state', ['state', 'createdAtMs']),
);

/** The buyer's payment ids, unique among settlements that have not failed. */
export const namePayments = inTurn(
  settlements.add('paymentId', 'text'),
  settlements.index('settlements_by_payment_id', ['paymentId'], {
    isUnique: true,
    where: sql`${sql.ref('state')} != 'failed'`,
  }),
);

/** Longer than a facilitator follows one message. */
export const FIRST_TRY_MS = 10_000;

const OF_PAYMENT = statement(
  ({ sessionId, messageHash }: SettlementKeys) => sql<SettlementRow>`
    select * from settlements where session_id = ${sessionId} or message_hash = ${messageHash}`,
);

type SettlementKeys = Pick<SettlementRow, 'sessionId' | 'messageHash'>;

const BY_PAYMENT_ID = statement(
  ({ paymentId }: { readonly paymentId: string }) => sql<SettlementRow>`
    select * from settlements where payment_id = ${paymentId} and state <> 'failed'`,
);

const NAME = statement(
  ({ messageHash, paymentId }: Pick<SettlementRow, 'messageHash' | 'paymentId'>) => sql`
    update settlements set payment_id = ${paymentId}
    where message_hash = ${messageHash} and payment_id is null`,
);

const DECIDE = statement(
  ({ messageHash, ...outcome }: Outcome) => sql<SettlementRow>`
    update settlements set ${equal(outcome, sql`, `)}
    where message_hash = ${messageHash} and state = ${'submitting'} returning *`,
);

type Outcome = Pick<
  SettlementRow,
  'messageHash' | 'state' | 'transaction' | 'reason' | 'settledAtMs'
>;

interface Due {
  readonly atMs: number;
  /** When the first try of a settlement created then has ended. */
  readonly bornMs: number;
  readonly limit: number;
}

const dueRows = ({ atMs, bornMs, limit }: Due) => sql<SettlementTry>`
  select settlements.*, coalesce(tries.attempts, 0) as attempts
  from settlements left join tries on tries.name = settlements.message_hash
  where settlements.state = ${'submitting'} and (
    tries.next_attempt_at_ms <= ${atMs}
    or (tries.name is null and settlements.created_at_ms <= ${bornMs})
  )
  order by coalesce(tries.next_attempt_at_ms, settlements.created_at_ms), settlements.message_hash
  limit ${limit}`;

const DUE = statement((due: Due) => dueRows(due));

interface LeaseTerm extends Due {
  readonly untilMs: number;
}

const leasing = (lock: RawBuilder<unknown>) =>
  statement(
    ({ untilMs, ...due }: LeaseTerm) => sql<Pick<TryRow, 'name'>>`
      with due_work as materialized (${dueRows(due)} ${lock})
      insert into tries (name, attempts, next_attempt_at_ms)
      select message_hash, 1, cast(${untilMs} as bigint) from due_work where true
      on conflict (name) do update
      set attempts = tries.attempts + 1, next_attempt_at_ms = excluded.next_attempt_at_ms
      where tries.next_attempt_at_ms <= ${due.atMs}
      returning name`,
  );

const LEASE = leasing(sql``);

const LEASE_LOCKED = leasing(sql`for update of settlements skip locked`);

const FREE = statement(
  ({ atMs, untilMs }: Pick<Term, 'atMs' | 'untilMs'>) => sql`
    with held as materialized (${dueRows({ atMs: untilMs, bornMs: untilMs, limit: ANY })})
    insert into tries (name, attempts, next_attempt_at_ms)
    select message_hash, attempts, cast(${atMs} as bigint) from held where true
    on conflict (name) do update set next_attempt_at_ms = excluded.next_attempt_at_ms
    where tries.next_attempt_at_ms > ${atMs}`,
);

const TRIES = statement(
  ({ names }: { readonly names: readonly string[] }) => sql<SettlementTry>`
    select settlements.*, tries.attempts
    from settlements inner join tries on tries.name = settlements.message_hash
    where tries.name in (${sql.join(names)})`,
);

const PUT_OFF = statement(
  ({ name, attempts, nextAttemptAtMs }: TryRow) => sql`
    insert into tries (name, attempts, next_attempt_at_ms)
    values (${name}, ${attempts}, ${nextAttemptAtMs})
    on conflict (name) do update set next_attempt_at_ms = excluded.next_attempt_at_ms
    where tries.attempts = ${attempts}`,
);

const WAKE = statement(
  ({ orderId, atMs }: { readonly orderId: string; readonly atMs: number }) => sql`
    insert into tries (name, attempts, next_attempt_at_ms)
    select message_hash, 0, cast(${atMs} as bigint) from settlements
    where order_id = ${orderId} and state = 'submitting'
    on conflict (name) do update set next_attempt_at_ms = excluded.next_attempt_at_ms`,
);

/**
 * Due is what is `submitting`: the request that pays holds the first lease, for `FIRST_TRY_MS` from
 * when the row was created.
 */
export function settlementsIn(db: Db, locksRows: boolean) {
  type Found = Promise<SettlementRow | undefined>;
  const { insert, first } = settlements.in(db);
  const work: DueWork<SettlementTry> = {
    due: (atMs, limit) => DUE.all(db, { atMs, bornMs: atMs - FIRST_TRY_MS, limit }),
    lease: async ({ atMs, untilMs, limit }) => {
      const term = { atMs, bornMs: atMs - FIRST_TRY_MS, untilMs, limit };
      const leased = await (locksRows ? LEASE_LOCKED : LEASE).all(db, term);
      const names = leased.map(({ name }) => name);
      return names.length === 0 ? [] : TRIES.all(db, { names });
    },
    free: (term) => FREE.run(db, term),
  };
  return {
    ...work,
    insert,
    bySession: (sessionId: string) => first({ sessionId }),
    byMessage: (messageHash: string) => first({ messageHash }),
    /** Returns the settlement of the session, or else the one of the message. */
    ofPayment: async ({ sessionId, messageHash }: SettlementKeys): Found => {
      const rows = await OF_PAYMENT.all(db, { sessionId, messageHash });
      return rows.find((row) => row.sessionId === sessionId) ?? rows[0];
    },
    /** Returns the settlement with this id that has not failed. */
    byPaymentId: (paymentId: string): Found => BY_PAYMENT_ID.first(db, { paymentId }),
    /**
     * Sets the buyer's id of a settlement that has none.
     * @throws {ScripError} RECORD_EXISTS when another settlement has it
     */
    name: (messageHash: string, paymentId: string) => NAME.run(db, { messageHash, paymentId }),
    /** Changes the state from `submitting` and returns the row; undefined if another process already did. */
    decide: (
      messageHash: string,
      { state, transaction, reason, settledAtMs }: Omit<Outcome, 'messageHash'>,
    ): Found => DECIDE.first(db, { messageHash, state, transaction, reason, settledAtMs }),
    /** Ends the lease of a settlement that is not decided yet, unless another try has begun. */
    putOff: (
      { messageHash, attempts }: Pick<SettlementTry, 'messageHash' | 'attempts'>,
      nextAttemptAtMs: number,
    ) => PUT_OFF.run(db, { name: messageHash, attempts, nextAttemptAtMs }),
    /** Makes an undecided settlement of an order due; false if it has none. */
    wake: (orderId: string, atMs: number) => WAKE.changesOne(db, { orderId, atMs }),
  };
}
