/** A purchase that met trouble is pursued until it is decided, as a careful script does. */
import type { BuyerReport } from './buyer.ts';

/** First what happened is found out; only what is proven unpaid is bought anew. */
export async function toItsEnd({
  run,
  last,
  mostRuns,
}: {
  run(mode: 'purchase' | 'resume'): Promise<void>;
  last(): BuyerReport | undefined;
  /** Then the purchase counts as unfinished. */
  readonly mostRuns: number;
}): Promise<void> {
  for (let runs = 0; runs < mostRuns && !isOver(last()); runs += 1) {
    await run('resume');
    if (isUnpaid(last())) await run('purchase');
  }
}

/** Delivered, or nothing is left to pay with: a broken buyer has paid again and again by then. */
function isOver(report: BuyerReport | undefined): boolean {
  return isDelivered(report) || report?.code === 'FUNDS_TOO_LOW';
}

export function isDelivered(report: BuyerReport | undefined): boolean {
  return report?.kind === 'delivered';
}

export function isUnpaid(report: BuyerReport | undefined): boolean {
  return report?.kind === 'unpaid' || report?.kind === 'nothing';
}
