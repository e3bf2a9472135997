import { type Expression, type Kysely, sql } from 'kysely';
import { FIRST_TRY_MS, type SettlementRow, type Settlements } from '../checkout-orders.ts';
import type { Database, TryRecord } from '../database.ts';
import type { Term } from '../due-work.ts';
import { ANY } from './due-work.ts';
import { ALONE } from './engine.ts';
import { statement, textStatement } from './statement.ts';

const INSERT = statement((db, row: SettlementRow) => db.insertInto('settlements').values(row));

const BY_SESSION = statement((db, { sessionId }: Pick<SettlementRow, 'sessionId'>) =>
  db.selectFrom('settlements').selectAll().where('sessionId', '=', sessionId),
);

const BY_MESSAGE = statement((db, { messageHash }: Pick<SettlementRow, 'messageHash'>) =>
  db.selectFrom('settlements').selectAll().where('messageHash', '=', messageHash),
);

const OF_PAYMENT = statement((db, { sessionId, messageHash }: SettlementKeys) =>
  db
    .selectFrom('settlements')
    .selectAll()
    .where((eb) => eb.or([eb('sessionId', '=', sessionId), eb('messageHash', '=', messageHash)])),
);

type SettlementKeys = Pick<SettlementRow, 'sessionId' | 'messageHash'>;

const BY_PAYMENT_ID = statement((db, { paymentId }: { readonly paymentId: string }) =>
  db
    .selectFrom('settlements')
    .selectAll()
    .where('paymentId', '=', paymentId)
    .where('state', '!=', 'failed'),
);

const NAME = statement((db, { messageHash, paymentId }: Named) =>
  db
    .updateTable('settlements')
    .set({ paymentId })
    .where('messageHash', '=', messageHash)
    .where('paymentId', 'is', null),
);

interface Named {
  readonly messageHash: string;
  readonly paymentId: string;
}

const DECIDE = statement((db, { messageHash, ...outcome }: Outcome) =>
  db
    .updateTable('settlements')
    .set(outcome)
    .where('messageHash', '=', messageHash)
    .where('state', '=', 'submitting')
    .returningAll(),
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

const dueRows = (db: Kysely<Database>, { atMs, bornMs, limit }: Due) =>
  db
    .selectFrom('settlements')
    .leftJoin('tries', 'tries.name', 'settlements.messageHash')
    .selectAll('settlements')
    .select(({ fn, val }) => fn.coalesce('tries.attempts', val(0)).as('attempts'))
    .where('settlements.state', '=', 'submitting')
    .where((eb) =>
      eb.or([
        eb('tries.nextAttemptAtMs', '<=', atMs),
        eb.and([eb('tries.name', 'is', null), eb('settlements.createdAtMs', '<=', bornMs)]),
      ]),
    )
    .orderBy(({ fn }) => fn.coalesce('tries.nextAttemptAtMs', 'settlements.createdAtMs'))
    .orderBy('settlements.messageHash')
    .limit(limit);

const DUE = statement((db, due: Due) => dueRows(db, due));

interface LeaseTerm extends Due {
  readonly untilMs: number;
}

const leasing = (lock: (rows: ReturnType<typeof dueRows>) => Expression<unknown>) =>
  textStatement(
    (db, { untilMs, ...due }: LeaseTerm) => sql<
      Pick<TryRecord, 'name'>
    >`with due_work as materialized ${lock(dueRows(db, due))}
      insert into tries (name, attempts, next_attempt_at_ms)
      select message_hash, 1, cast(${untilMs} as bigint) from due_work where true
      on conflict (name) do update
      set attempts = tries.attempts + 1, next_attempt_at_ms = excluded.next_attempt_at_ms
      where tries.next_attempt_at_ms <= ${due.atMs}
      returning name`,
  );

const LEASE = leasing((rows) => rows);

const LEASE_LOCKED = leasing((rows) => rows.forUpdate('settlements').skipLocked());

const FREE = textStatement(
  (db, { atMs, untilMs }: Pick<Term, 'atMs' | 'untilMs'>) => sql`
    with held as materialized ${dueRows(db, { atMs: untilMs, bornMs: untilMs, limit: ANY })}
    insert into tries (name, attempts, next_attempt_at_ms)
    select message_hash, attempts, cast(${atMs} as bigint) from held where true
    on conflict (name) do update set next_attempt_at_ms = excluded.next_attempt_at_ms
    where tries.next_attempt_at_ms > ${atMs}`,
);

const TRIES = statement((db, { names }: { readonly names: readonly string[] }) =>
  db
    .selectFrom('settlements')
    .innerJoin('tries', 'tries.name', 'settlements.messageHash')
    .selectAll('settlements')
    .select('tries.attempts')
    .where('tries.name', 'in', names),
);

const PUT_OFF = statement((db, { attempts, ...tried }: TryRecord) =>
  db
    .insertInto('tries')
    .values({ ...tried, attempts })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ nextAttemptAtMs: tried.nextAttemptAtMs })
        .where('tries.attempts', '=', attempts),
    ),
);

const WAKE = textStatement(
  (_db, { orderId, atMs }: { readonly orderId: string; readonly atMs: number }) => sql`
    insert into tries (name, attempts, next_attempt_at_ms)
    select message_hash, 0, cast(${atMs} as bigint) from settlements
    where order_id = ${orderId} and state = 'submitting'
    on conflict (name) do update set next_attempt_at_ms = excluded.next_attempt_at_ms`,
);

export function settlementsIn(db: Kysely<Database>, { locksRows } = ALONE): Settlements {
  return {
    insert: async (row) => {
      await INSERT.run(db, row);
    },
    bySession: (sessionId) => BY_SESSION.first(db, { sessionId }),
    byMessage: (messageHash) => BY_MESSAGE.first(db, { messageHash }),
    ofPayment: async ({ sessionId, messageHash }) => {
      const rows = await OF_PAYMENT.all(db, { sessionId, messageHash });
      return rows.find((row) => row.sessionId === sessionId) ?? rows[0];
    },
    byPaymentId: (paymentId) => BY_PAYMENT_ID.first(db, { paymentId }),
    name: async (messageHash, paymentId) => {
      await NAME.run(db, { messageHash, paymentId });
    },
    decide: (messageHash, { state, transaction, reason, settledAtMs }) =>
      DECIDE.first(db, { messageHash, state, transaction, reason, settledAtMs }),
    due: (atMs, limit) => DUE.all(db, { atMs, bornMs: atMs - FIRST_TRY_MS, limit }),
    lease: async ({ atMs, untilMs, limit }) => {
      const term = { atMs, bornMs: atMs - FIRST_TRY_MS, untilMs, limit };
      const leased = await (locksRows ? LEASE_LOCKED : LEASE).all(db, term);
      const names = leased.map(({ name }) => name);
      return names.length === 0 ? [] : TRIES.all(db, { names });
    },
    free: async (term) => {
      await FREE.run(db, term);
    },
    putOff: async ({ messageHash, attempts }, nextAttemptAtMs) => {
      await PUT_OFF.run(db, { name: messageHash, attempts, nextAttemptAtMs });
    },
    wake: (orderId, atMs) => WAKE.changesOne(db, { orderId, atMs }),
  };
}
