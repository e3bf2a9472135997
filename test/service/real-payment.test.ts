/** The same routes with nothing faked: real transactions on the embedded chain, real store on disk. */
import { afterAll, describe, expect, it } from 'vitest';
import type { WireOrderReceipt, WireOrderStatus } from '../../src/contract/checkout.ts';
import { checkoutBuyer } from '../support/checkout-buyer.ts';
import { bodyOf, paymentResponse } from '../support/checkout-host.ts';
import { BUYER_WALLET, partnerSandbox } from '../support/partner-sandbox.ts';

const shop = await partnerSandbox();
afterAll(shop.close);
const buyer = checkoutBuyer(shop);

const statusOf = async ({ order_id }: WireOrderReceipt) => {
  await shop.current().tick();
  return bodyOf<WireOrderStatus>(await shop.get(`/v1/orders/${order_id}`));
};
const balance = async (): Promise<bigint> =>
  (await shop.rail.balances(BUYER_WALLET.address)).usdcAtomic ?? 0n;

describe('an order paid on the embedded chain', () => {
  it('moves the amount once and delivers a code, however often it is sent', async () => {
    const before = await balance();
    const asked = await buyer.ask('friend@example.com');
    const send = await buyer.sign(asked);
    const first = await send();
    const receipt = await bodyOf<WireOrderReceipt>(first);
    expect(first.status).toBe(200);
    expect(paymentResponse(first)).toMatchObject({ success: true, payer: BUYER_WALLET.address });
    const again = await send();
    expect(await bodyOf<unknown>(again)).toEqual(receipt);
    expect(paymentResponse(again)).toEqual(paymentResponse(first));
    expect(before - (await balance())).toBe(BigInt(asked.requirement.maxAmountRequired ?? ''));

    const { status, deliveries } = await statusOf(receipt);
    expect(status).toBe('completed');
    expect(deliveries?.[0]?.voucher_code).toMatch(/^TEST-/);
  });

  it('answers the same after the service was closed and opened again', async () => {
    const send = await buyer.sign(await buyer.ask('friend@example.com'));
    const receipt = await bodyOf<WireOrderReceipt>(await send());
    await shop.restart();
    shop.clock.advance(3_600_000);
    const again = await send();
    expect([again.status, await bodyOf<unknown>(again)]).toEqual([200, receipt]);
    expect((await statusOf(receipt)).status).toBe('completed');
  });

  it.each([
    ['is of another amount', 'amount_mismatch', 1n, 0],
    ['has a blockhash too old to wait for the outcome', 'blockhash_too_old', undefined, 40_000],
  ])('is refused with the facilitator’s reason when it %s', async (_what, reason, amount, ms) => {
    const before = await balance();
    const send = await buyer.sign(await buyer.ask('friend@example.com'), { amount });
    shop.clock.advance(ms);
    const refused = await send();
    expect(refused.status).toBe(402);
    expect(await bodyOf<unknown>(refused)).toMatchObject({
      ...{ error: 'payment_invalid', reason: `invalid_exact_svm_payload_${reason}` },
    });
    expect(await balance()).toBe(before);
  });
});
