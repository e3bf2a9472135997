/** Problems of an order in words: what each means and what to do about it. */
import { PROBLEM_CODES, SUSPENSION_CODES, VALUE_FIELD } from '../../contract/codes.ts';
import type { WireProblem } from '../../contract/partner-orders.ts';
import { ScripError } from '../../domain/errors.ts';

const SUSPENSION_REMEDIES: Readonly<Record<string, string>> = {
  SUSPENDED_COIN: 'Pay in another coin: scrip vias',
  SUSPENDED_NETWORK: 'Pay on another network: scrip vias --coin <coin>',
};

/** A problem with its meaning and what to do about it; codes that nobody knows keep their name. */
export function explainProblem({ problem, moreDetails }: WireProblem) {
  if (problem === 'NOT_AVAILABLE_PRODUCT' && isAboutValue(moreDetails)) {
    return { problem, ...WRONG_VALUE, moreDetails };
  }
  const known = Object.entries(PROBLEM_CODES).find(([code]) => code === problem)?.[1];
  const remedy = Object.hasOwn(SUSPENSION_REMEDIES, problem)
    ? SUSPENSION_REMEDIES[problem]
    : undefined;
  const suspended = Object.entries(SUSPENSION_CODES).find(([code]) => code === problem)?.[1];
  return {
    problem,
    meaning: known?.meaning ?? suspended ?? 'The merchant gives no meaning that is known here',
    remedy: known?.remedy ?? remedy ?? 'Ask the merchant.',
    ...(moreDetails === undefined ? {} : { moreDetails }),
  };
}

const WRONG_VALUE = {
  meaning: 'The product is not sold at this value',
  remedy: 'Name another value with --value; the details say which.',
} as const;

function isAboutValue(details: unknown): boolean {
  return (
    typeof details === 'object' &&
    details !== null &&
    'field' in details &&
    details.field === VALUE_FIELD
  );
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
