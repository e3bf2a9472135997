/** Records of a purchase, as plain values. */

import type { Attempt, Intent } from '../../src/domain/journal/journal.ts';
import type { SolanaPayment } from '../../src/rails/solana/seal.ts';
import { START_MS } from './manual-clock.ts';

export const PAYER = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';

export function anIntent(over: Partial<Intent> = {}): Intent {
  return {
    version: 1,
    intentId: 'intent-1',
    key: 'key-1',
    host: 'https://checkout.example',
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    payer: PAYER,
    body: '{"email":"a@example.com","items":[]}',
    capAtomic: '26000000',
    quotedAtomic: '25250000',
    createdAtMs: START_MS,
    summary: {
      productId: 'p-1',
      productName: 'Amazon.com 25 USD',
      brandName: 'Amazon.com',
      countryCode: 'us',
      faceValue: '25',
      currency: 'USD',
      beneficiary: 'a@example.com',
    },
    ...over,
  };
}

type RecordedAttempt = Attempt & SolanaPayment;

export function anAttempt(number = 1, over: Partial<RecordedAttempt> = {}): RecordedAttempt {
  return {
    number,
    header: `header-${number}`,
    sessionId: `session-${number}`,
    requirement: '{}',
    amountAtomic: '25250000',
    asset: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    payTo: 'merchant',
    transaction: 'AA==',
    messageHash: `${number}`.repeat(64),
    signature: `signature-${number}`,
    blockhash: 'blockhash',
    lastValidBlockHeight: 1_000,
    payer: PAYER,
    baseline: { sourceAccount: 'source', signature: null, slot: 100 },
    createdAtMs: START_MS,
    ...over,
  };
}
