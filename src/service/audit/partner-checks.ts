/** Compares partner orders with the chain: what landed, what was recorded as received, what was refunded. */
import type { Finding } from '../../domain/audit.ts';
import { atomic, formatDecimal } from '../../domain/money.ts';
import { isPaid, isTerminal } from '../../domain/order-states.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import type { RefundRow } from '../../store/tables/refunds.ts';
import { AGREES, type Checked, OPEN_MS, one } from './settlement-checks.ts';

interface Money {
  /** Sum of the payments that landed on the chain, or that the operator simulated. */
  readonly landedAtomic: bigint;
  /** When the last of these payments landed on the chain. */
  readonly landedAtMs: number | undefined;
  readonly refunds: readonly RefundRow[];
  readonly nowMs: number;
}

/**
 * Checks one order. Money not recorded yet is no mismatch while it landed recently and the order is
 * still polled.
 */
export function checkPartnerOrder(row: PartnerOrderRow, money: Money): Checked {
  const received = BigInt(row.receivedAtomic);
  const { landedAtomic, landedAtMs, nowMs } = money;
  if (landedAtomic !== received) {
    const sinceMs = landedAtMs ?? row.nextLookAtMs ?? 0;
    const isLooking = row.nextLookAtMs !== null && nowMs - sinceMs < OPEN_MS;
    if (landedAtomic > received && isLooking) return { findings: [], open: 1 };
    return one({
      ...about(row),
      kind: landedAtomic > received ? 'payment_undecided' : 'received_differs',
      expected: amount(row, landedAtomic),
      found: amount(row, received),
    });
  }
  return { findings: checkRefunds(row, money.refunds), open: 0 };
}

/** An ended order owes a refund of what it received, less the price if it was sold. */
function checkRefunds(row: PartnerOrderRow, refunds: readonly RefundRow[]): readonly Finding[] {
  const received = BigInt(row.receivedAtomic);
  const given = refunds
    .filter(({ kind }) => kind === 'refund')
    .reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n);
  const found = `${amount(row, given)} on record`;
  if (given > received) {
    const expected = `at most ${amount(row, received)}`;
    return [{ ...about(row), kind: 'refund_too_large', expected, found }];
  }
  const owed = owedBack(row, received);
  if (given >= owed) return AGREES.findings;
  const isSold = isPaid(row);
  const kind = isSold ? 'refund_missing' : 'money_on_ended_order';
  return [{ ...about(row), kind, expected: amount(row, owed), found }];
}

function owedBack(row: PartnerOrderRow, received: bigint): bigint {
  if (row.orderState === 'Refunded') return received;
  if (!isPaid(row)) return isTerminal(row) ? received : 0n;
  const excess = received - BigInt(row.coinAmountAtomic);
  return excess > 0n ? excess : 0n;
}

function about({ orderId, walletAddress }: PartnerOrderRow) {
  return { order_id: orderId, subject: walletAddress ?? 'a processor' };
}

function amount({ coin, decimals }: PartnerOrderRow, amountAtomic: bigint): string {
  return `${formatDecimal(atomic(amountAtomic), decimals)} ${coin}`;
}
