/** Explains the problems of an order: meaning and remedy of each. */

import { PROBLEM_CODES, SUSPENSION_CODES, VALUE_FIELD } from '../../contract/codes.ts';
import type { WireProblem } from '../../contract/partner-orders.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { Message, type Said, sentence, t } from '../../domain/message/message.ts';

const SUSPENSION_REMEDIES: Readonly<Record<string, Message>> = {
  SUSPENDED_COIN: t`Pay in another coin: scrip vias`,
  SUSPENDED_NETWORK: t`Pay on another network: scrip vias --coin <coin>`,
};

/** Adds a problem's meaning and remedy; an unknown code keeps its name. */
export function explainProblem({ problem, moreDetails }: WireProblem) {
  if (problem === 'NOT_AVAILABLE_PRODUCT' && isAboutValue(moreDetails)) {
    const [reason] = reasonsIn(moreDetails);
    const remedy =
      reason === undefined ? WRONG_VALUE.remedy : t`Name another value with --value: ${reason}`;
    return { problem, meaning: WRONG_VALUE.meaning, remedy, moreDetails };
  }
  const known = Object.entries(PROBLEM_CODES).find(([code]) => code === problem)?.[1];
  const remedy = Object.hasOwn(SUSPENSION_REMEDIES, problem)
    ? SUSPENSION_REMEDIES[problem]
    : undefined;
  const suspended = Object.entries(SUSPENSION_CODES).find(([code]) => code === problem)?.[1];
  return {
    problem,
    meaning:
      sentenceOf(known?.meaning ?? suspended) ??
      t`The merchant reports a problem that scrip does not know`,
    remedy: sentenceOf(known?.remedy) ?? remedy ?? t`Ask the merchant.`,
    moreDetails,
  };
}

const WRONG_VALUE = {
  meaning: t`The product is not sold at this value`,
  remedy: t`Name another value with --value; the details say which.`,
} as const;

/** Returns the merchant's reasons, one per delivery. */
function reasonsIn(details: unknown): readonly Said[] {
  const { deliveries = [] } = details as { readonly deliveries?: unknown };
  if (!Array.isArray(deliveries)) return [];
  return deliveries.flatMap((delivery: { readonly reason?: unknown } | null) =>
    typeof delivery?.reason === 'string' || delivery?.reason instanceof Message
      ? [delivery.reason]
      : [],
  );
}

function isAboutValue(details: unknown): boolean {
  return (
    typeof details === 'object' &&
    details !== null &&
    'field' in details &&
    details.field === VALUE_FIELD
  );
}

/** Returns the error for an order with problems; undefined if there are none. */
export function problemsError(problems: readonly WireProblem[]): ScripError | undefined {
  const [first] = problems;
  if (first === undefined) return undefined;
  const explained = problems.map(explainProblem);
  const names = explained.map(({ problem }) => problem).join(', ');
  return new ScripError('ORDER_PROBLEMS', t`The order has ${count(problems.length)}: ${names}`, {
    hint: explained[0]?.remedy ?? t``,
    details: { problems: explained },
  });
}

function count(problems: number): Message {
  return problems === 1 ? t`a problem` : t`${problems} problems`;
}

/** Returns the JSON form. */
export function problemRecord(explained: ReturnType<typeof explainProblem>) {
  const { meaning, remedy } = explained;
  return { ...explained, meaning: String(meaning), remedy: String(remedy) };
}

/** Makes a message from one of the contract's plain texts. */
function sentenceOf(text: string | undefined): Message | undefined {
  return text === undefined ? undefined : sentence(text);
}
