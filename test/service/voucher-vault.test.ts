import { describe, expect, it } from 'vitest';
import { createVoucherVault } from '../../src/service/delivery/vouchers.ts';
import { newOrderId, newSessionId } from '../../src/service/identifiers.ts';
import { VOUCHER } from '../support/checkout-host.ts';
import { random } from '../support/random.ts';

const vault = createVoucherVault(new Uint8Array(32).fill(1), random);
const place = { orderId: 'cr_1', deliveryId: 'cd_1' };

describe('a sealed voucher', () => {
  it('opens where it was sealed', async () => {
    expect(await vault.open(await vault.seal(VOUCHER, place), place)).toEqual(VOUCHER);
  });

  it('opens for no other order or line', async () => {
    const sealed = await vault.seal(VOUCHER, place);
    await expect(vault.open(sealed, { ...place, orderId: 'cr_2' })).rejects.toThrow();
    await expect(vault.open(sealed, { ...place, deliveryId: 'cd_2' })).rejects.toThrow();
  });

  it('opens with no other key, and not when a bit was changed', async () => {
    const sealed = await vault.seal(VOUCHER, place);
    const stranger = createVoucherVault(new Uint8Array(32).fill(2), random);
    await expect(stranger.open(sealed, place)).rejects.toThrow();
    for (const index of [0, 12, sealed.length - 1]) {
      const bent = sealed.map((byte, at) => (at === index ? byte ^ 1 : byte));
      await expect(vault.open(bent, place)).rejects.toThrow();
    }
  });

  it('looks different every time', async () => {
    const [one, two] = [await vault.seal(VOUCHER, place), await vault.seal(VOUCHER, place)];
    expect(Buffer.from(one).equals(Buffer.from(two))).toBe(false);
  });
});

describe('ids', () => {
  it('spend every random bit that they are given', () => {
    const ones = (length: number) => new Uint8Array(length).fill(0xff);
    const zeros = (length: number) => new Uint8Array(length);
    expect(newOrderId(ones)).toBe(`cr_${'7'.repeat(26)}`);
    expect(newOrderId(zeros)).toBe(`cr_${'a'.repeat(26)}`);
    expect(newSessionId(ones)).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
    expect(newSessionId(zeros)).toBe('00000000-0000-4000-8000-000000000000');
  });
});
