/** Refunds as a merchant says them, and as this machine's own chain shows them. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mayHaveRefunds, provenRefunds, refundsIn } from '../../src/api/proven-refunds.ts';
import type { WireRefund, WireRefunds } from '../../src/contract/order-refunds.ts';
import { SOLANA_MAINNET } from '../../src/contract/usdc.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { verbatim } from '../../src/domain/message/message.ts';
import type { PayerRail } from '../../src/rails/rail.ts';
import { checkoutBuyer } from '../support/checkout-buyer.ts';
import {
  BUYER_WALLET,
  jsonOf,
  type PartnerSandbox,
  partnerSandbox,
} from '../support/partner-sandbox.ts';
import { smallSettings } from '../support/small-context.ts';
import { STRANGER } from '../support/solana-payment.ts';

let shop: PartnerSandbox;
let sent: WireRefund;
let rail: PayerRail;

beforeAll(async () => {
  shop = await partnerSandbox();
  const orderId = await checkoutBuyer(shop).buy('friend+failing@example.com');
  for (let step = 0; step < 12; step += 1) await shop.pass(3_000);
  const { refunds }: WireRefunds = await jsonOf(await shop.get(`/v1/orders/${orderId}/refunds`));
  const [refund] = refunds;
  if (refund === undefined) throw new Error('nothing is refunded');
  sent = refund;
  rail = shop.rail;
});
afterAll(() => shop.close());

const place = {
  ...smallSettings(),
  rpcs: { [SOLANA_MAINNET]: { url: 'http://shop.invalid/rpc', isNamed: true } },
};

const proofs = async (refunds: readonly WireRefund[], own = BUYER_WALLET) =>
  provenRefunds(
    { rail: async () => rail, signer: async () => own, place },
    { refunds: async () => refunds },
    'order',
  );

describe('a refund', () => {
  it('is proved by a final transfer of its amount to this wallet', async () => {
    expect(await proofs([sent])).toEqual([{ ...sent, proof: 'proved', to_own_wallet: true }]);
    expect(await proofs([sent], STRANGER)).toMatchObject([{ to_own_wallet: false }]);
  });

  const UNKNOWN = '5'.repeat(88);
  it.each([
    ['another amount', { amount: '99' }, 'other_amount'],
    ['another recipient', { recipient: STRANGER.address }, 'other_recipient'],
    ['a transaction that does not exist', { transaction: UNKNOWN }, 'not_found'],
    ['no transaction', { transaction: null }, 'not_found'],
    ['a coin of another chain', { coin: 'BTC' }, 'unchecked'],
    ['no recipient', { recipient: null }, 'unchecked'],
    ['an address that is none', { recipient: 'nowhere' }, 'unchecked'],
    ['more decimals than the coin has', { amount: '1.0000001' }, 'unchecked'],
    ['the state sending', { state: 'sending' }, null],
  ] as const)('with %s is not proved', async (_name, change, proof) => {
    expect(await proofs([{ ...sent, ...change }])).toMatchObject([{ proof }]);
  });

  it('is not proved by a transfer that pays another refund', async () => {
    const other = { ...sent, refund_id: 'other' };
    expect(await proofs([sent, other])).toMatchObject([
      { proof: 'proved' },
      { proof: 'not_found' },
    ]);
  });

  it('is unchecked without a chain, and shown all the same', async () => {
    const away = new ScripError('CHAIN_UNREACHABLE', verbatim('away'));
    const deps = { rail: () => Promise.reject(away), signer: async () => BUYER_WALLET, place };
    const refunds = await provenRefunds(deps, { refunds: async () => [sent] }, 'order');
    expect(refunds).toMatchObject([{ proof: 'unchecked', transaction: sent.transaction }]);
  });
});

it('a host that tells of no refunds has none', async () => {
  const refused = (status: number) =>
    Promise.reject(
      new ScripError('MERCHANT_REFUSED', verbatim('refused'), { details: { status } }),
    );
  expect(await refundsIn(refused(404))).toBeUndefined();
  await expect(refundsIn(refused(403))).rejects.toMatchObject({ code: 'MERCHANT_REFUSED' });
});

it('a merchant is asked only about orders that were paid and not delivered as asked', () => {
  const partner = (fields: object) => ({
    ...{ status: '', paymentState: null, isOver: true, error: undefined },
    document: {
      form: 'partner',
      order: {
        order_id: '00000000-0000-4000-8000-000000000001',
        created_at: 0,
        payment_state: 'Expired',
        order_state: 'Expired',
        is_payment_processor_external: false,
        coin_amount: '5',
        ...fields,
      },
    } as const,
  });
  const asked = (fields: object) => mayHaveRefunds(partner(fields));
  expect(asked({ received_amount: '5' })).toBe(true);
  expect(asked({ received_amount: null })).toBe(false);
  expect(asked({ order_state: 'Done', received_amount: '5' })).toBe(false);
  expect(asked({ order_state: 'Done', received_amount: '6' })).toBe(true);
  expect(mayHaveRefunds({ ...partner({ received_amount: '5' }), isOver: false })).toBe(false);
});
