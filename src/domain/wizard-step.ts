/** What a step of the guided purchase is, and what it asks of its host. */

import { ScripError } from './errors.ts';
import { type Message, t, verbatim } from './message.ts';
import type { Denomination } from './product.ts';

/**
 * Interface: Question order. Ours: `giftcard` is everything that is sent to an e-mail address, so
 * that eSIMs and other digital products can be bought too.
 */
export const PRODUCT_TYPES = ['giftcard', 'mobile_topup'] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

/** What people are offered for the interface's values. */
export const PRODUCT_TYPE_LABELS: Readonly<Record<ProductType, Message>> = {
  giftcard: t`Gift card or eSIM`,
  mobile_topup: t`Mobile top-up`,
};

/** What is collected, in the order in which it is asked for (interface: Question order). */
export const ANSWER_KEYS = [
  'product_type',
  'country',
  'brand',
  'amount',
  'beneficiary_account',
  'coin',
  'network',
  'user_email',
] as const;
export type AnswerKey = (typeof ANSWER_KEYS)[number];
export type StepKey = AnswerKey | 'confirmation';

/** Accepted answers; always the first few of `ANSWER_KEYS`, without a gap. */
export type Answers = Readonly<Partial<Record<AnswerKey, string>>> & {
  /** Said beside them: the language that the receiver of the order is written to in. */
  readonly lang?: string;
};

export interface WizardCountry {
  /** ISO 3166-1 alpha-2 or `XK`, in either case. */
  readonly code: string;
  /** As it is shown. */
  readonly name: string;
  /** Another name that is taken as well, such as the one in English. */
  readonly other?: string;
}

export interface WizardBrand {
  readonly name: string;
  readonly isOutOfStock: boolean;
}

export interface WizardProduct {
  /** How a fixed product is ordered, such as `25 USD`. */
  readonly label: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly denomination: Denomination;
}

export interface WizardNetwork {
  readonly name: string;
  readonly isSuspended: boolean;
}

/** A coin with the networks that a payment from the buyer's own wallet may take. */
export interface WizardCoin {
  readonly name: string;
  readonly isSuspended: boolean;
  readonly networks: readonly WizardNetwork[];
}

/** Where the wizard learns what there is; a service looks into its catalog, a client asks one. */
export interface WizardHost {
  /** Where anything is sold. */
  countries(): Promise<readonly WizardCountry[]>;
  /** Those of a type in a country, in the order in which they are offered. */
  brands(country: string, type: ProductType): Promise<readonly WizardBrand[]>;
  products(country: string, brand: string, type: ProductType): Promise<readonly WizardProduct[]>;
  coins(): Promise<readonly WizardCoin[]>;
  /** What complete answers come to, such as `25.25 USDC`; undefined when it cannot be told. */
  price(answers: Answers): Promise<string | undefined>;
  /**
   * The account as the type is sent to it.
   * @param country whose plan a phone number without + is read by
   * @throws {ScripError} EMAIL_INVALID, PHONE_INVALID
   */
  checkBeneficiary(type: ProductType, account: string, country: string): Promise<string>;
}

/** Why an answer is not taken. `suggestions` are answers that would be. */
export interface WrongAnswer {
  readonly error: Message;
  readonly fix: Message;
  readonly suggestions: readonly string[];
}

export type Accepted = { readonly value: string } | WrongAnswer;

/** One question. `answers` holds all that comes before it. */
export interface Step {
  readonly key: StepKey;
  question(host: WizardHost, answers: Answers): Promise<Message>;
  expectedFormat(host: WizardHost, answers: Answers): Promise<Message>;
  /**
   * Answers that are taken as they stand; not all of them where values are free. Only a country may
   * turn out to sell nothing of the type.
   */
  options(host: WizardHost, answers: Answers): Promise<readonly string[]>;
  accept(host: WizardHost, answers: Answers, text: string): Promise<Accepted>;
}

export function isWrong(accepted: Accepted): accepted is WrongAnswer {
  return 'error' in accepted;
}

/** An answer that an earlier step has collected. @throws {ScripError} INTERNAL when it has not */
export function answerOf(answers: Answers, key: AnswerKey): string {
  const answer = answers[key];
  if (answer === undefined)
    throw new ScripError('INTERNAL', verbatim(`the wizard has no ${key} yet`));
  return answer;
}

/** @throws {ScripError} INTERNAL before the first step has been answered */
export function productTypeOf(answers: Answers): ProductType {
  return answerOf(answers, 'product_type') === 'mobile_topup' ? 'mobile_topup' : 'giftcard';
}

const MAX_QUOTED = 60;

/** An answer as an error repeats it: not longer than a line. */
export function quoted(text: string): string {
  const whole = text.trim();
  return `"${whole.length > MAX_QUOTED ? `${whole.slice(0, MAX_QUOTED)}…` : whole}"`;
}
