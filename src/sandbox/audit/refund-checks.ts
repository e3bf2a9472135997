/** Compares refunds that are recorded as sent with the transfers on the chain. */
import { USDC_MINT } from '../../contract/x402.ts';
import { atomic, formatDecimal } from '../../domain/money.ts';
import { associatedTokenAddress } from '../../rails/solana/address.ts';
import type { ChainRecords } from '../../storage/chain-records.ts';
import type { RefundRow } from '../../storage/refunds.ts';
import type { Tables } from '../../storage/store.ts';
import { AGREES, type Checked, one } from './settlement-checks.ts';
import { tokenCredits } from './transfers.ts';

/** A transfer counts only with its amount and its recipient. */
export async function checkRefund(
  { payouts }: Pick<Tables, 'payouts'>,
  ledger: Pick<ChainRecords, 'transaction'>,
  refund: RefundRow,
): Promise<Checked> {
  const payout = await payouts.byRefund(refund.refundId);
  if (payout?.state !== 'sent') return AGREES;
  const { orderId: order_id, recipient, amountAtomic, decimals, coin } = refund;
  const subject = payout.transaction ?? refund.refundId;
  const row = await ledger.transaction(subject);
  const account = recipient === null ? null : associatedTokenAddress(recipient, USDC_MINT);
  const credited = row === undefined ? [] : tokenCredits({ ...row, position: 0 });
  const paid = credited.find((credit) => credit.account === account)?.amountAtomic ?? 0n;
  if (paid === BigInt(amountAtomic)) return AGREES;
  const amount = (sum: bigint) => `${formatDecimal(atomic(sum), decimals)} ${coin}`;
  const expected = `${amount(BigInt(amountAtomic))} to ${recipient ?? 'no recipient'}`;
  return one({ kind: 'refund_differs', order_id, subject, expected, found: amount(paid) });
}
