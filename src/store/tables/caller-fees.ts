/** Network fees paid for other hosts: nothing writes them any more, but databases have the table. */
import { createIndex, createTable, inTurn } from '../columns.ts';

declare module '../database.ts' {
  interface Database {
    readonly callerFees: Readonly<Record<'messageHash' | 'caller' | 'day' | 'lamports', string>>;
  }
}

export const createCallerFees = inTurn(
  createTable('callerFees', {
    messageHash: 'text key',
    caller: 'text',
    day: 'text',
    lamports: 'text',
  }),
  createIndex('caller_fees_of_day', 'callerFees', ['day', 'caller']),
);
