/** Compares refunds that are recorded as sent with the transfers on the chain. */
import { USDC_MINT } from '../../contract/x402.ts';
import { atomic, formatDecimal } from '../../domain/money.ts';
import { associatedTokenAddress } from '../../rails/solana/address.ts';
import type { Tables } from '../../store/store.ts';
import type { RefundRow } from '../../store/tables/refunds.ts';
import type { Evidence } from './evidence.ts';
import { AGREES, type Checked, one } from './settlement-checks.ts';

/** A transfer counts only with its amount and its recipient. */
export async function checkRefund(
  { payouts }: Pick<Tables, 'payouts'>,
  { credited }: Pick<Evidence, 'credited'>,
  refund: RefundRow,
): Promise<Checked> {
  const payout = await payouts.byRefund(refund.refundId);
  if (payout?.state !== 'sent') return AGREES;
  const { recipient, amountAtomic, decimals, coin } = refund;
  const order_id = refund.orderId || null;
  const subject = payout.transaction ?? refund.refundId;
  const account = recipient === null ? null : associatedTokenAddress(recipient, USDC_MINT);
  const paid = account === null ? 0n : await credited(subject, account);
  if (paid === BigInt(amountAtomic)) return AGREES;
  const amount = (sum: bigint) => `${formatDecimal(atomic(sum), decimals)} ${coin}`;
  const expected = `${amount(BigInt(amountAtomic))} to ${recipient ?? 'no recipient'}`;
  return one({ kind: 'refund_differs', order_id, subject, expected, found: amount(paid) });
}
