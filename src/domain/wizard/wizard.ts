/**
 * The guided purchase: asks one question after another and checks each answer. Pure; hosts keep the state.
 */

import type { WireCreateOrder } from '../../contract/partner-orders.ts';
import type { Message } from '../message/message.ts';
import { goodsOf } from './wizard-amount.ts';
import {
  ANSWER_KEYS,
  type AnswerKey,
  type Answers,
  answerOf,
  isWrong,
  productTypeOf,
  type Step,
  type StepKey,
  type WizardHost,
  type WrongAnswer,
} from './wizard-step.ts';
import { RECAP, STEPS } from './wizard-steps.ts';

/** The next question, with the answers so far. */
export interface Question {
  readonly kind: 'continue';
  readonly step: StepKey;
  readonly question: Message;
  readonly expectedFormat: Message;
  readonly options: readonly string[];
  readonly answers: Answers;
}

/** The answer was rejected; the same question remains open. */
interface Wrong extends WrongAnswer {
  readonly kind: 'error';
  readonly step: StepKey;
  readonly answers: Answers;
}

/** All questions are answered and confirmed. */
interface Complete {
  readonly kind: 'complete';
  readonly answers: Answers;
}

export type Reply = Question | Wrong | Complete;
export type WizardInput = { readonly answer: string } | { readonly action: 'back' };

/** Returns the next question after these answers. */
export function ask(host: WizardHost, answers: Answers): Promise<Question> {
  return askStep(host, openStep(answers), answers);
}

/** Returns the question of a step, even if it has an answer. */
export async function askStep(host: WizardHost, step: Step, answers: Answers): Promise<Question> {
  const [question, expectedFormat, options] = await Promise.all([
    step.question(host, answers),
    step.expectedFormat(host, answers),
    step.options(host, answers),
  ]);
  return { kind: 'continue', step: step.key, question, expectedFormat, options, answers };
}

/** Takes an answer, or drops the last one; at the first question there is none to drop. */
export async function advance(
  host: WizardHost,
  answers: Answers,
  input: WizardInput,
): Promise<Reply> {
  if ('action' in input) return ask(host, withoutLast(answers));
  const step = openStep(answers);
  const accepted = await step.accept(host, answers, input.answer);
  if (isWrong(accepted)) return { kind: 'error', step: step.key, answers, ...accepted };
  if (step.key === 'confirmation') return { kind: 'complete', answers };
  return ask(host, { ...answers, [step.key]: accepted.value });
}

/** A wizard whose answers become an order directly. */
export interface OrderingHost extends WizardHost {
  /** `payment_via` for payments from the buyer's own wallet. */
  readonly paymentVia: string;
}

/**
 * Returns the order request for complete answers (interface: CreateOrderRequest).
 * @throws {ScripError} PRODUCT_UNKNOWN when the amount is no longer for sale
 */
export async function orderRequest(host: OrderingHost, answers: Answers): Promise<WireCreateOrder> {
  const of = (key: AnswerKey): string => answerOf(answers, key);
  const type = productTypeOf(answers);
  const products = await host.products(of('country'), of('brand'), type);
  return {
    user: { email: of('user_email') },
    payment: {
      type: 'via',
      payment_via: host.paymentVia,
      coin: of('coin'),
      network: of('network'),
    },
    deliveries: [
      {
        ...goodsOf(products, of('amount')),
        brand_name: of('brand'),
        country_code: of('country'),
        beneficiary_account: of('beneficiary_account'),
      },
    ],
    ...(answers.lang === undefined ? {} : { lang: answers.lang }),
  };
}

function openStep(answers: Answers): Step {
  return STEPS[answered(answers).length] ?? RECAP;
}

function withoutLast(answers: Answers): Answers {
  const kept = answered(answers).slice(0, -1);
  const { lang } = answers;
  return {
    ...Object.fromEntries(kept.map((key) => [key, answers[key]])),
    ...(lang === undefined ? {} : { lang }),
  };
}

function answered(answers: Answers): readonly AnswerKey[] {
  const open = ANSWER_KEYS.findIndex((key) => answers[key] === undefined);
  return open === -1 ? ANSWER_KEYS : ANSWER_KEYS.slice(0, open);
}
