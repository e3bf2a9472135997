/** Problems of an order in words: what each means and what to do about it. */
import { PROBLEM_CODES, SUSPENSION_CODES } from '../../contract/codes.ts';
import type { WireProblem } from '../../contract/partner-orders.ts';
import { ScripError } from '../../domain/errors.ts';

const SUSPENSION_REMEDIES: Readonly<Record<string, string>> = {
  SUSPENDED_COIN: 'Pay in another coin: scrip vias',
  SUSPENDED_NETWORK: 'Pay on another network: scrip vias --coin <coin>',
};

/** A problem with its meaning and what to do about it; codes that nobody knows keep their name. */
export function explainProblem({ problem, moreDetails }: WireProblem) {
  const known = Object.entries(PROBLEM_CODES).find(([code]) => code === problem)?.[1];
  const suspended = Object.entries(SUSPENSION_CODES).find(([code]) => code === problem)?.[1];
  return {
    problem,
    meaning: known?.meaning ?? suspended ?? 'The merchant gives no meaning that is known here',
    remedy: known?.remedy ?? SUSPENSION_REMEDIES[problem] ?? 'Ask the merchant.',
    ...(moreDetails === undefined ? {} : { moreDetails }),
  };
}

/** Why an order with problems is not made; undefined without any. */
export function problemsError(problems: readonly WireProblem[]): ScripError | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const explained = problems.map(explainProblem);
  const names = explained.map(({ problem }) => problem).join(', ');
  return new ScripError('ORDER_PROBLEMS', `the order has ${count(problems.length)}: ${names}`, {
    hint: explained[0]?.remedy ?? '',
    details: { problems: explained },
  });
}

function count(problems: number): string {
  return problems === 1 ? 'a problem' : `${problems} problems`;
}
