/** Network fees paid for other hosts: nothing writes them any more, but databases have the table. */
import { inTurn } from '../steps.ts';
import { table } from '../table.ts';

type CallerFeeRow = Readonly<Record<'messageHash' | 'caller' | 'day' | 'lamports', string>>;

const callerFees = table<CallerFeeRow>('callerFees', 'messageHash');

export const createCallerFees = inTurn(
  callerFees.create({
    messageHash: 'text key',
    caller: 'text',
    day: 'text',
    lamports: 'text',
  }),
  callerFees.index('caller_fees_of_day', ['day', 'caller']),
);
