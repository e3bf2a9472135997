/** Many cases over a few lanes, and what they came to. */
import {
  CLIENT_POINTS,
  FEE_POINTS,
  REFUND_POINTS,
  SERVICE_POINTS,
} from '../../src/domain/journal/fail-points.ts';
import type { Case } from './cases.ts';
import { buildShop, type CaseResult, openLane, type ShopProgram } from './harness.ts';
import type { Violation } from './judge.ts';
import type { RefundViolation } from './refund-case.ts';

export interface Campaign {
  readonly results: readonly CaseResult[];
  /** Times that a process died at each point. */
  readonly deaths: ReadonlyMap<string, number>;
  /** Deaths and spoilt calls together. */
  readonly faults: number;
  count(violation: Violation | RefundViolation): number;
}

export async function runCampaign(
  cases: readonly Case[],
  {
    lanes,
    program,
    mostSpeed,
    livesInWorker = false,
    told,
  }: {
    readonly lanes: number;
    /** One that was built before, which is left there. */
    readonly program?: ShopProgram;
    readonly mostSpeed?: number | undefined;
    /** Where a run that is not to die may be one of the tests' own process. */
    readonly livesInWorker?: boolean;
    told?(result: CaseResult, done: number): void;
  },
): Promise<Campaign> {
  const shop = program ?? (await buildShop());
  const results: CaseResult[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    const lane = await openLane(shop, mostSpeed, livesInWorker);
    try {
      for (let index = next++; index < cases.length; index = next++) {
        const tried = cases[index];
        if (tried === undefined) return;
        const result = await lane.run(tried, index);
        results.push(result);
        told?.(result, results.length);
      }
    } finally {
      await lane.close();
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, work));
  } finally {
    if (program === undefined) shop.remove();
  }
  return summed(results);
}

function summed(results: readonly CaseResult[]): Campaign {
  const deaths = new Map<string, number>(
    [...CLIENT_POINTS, ...SERVICE_POINTS, ...FEE_POINTS, ...REFUND_POINTS].map((point) => [
      point,
      0,
    ]),
  );
  let faults = 0;
  for (const result of results) {
    for (const point of result.deaths) deaths.set(point, (deaths.get(point) ?? 0) + 1);
    faults += result.deaths.length + result.spoilt;
  }
  return {
    results,
    deaths,
    faults,
    count: (violation) => results.filter(({ violations }) => violations.includes(violation)).length,
  };
}

/** The line that is promised: what was done to it, and what came of it. */
export function verdict({ results, faults, count }: Campaign): string {
  const refunds = results.filter(({ isRefund }) => isRefund).length;
  const uncharged = results.filter(({ books }) => books.landed === 0).length;
  return [
    `${results.length - refunds} purchases, ${uncharged} of them never charged`,
    `${refunds} refunds`,
    `${faults} faults`,
    `${count('double payment')} double payments`,
    `${count('lost order')} lost orders`,
    `${count('extra delivery')} extra deliveries`,
    `${count('unfinished')} unfinished`,
    `${count('double refund')} double refunds`,
    `${count('lost refund')} lost refunds`,
  ].join(', ');
}
