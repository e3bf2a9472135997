/** Which refunds a shop sends by itself, and what the others wait for. Pure. */

/** Limits of the wallet that refunds are sent from; amounts in atomic units of USDC. */
export interface RefundLimits {
  /** A larger refund is only paid by hand. */
  readonly mostAtomic: bigint;
  /** Sum of the refunds begun in a day (UTC). */
  readonly perDayAtomic: bigint;
  /** A larger refund waits for the operator's approval. */
  readonly approveAboveAtomic: bigint;
}

interface OwedRefund {
  readonly amountAtomic: bigint;
  readonly recipient: string | null;
  /** Whether it is owed in USDC on Solana, the only coin that is sent. */
  readonly isSendable: boolean;
  readonly isApproved: boolean;
}

/** Ours, 0.01 USDC: a smaller refund costs about as much as its network fee. */
const LEAST_ATOMIC = 10_000n;

/** Undefined if it may be sent, as far as the limit of the day allows. */
export function refundWait(
  { amountAtomic, recipient, isSendable, isApproved }: OwedRefund,
  { mostAtomic, approveAboveAtomic }: RefundLimits,
): 'operator' | 'address' | 'approval' | undefined {
  if (!isSendable || amountAtomic > mostAtomic) return 'operator';
  if (recipient === null) return 'address';
  const isSmall = amountAtomic < LEAST_ATOMIC;
  return !isApproved && (isSmall || amountAtomic > approveAboveAtomic) ? 'approval' : undefined;
}
