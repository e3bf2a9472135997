import type { Kysely } from 'kysely';
import type { ClaimRow, Claims } from '../claims.ts';
import type { Database } from '../database.ts';
import { statement } from './statement.ts';

const BY_MESSAGE = statement((db, { messageHash }: Pick<ClaimRow, 'messageHash'>) =>
  db.selectFrom('claims').selectAll().where('messageHash', '=', messageHash),
);

const CLAIM = statement((db, row: ClaimRow) =>
  db
    .insertInto('claims')
    .values(row)
    .onConflict((conflict) => conflict.column('messageHash').doNothing()),
);

const DECIDE = statement(
  (db, { messageHash, ...after }: Pick<ClaimRow, 'messageHash' | 'state' | 'reason'>) =>
    db
      .updateTable('claims')
      .set(after)
      .where('messageHash', '=', messageHash)
      .where('state', '=', 'submitting')
      .returningAll(),
);

export function claimsIn(db: Kysely<Database>): Claims {
  const byMessage: Claims['byMessage'] = (messageHash) => BY_MESSAGE.first(db, { messageHash });
  return {
    byMessage,
    byTransaction: (transaction) =>
      db.selectFrom('claims').selectAll().where('transaction', '=', transaction).executeTakeFirst(),
    claim: async (row) => {
      if (await CLAIM.changesOne(db, row)) return row;
      return (await byMessage(row.messageHash)) ?? row;
    },
    decide: async (messageHash, state, reason) =>
      (await DECIDE.first(db, { messageHash, state, reason })) ?? byMessage(messageHash),
  };
}
