/** A payment at a checkout host by a rail itself: no journal, no policy, one signature. */
import { randomBytes } from 'node:crypto';
import type { WireOrderReceipt } from '../../src/contract/checkout.ts';
import { encodeHeader, type PaymentRequirement, SESSION_HEADER } from '../../src/contract/x402.ts';
import type { Atomic } from '../../src/domain/money/money.ts';
import { requiredAmount } from '../../src/domain/payment/payment.ts';
import type { PayerRail, Signer } from '../../src/rails/rail.ts';
import { jsonOf } from './partner-sandbox.ts';

/** Posts one order, each time the same. */
export type PostOrder = (headers?: Readonly<Record<string, string>>) => Promise<Response>;

interface Payer {
  readonly rail: PayerRail;
  readonly signer: Signer;
}

export async function payAtHost(
  post: PostOrder,
  { rail, signer }: Payer,
): Promise<{ readonly orderId: string; readonly amountAtomic: Atomic }> {
  const asked = await post();
  const { accepts } = (await asked.json()) as { readonly accepts: readonly PaymentRequirement[] };
  const requirement = accepts.find(({ network }) => network === rail.network);
  if (requirement === undefined) throw new Error(`the host takes nothing on ${rail.network}`);
  const amountAtomic = requiredAmount(requirement);
  const tag = Uint8Array.from(randomBytes(32));
  const signed = await rail.sign({ way: 'x402', requirement, amountAtomic, signer, tag });
  const payment = { x402Version: 2, accepted: requirement, payload: rail.payload(signed) };
  const paid = await post({
    'PAYMENT-SIGNATURE': encodeHeader(payment),
    [SESSION_HEADER]: asked.headers.get(SESSION_HEADER) ?? '',
  });
  const { order_id: orderId } = await jsonOf<WireOrderReceipt>(paid);
  return { orderId, amountAtomic };
}
