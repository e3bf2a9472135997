/** Whatever strangers and nodes write, only errors of ours come out. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { PaymentPayload } from '../../../src/contract/x402.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { checkPayment } from '../../../src/rails/evm/checks.ts';
import { createEvmPayer } from '../../../src/rails/evm/payer.ts';
import { createEvmMerchant } from '../../../src/rails/evm/requirement.ts';
import { evmRpcOver } from '../../../src/rails/evm/rpc.ts';
import { settlementIn } from '../../../src/rails/evm/usdc.ts';
import { directTransport } from '../../../src/rails/rpc-transport.ts';
import {
  EVM_FEE_ACCOUNT,
  EVM_MERCHANT,
  EVM_PAYER,
  evmRequirement,
  NETWORK,
} from '../../support/evm-payment.ts';

const ours = (error: unknown) => {
  expect(error).toBeInstanceOf(ScripError);
};
const hex = fc.stringMatching(/^0x[0-9a-f]{0,80}$/);
const part = fc.oneof(hex, fc.nat().map(String), fc.jsonValue());
const authorization = fc.record(
  { from: part, to: part, value: part, validAfter: part, validBefore: part, nonce: part },
  { requiredKeys: [] },
);
const payload = fc.record({
  authorization: fc.oneof(authorization, fc.jsonValue()),
  signature: part,
});

test('a payload is read or refused', () => {
  const terms = { network: NETWORK, feeAccount: EVM_FEE_ACCOUNT.address };
  const merchant = createEvmMerchant({
    ...{ network: NETWORK, payTo: EVM_MERCHANT, maxTimeoutSeconds: 60 },
  });
  fc.assert(
    fc.property(payload, (given) => {
      const payment = { x402Version: 2, payload: given } as PaymentPayload;
      expect(checkPayment(payment, evmRequirement(), terms).isValid).toBe(false);
      try {
        merchant.inspect(payment);
      } catch (error) {
        ours(error);
      }
    }),
  );
});

test('a record of the journal is read or refused', async () => {
  const rpc = evmRpcOver(directTransport(async () => ({ result: null }), 'http://node.example'));
  const rail = createEvmPayer({ rpc, network: NETWORK });
  const names = { messageHash: '00', signature: '0x00', payer: EVM_PAYER.address };
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), authorization, async (domain, one) => {
      const record = { ...names, domain, authorization: one, proof: '0x' };
      await rail.fate(record).then((found) => expect(found.fate).toBe('unknown'), ours);
    }),
  );
});

test('the data of a call holds a settlement or none', () => {
  const named = { from: EVM_PAYER.address, nonce: `0x${'7'.repeat(64)}` };
  const word = fc.constantFrom(
    '7'.repeat(64),
    EVM_PAYER.address.slice(2).toLowerCase().padStart(64, '0'),
  );
  const words = fc.array(fc.oneof(word, fc.stringMatching(/^[0-9a-f]{64}$/)), { maxLength: 12 });
  fc.assert(
    fc.property(words, (list) => {
      const found = settlementIn(`0xe3ee160e${list.join('')}`, named);
      expect(found?.authorization.nonce ?? named.nonce).toBe(named.nonce);
    }),
  );
});

describe('a node that answers anything', () => {
  const answer = fc.oneof(
    hex,
    fc.jsonValue(),
    fc.array(fc.record({ topics: part, data: part, address: part })),
  );
  const read = async (
    result: unknown,
    work: (rail: ReturnType<typeof createEvmPayer>) => Promise<unknown>,
  ) => {
    const rpc = evmRpcOver(directTransport(async () => ({ result }), 'http://node.example'));
    await work(createEvmPayer({ rpc, network: NETWORK })).catch(ours);
  };
  const { address } = EVM_PAYER;
  const none = new Set<string>();
  const order = {
    way: 'x402',
    requirement: evmRequirement(),
    amountAtomic: atomic(25_500_000n),
    signer: EVM_PAYER,
    tag: new Uint8Array(32),
  } as const;

  it.each<[string, (rail: ReturnType<typeof createEvmPayer>) => Promise<unknown>]>([
    ['balances', (rail) => rail.balances(address)],
    ['a signature', (rail) => rail.sign(order)],
    [
      'the history',
      (rail) => rail.ownPayments(address, { known: none, mostReads: 9, isTip: true }),
    ],
    ['what left', (rail) => rail.outflows(address, { sinceMs: 0, nowMs: 0, known: none })],
    ['what came', (rail) => rail.received(`0x${'1'.repeat(64)}`, address)],
    ['the end of validity', async (rail) => (await rail.horizon()).isPast()],
    ['health', (rail) => rail.health()],
    ['the time', (rail) => rail.timeMs()],
  ])('about %s lets no other error out', async (_what, work) => {
    await fc.assert(fc.asyncProperty(answer, (result) => read(result, work)));
  });
});
