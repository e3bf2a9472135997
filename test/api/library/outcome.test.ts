import { describe, expect, it } from 'vitest';
import { outcomeOf, recordOf } from '../../../src/api/library/outcome.ts';
import type { Entry, JournalEvent } from '../../../src/domain/journal/journal.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { anAttempt, anIntent } from '../../support/journal-records.ts';

const entry = (attempts: number, ...facts: readonly JournalEvent[]): Entry => ({
  intent: anIntent({ key: 'gift' }),
  attempts: Array.from({ length: attempts }, (_, index) => anAttempt(index + 1)),
  facts,
});
const accepted = (orderId: string): JournalEvent => ({ fact: 'accepted', attempt: 1, orderId });
const goods = (status: 'completed' | 'failed'): JournalEvent => ({
  fact: 'goods',
  attempt: 1,
  status,
  sealed: 'x',
});

describe('an order of the journal', () => {
  it.each<[string, Entry, string]>([
    ['of which nothing was signed', entry(0), 'unpaid'],
    ['that was given up', entry(0, { fact: 'closed', reason: 'declined' }), 'unpaid'],
    ['whose payment is dead', entry(1, { fact: 'dead', attempt: 1, proof: 'expired' }), 'unpaid'],
    ['whose payment may be under way', entry(1), 'unknown'],
    ['that the merchant has accepted', entry(1, accepted('cr_1')), 'pending'],
    ['whose goods are here', entry(1, accepted('cr_1'), goods('completed')), 'delivered'],
    ['that was paid and given up', entry(1, accepted('cr_1'), goods('failed')), 'failed'],
    [
      'that was paid for nothing',
      entry(1, { fact: 'attention', reason: 'paid, no order' }),
      'failed',
    ],
  ])('%s', (_name, known, status) => {
    expect(recordOf(known).status).toBe(status);
  });

  it('is called as the merchant calls it, whatever that is', () => {
    expect(recordOf(entry(1, accepted('--7/ü 8'))).orderId).toBe('--7/ü 8');
  });
});

describe('an outcome', () => {
  const end =
    (status: 'unpaid' | 'unknown' | 'processing' | 'attention', error?: ScripError) => () =>
      outcomeOf(entry(1), { status, deliveries: [], error });
  const refusal = new ScripError('PAYMENT_REFUSED', t`the merchant refused it`);

  it('is none where nothing was charged: the reason is thrown', () => {
    expect(end('unpaid', refusal)).toThrow(refusal);
    expect(end('unpaid')).toThrow('ended without a reason');
  });

  it('says why it is no success', () => {
    const unknown = new ScripError('OUTCOME_UNKNOWN', t`nobody answered`);
    expect(end('unknown', unknown)()).toMatchObject({
      status: 'unknown',
      code: 'OUTCOME_UNKNOWN',
      reason: 'nobody answered',
    });
    expect(end('processing')()).toMatchObject({ status: 'pending', code: 'DELIVERY_PENDING' });
    const attention = new ScripError('ATTENTION_NEEDED', t`paid, no order`);
    expect(end('attention', attention)()).toMatchObject({
      status: 'failed',
      code: 'ATTENTION_NEEDED',
      deliveries: [],
    });
  });
});
