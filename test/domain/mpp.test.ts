/** Which challenges of MPP can be paid, and what is made of any other text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/usdc.ts';
import {
  mppChallenges,
  mppPayload,
  mppPayment,
  mppRequired,
  mppSettlement,
} from '../../src/domain/payment/mpp.ts';
import { fuzzRuns } from '../support/fuzz.ts';

const RECIPIENT = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
const FEE_PAYER = '9aE3Fg7HjKLmNpQr5TuVwXyZ2AbCdEf8GhIjKlMnOp1R';
const details = { network: 'mainnet', decimals: 6, feePayer: true, feePayerKey: FEE_PAYER };

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** @param over parameters of the challenge, and details of its request */
function challenge(over: Readonly<Record<string, string>> = {}, more: object = {}): string {
  const methodDetails = { ...details, ...more };
  const request = { amount: '10000', currency: USDC_MINT, recipient: RECIPIENT, methodDetails };
  const usual = { id: 'a"b', realm: 'api.example', method: 'solana', intent: 'charge' };
  const params = Object.entries({ ...usual, request: encoded(request), ...over });
  const written = params.map(([name, value]) => `${name}="${value.replaceAll('"', '\\"')}"`);
  return `Payment ${written.join(', ')}`;
}

describe('a challenge', () => {
  it('is a requirement of x402, and the payment for it echoes the challenge', () => {
    const header = `Basic realm="a, Payment b", ${challenge({ expires: '2026-11-28T22:00:00Z' })}`;
    const { accepts, expiresAt } = mppRequired(header);
    expect(expiresAt).toBe('2026-11-28T22:00:00Z');
    expect(accepts).toMatchObject([
      {
        ...{ scheme: 'exact', network: SOLANA_MAINNET, amount: '10000', asset: USDC_MINT },
        ...{ payTo: RECIPIENT, extra: { feePayer: FEE_PAYER } },
      },
    ]);
    const payment = mppPayment(accepts[0] as never, { transaction: 'AQID' }) ?? '';
    const [scheme, credential = ''] = payment.split(' ');
    expect(scheme).toBe('Payment');
    expect(JSON.parse(Buffer.from(credential, 'base64url').toString())).toEqual({
      challenge: mppChallenges(header)[0],
      payload: { type: 'transaction', transaction: 'AQID' },
    });
    expect(mppChallenges(header)[0]?.id).toBe('a"b');
    expect(mppPayload(payment)).toEqual({ transaction: 'AQID' });
  });

  it.each<[string, string]>([
    ['of another method', challenge({ method: 'evm' })],
    ['of another intent', challenge({ intent: 'session' })],
    ['with a header of its own', challenge({ header: 'Host' })],
    ['whose request is no JSON', challenge({ request: '!' })],
    ['on a test network', challenge({}, { network: 'devnet' })],
    ['with another number of decimals', challenge({}, { decimals: 9 })],
    ['whose fee the payer pays', challenge({}, { feePayer: false })],
    ['with splits', challenge({}, { splits: [{ recipient: FEE_PAYER, amount: '1' }] })],
    ['that is confidential', challenge({}, { confidential: true })],
  ])('%s is not paid', (_what, header) => {
    expect(mppRequired(header).accepts).toEqual([]);
  });
});

it('any text is read, and nothing throws', () => {
  const part = fc.oneof(
    fc.string(),
    fc.constantFrom('Payment ', 'id=', 'realm="', '"', '\\', ', ', 'method="solana"', challenge()),
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const header = parts.join('');
      mppRequired(header);
      mppPayload(header);
      mppSettlement(header);
      for (const { method } of mppChallenges(header)) expect(method).toMatch(/^[a-z]/);
    }),
    { numRuns: fuzzRuns(300) },
  );
  // A text that a pattern could read in the square of its length.
  expect(mppChallenges(`Payment ${'a'.repeat(60_000)}!`)).toEqual([]);
});
