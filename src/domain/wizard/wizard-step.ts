/** A step of the guided purchase, and the data it needs from its host. */

import { ScripError } from '../message/errors.ts';
import { joined, type Message, t, verbatim } from '../message/message.ts';
import { directRank, nameKey, nearest } from '../product/catalog-query.ts';
import type { Denomination } from '../product/product.ts';

/**
 * Interface: Question order. Ours: `giftcard` covers everything sent to an e-mail address, so that eSIMs and
 * other digital products can be bought too.
 */
export const PRODUCT_TYPES = ['giftcard', 'mobile_topup'] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

/** Labels shown for the interface's values. */
export const PRODUCT_TYPE_LABELS: Readonly<Record<ProductType, Message>> = {
  giftcard: t`Gift card or eSIM`,
  mobile_topup: t`Mobile top-up`,
};

/** Keys of the answers, in the order of the questions (interface: Question order). */
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
  /** Given with the answers, not asked for: the language of messages to the recipient. */
  readonly lang?: string | undefined;
};

export interface WizardCountry {
  /** ISO 3166-1 alpha-2 or `XK`, in either case. */
  readonly code: string;
  /** Name as shown. */
  readonly name: string;
  /** Another accepted name, such as the English one. */
  readonly other?: string;
}

export interface WizardBrand {
  readonly name: string;
  readonly isOutOfStock: boolean;
}

export interface WizardProduct {
  /** Denomination in an order of a fixed product, such as `25 USD`. */
  readonly label: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly denomination: Denomination;
}

interface WizardNetwork {
  readonly name: string;
  readonly isSuspended: boolean;
}

/** A coin, and the networks on which the buyer's own wallet may pay with it. */
export interface WizardCoin {
  readonly name: string;
  readonly isSuspended: boolean;
  readonly networks: readonly WizardNetwork[];
}

/** Source of the wizard's data: the service reads its catalog, a client asks a merchant. */
export interface WizardHost {
  /** Countries where anything is sold. */
  countries(): Promise<readonly WizardCountry[]>;
  /** Brands with products of a type in a country, in display order. */
  brands(country: string, type: ProductType): Promise<readonly WizardBrand[]>;
  products(country: string, brand: string, type: ProductType): Promise<readonly WizardProduct[]>;
  coins(): Promise<readonly WizardCoin[]>;
  /** Price of complete answers, such as `25.25 USDC`; undefined when unknown. */
  price(answers: Answers): Promise<string | undefined>;
  /**
   * Returns the recipient in the form that the product type needs.
   * @param country whose numbering plan applies to a phone number without +
   * @throws {ScripError} EMAIL_INVALID, PHONE_INVALID
   */
  checkBeneficiary(type: ProductType, account: string, country: string): Promise<string>;
}

/** Why an answer is rejected. `suggestions` are valid answers. */
export interface WrongAnswer {
  readonly error: Message;
  readonly fix: Message;
  readonly suggestions: readonly string[];
}

export type Accepted = { readonly value: string } | WrongAnswer;

/** One question. `answers` holds all earlier answers. */
export interface Step {
  readonly key: StepKey;
  question(host: WizardHost, answers: Answers): Promise<Message>;
  expectedFormat(host: WizardHost, answers: Answers): Promise<Message>;
  /**
   * Answers that are accepted as they are; not all valid ones when values are free. Exception: a country may
   * turn out to sell nothing of the product type.
   */
  options(host: WizardHost, answers: Answers): Promise<readonly string[]>;
  accept(host: WizardHost, answers: Answers, text: string): Promise<Accepted>;
}

export function isWrong(accepted: Accepted): accepted is WrongAnswer {
  return 'error' in accepted;
}

/** Returns the answer of an earlier step. @throws {ScripError} INTERNAL when there is none */
export function answerOf(answers: Answers, key: AnswerKey): string {
  const answer = answers[key];
  if (answer === undefined)
    throw new ScripError('INTERNAL', verbatim(`the wizard has no ${key} yet`));
  return answer;
}

/** Returns the product type. @throws {ScripError} INTERNAL before the first step is answered */
export function productTypeOf(answers: Answers): ProductType {
  return answerOf(answers, 'product_type') === 'mobile_topup' ? 'mobile_topup' : 'giftcard';
}

const MAX_QUOTED = 60;

/** Quotes an answer for an error message, cut to one line. */
export function quoted(text: string): string {
  const whole = text.trim();
  return `"${whole.length > MAX_QUOTED ? `${whole.slice(0, MAX_QUOTED)}…` : whole}"`;
}

const MOST_SUGGESTIONS = 5;
/** All choices are named where there are no more of them. */
const MOST_NAMED = 12;

/**
 * Returns the names that a text may mean: one is an answer, several need a choice, none is a mistake.
 * @param options isShortTaken: the first words of a name are enough when no other name is similar
 */
export function namesMeant(
  names: readonly string[],
  text: string,
  { isShortTaken }: { readonly isShortTaken: boolean },
): readonly string[] {
  const distinct = [...new Set(names)];
  const wanted = text.trim().toLowerCase();
  const same = distinct.filter((name) => name.toLowerCase() === wanted);
  if (same.length > 0) return same;
  const query = nameKey(text);
  if (query.solid === '') return [];
  const keyed = distinct.map((name) => ({ name, key: nameKey(name) }));
  const equal = keyed.filter(({ key }) => key.solid === query.solid);
  if (equal.length > 0) return equal.map(({ name }) => name);
  const begun = keyed.filter(({ key }) => key.words.startsWith(`${query.words} `));
  if (!isShortTaken || begun.length === 0) return [];
  const alike = keyed.filter(({ key }) => directRank(key, query) !== undefined);
  return alike.map(({ name }) => name);
}

interface Mistake {
  readonly text: string;
  /** The kind of choice, such as `brand`. */
  readonly noun: Message;
  /** Where the names apply, such as ` in United States`; may be empty. */
  readonly place: Message;
  /** All valid choices. */
  readonly names: readonly string[];
  readonly meant: readonly string[];
}

/** Explains why a text is not a valid choice, and suggests the most similar names, or the first few. */
export function notOne({ text, noun, place, names, meant }: Mistake): WrongAnswer {
  if (meant.length > 1) {
    return {
      error: t`${quoted(text)} matches ${meant.length} of the choices${place}`,
      fix: t`Name the ${noun} in full.`,
      suggestions: meant.slice(0, MOST_SUGGESTIONS),
    };
  }
  const like = nearest(names, text, MOST_SUGGESTIONS);
  const isShort = names.length <= MOST_NAMED;
  const another = isShort
    ? t`Answer with one of these: ${names.join(', ')}.`
    : t`Answer with one of the suggestions, or with another ${noun}.`;
  return {
    error: t`${quoted(text)} matches no ${noun}${place}`,
    fix: names.length === 0 ? t`Send the action back and change the previous answer.` : another,
    suggestions: like.length > 0 ? like : names.slice(0, MOST_SUGGESTIONS),
  };
}

/** Returns the question that confirms all answers. */
export async function describeRecap(host: WizardHost, answers: Answers): Promise<Message> {
  const price = await host.price(answers);
  const of = (key: Parameters<typeof answerOf>[1]): string => answerOf(answers, key);
  const what = productTypeOf(answers) === 'mobile_topup' ? t`Mobile top-up` : t`Gift card`;
  const payment = t`${price ?? of('coin')} on ${of('network')}`;
  return joined(
    [
      t`${what}: ${of('brand')}, ${of('amount')}, for ${of('country')}.`,
      t`Sent to ${of('beneficiary_account')}.`,
      t`Paid with ${payment}, ordered by ${of('user_email')}.`,
      t`Is everything right?`,
    ],
    ' ',
  );
}
