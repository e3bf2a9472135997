/** An order's states as a program reads them. */
import { expect, it } from 'vitest';
import { statesOf } from '../../../src/api/library/track.ts';
import type { Merchant, OrderSnapshot } from '../../../src/api/merchant.ts';
import type { ScripDeps } from '../../../src/api/scrip.ts';

/** What is read of a snapshot here. */
const snapshot = (status: string) =>
  ({ status, paymentState: 'paid', isOver: false, document: {} }) as unknown as OrderSnapshot;

it('tells the states that were seen before an error, and then the error', async () => {
  const fault = new RangeError('the stream is gone');
  const follow: Merchant['follow'] = (_id, { seen }) => {
    for (const status of ['processing', 'partly', 'partly']) seen?.(snapshot(status));
    return Promise.reject(fault);
  };
  // Safe: nothing else of the merchant is asked, and no refund is expected.
  const states = statesOf({} as ScripDeps, { follow } as Merchant, 'cr_1');
  const told: string[] = [];
  const read = async () => {
    for await (const { status } of states) told.push(status);
  };
  await expect(read()).rejects.toBe(fault);
  expect(told).toEqual(['processing', 'partly']);
});
