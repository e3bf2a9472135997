import { describe, expect, test } from 'vitest';
import { paymentRequirement, SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { openPayerRail } from '../../src/rails/registry.ts';
import { TOKEN_2022_PROGRAM } from '../../src/rails/solana/address.ts';
import { decodePayment } from '../../src/rails/solana/message.ts';
import { createSolanaMerchant } from '../../src/rails/solana/requirement.ts';
import { manualClock } from '../support/manual-clock.ts';
import {
  DESTINATION,
  FEE_PAYER,
  GOOD,
  MERCHANT,
  memo,
  PAYER,
  payerSigned,
  payloadOf,
  SOURCE,
  setLimit,
  transfer,
} from '../support/solana-payment.ts';

const merchant = createSolanaMerchant({
  network: SOLANA_MAINNET,
  mint: USDC_MINT,
  feePayer: async () => FEE_PAYER.address,
  maxTimeoutSeconds: 60,
  payTo: async () => MERCHANT.address,
});

describe('the requirement', () => {
  test('names the amount twice, the session’s own owner, and no memo', async () => {
    const { requirement, destination } = await merchant.requirement({
      amountAtomic: atomic(25_500_000n),
      description: 'a gift card',
    });
    expect(requirement).toEqual({
      scheme: 'exact',
      network: SOLANA_MAINNET,
      amount: '25500000',
      maxAmountRequired: '25500000',
      asset: USDC_MINT,
      payTo: MERCHANT.address,
      maxTimeoutSeconds: 60,
      extra: { feePayer: FEE_PAYER.address },
      description: 'a gift card',
    });
    expect(paymentRequirement().parse(requirement)).toEqual(requirement);
    expect(destination).toBe(DESTINATION);
  });
});

describe('a payment is read for', () => {
  test('its message, its payer and the account that pays', async () => {
    const payload = payloadOf(await payerSigned());
    expect(merchant.inspect(payload)).toEqual({
      messageHash: decodePayment(payload.payload.transaction ?? '').messageHash,
      payer: PAYER.address,
      source: SOURCE,
      payload: payload.payload,
    });
  });

  test('the transfer, wherever it stands: judging it is the facilitator’s', async () => {
    const wire = await payerSigned([transfer(), ...GOOD.slice(0, 2)]);
    expect(merchant.inspect(payloadOf(wire)).source).toBe(SOURCE);
  });

  test.each([
    ['no transfer', [setLimit(1), memo('x')]],
    ['a transfer by another program', [transfer({ program: TOKEN_2022_PROGRAM })]],
    ['an unchecked transfer', [transfer({ tag: 3 })]],
    ['a transfer of two accounts', [{ ...transfer(), accounts: transfer().accounts.slice(0, 2) }]],
  ])('and refused with %s', async (_name, instructions) => {
    const payload = payloadOf(await payerSigned(instructions));
    expect(() => merchant.inspect(payload)).toThrow(
      expect.objectContaining({ code: 'PAYMENT_MALFORMED' }),
    );
  });

  test('and refused when it is no transaction', () => {
    expect(() => merchant.inspect(payloadOf(Uint8Array.of(1, 2, 3)))).toThrow(
      expect.objectContaining({ code: 'PAYMENT_MALFORMED' }),
    );
  });
});

describe('the registry', () => {
  const parts = {
    url: 'http://node.invalid',
    fetch: () => Promise.reject(new TypeError('no network')),
    clock: manualClock(),
  };

  test('opens a rail for a network that can be paid on', async () => {
    expect((await openPayerRail(SOLANA_MAINNET, parts)).network).toBe(SOLANA_MAINNET);
  });

  test.each(['eip155:1', 'toString', ''])('refuses %j', async (network) => {
    await expect(openPayerRail(network, parts)).rejects.toMatchObject({
      code: 'REQUIREMENT_UNACCEPTABLE',
    });
  });
});
