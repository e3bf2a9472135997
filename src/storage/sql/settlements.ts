import type { Kysely } from 'kysely';
import type { SettlementRow, Settlements } from '../checkout-orders.ts';
import type { Database } from '../database.ts';
import { statement } from './statement.ts';

const INSERT = statement((db, row: SettlementRow) => db.insertInto('settlements').values(row));

const BY_SESSION = statement((db, { sessionId }: Pick<SettlementRow, 'sessionId'>) =>
  db.selectFrom('settlements').selectAll().where('sessionId', '=', sessionId),
);

const BY_MESSAGE = statement((db, { messageHash }: Pick<SettlementRow, 'messageHash'>) =>
  db.selectFrom('settlements').selectAll().where('messageHash', '=', messageHash),
);

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
    .where('state', '=', 'submitting'),
);

type Outcome = Pick<
  SettlementRow,
  'messageHash' | 'state' | 'transaction' | 'reason' | 'settledAtMs'
>;

const undecided = (db: Kysely<Database>, limit: number) =>
  db
    .selectFrom('settlements')
    .selectAll()
    .where('state', '=', 'submitting')
    .orderBy('createdAtMs')
    .orderBy('messageHash')
    .limit(limit);

const UNDECIDED = statement((db, { limit }: { readonly limit: number }) => undecided(db, limit));

const UNDECIDED_AFTER = statement(
  (
    db,
    {
      limit,
      last,
    }: {
      readonly limit: number;
      readonly last: Pick<SettlementRow, 'createdAtMs' | 'messageHash'>;
    },
  ) =>
    undecided(db, limit).where((eb) =>
      eb.or([
        eb('createdAtMs', '>', last.createdAtMs),
        eb.and([
          eb('createdAtMs', '=', last.createdAtMs),
          eb('messageHash', '>', last.messageHash),
        ]),
      ]),
    ),
);

export function settlementsIn(db: Kysely<Database>): Settlements {
  return {
    insert: async (row) => {
      await INSERT.run(db, row);
    },
    bySession: (sessionId) => BY_SESSION.first(db, { sessionId }),
    byMessage: (messageHash) => BY_MESSAGE.first(db, { messageHash }),
    byPaymentId: (paymentId) => BY_PAYMENT_ID.first(db, { paymentId }),
    name: async (messageHash, paymentId) => {
      await NAME.run(db, { messageHash, paymentId });
    },
    decide: (messageHash, { state, transaction, reason, settledAtMs }) =>
      DECIDE.changesOne(db, { messageHash, state, transaction, reason, settledAtMs }),
    undecided: (limit, last) => {
      if (last === undefined) return UNDECIDED.all(db, { limit });
      const { createdAtMs, messageHash } = last;
      return UNDECIDED_AFTER.all(db, { limit, last: { createdAtMs, messageHash } });
    },
  };
}
