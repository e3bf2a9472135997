/** Parses the options of `scrip order`, with a product or a cart. */

import type { Timeouts } from '../../api/timeouts.ts';
import { webhookProblem } from '../../domain/address/webhook-address.ts';
import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { checkThousands } from '../../domain/money/money.ts';
import { parseUsdc } from '../amount.ts';

export interface CartFlags {
  readonly cart?: string;
  readonly to?: string;
  readonly email?: string;
  readonly value?: string;
  readonly country?: string;
  readonly brand?: string;
  readonly maxAmount?: string;
  readonly maxTotal?: string;
  readonly callbackUrl?: string;
  readonly concurrency: string;
  readonly skipInvalid?: boolean;
  readonly idempotencyKey?: string;
  readonly allowDuplicate?: boolean;
  readonly allowOtherCountry?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly reveal?: boolean;
  readonly note?: string;
}

/** Options only for one product, and only for a cart. */
const ONE_ALONE = ['maxAmount', 'callbackUrl'] as const;
const CART_ALONE = ['maxTotal', 'skipInvalid'] as const;

const HINTS: Readonly<Record<string, Message>> = {
  maxAmount: t`Limit a cart with --max-total.`,
  callbackUrl: t`Follow the orders of a cart with: scrip track --all`,
};

/**
 * Checks the options.
 * @throws {ScripError} USAGE for a product together with a cart, or an option of the other
 */
export function checkNaming(product: string | undefined, flags: CartFlags): void {
  if (product !== undefined && flags.cart !== undefined) {
    throw new ScripError('USAGE', t`Name a product or a cart, not both`, {
      hint: t`Leave out the product, or --cart.`,
    });
  }
  const stray =
    flags.cart !== undefined
      ? ONE_ALONE.find((name) => flags[name] !== undefined)
      : CART_ALONE.find((name) => flags[name] !== undefined);
  if (stray === undefined) return;
  const hint = HINTS[stray] ?? t`Name a cart with --cart.`;
  throw new ScripError('USAGE', t`${flagOf(stray)} does not apply to this order`, { hint });
}

/** The error if neither a product nor a cart is named. */
export function namingError(): ScripError {
  return new ScripError('USAGE', t`Name a product, or a cart with --cart`, {
    hint: t`Such as: scrip order amazon 25 --to <beneficiary>, with a cart: scrip order --cart gifts.csv, or: scrip wizard`,
  });
}

export type CartOptions = ReturnType<typeof readCartOptions>;

/** Parses the options. @throws {ScripError} AMOUNT_INVALID, INPUT_INVALID, before any request is sent */
export function readCartOptions(flags: CartFlags, timeouts: Timeouts, typed: readonly string[]) {
  const { cart = '', email, to, value, country, brand, maxTotal, idempotencyKey, note } = flags;
  if (value !== undefined) checkThousands(value);
  return {
    /** Path, or `-` for standard input. */
    cart,
    /** Undefined for the e-mail address of the settings. */
    email,
    /** Values for lines that lack them. */
    defaults: { to, value, country, brand },
    /** Empty for all carts without an idempotency key. */
    scope: idempotencyKey === undefined ? '' : checkKey(idempotencyKey),
    budgetAtomic: maxTotal === undefined ? undefined : parseUsdc(maxTotal),
    concurrency: readConcurrency(flags.concurrency),
    skipsInvalid: flags.skipInvalid ?? false,
    allowsDuplicate: flags.allowDuplicate ?? false,
    allowsOtherCountry: flags.allowOtherCountry ?? false,
    isAgreed: flags.yes ?? false,
    isDryRun: flags.dryRun ?? false,
    isRevealed: flags.reveal ?? false,
    note: note === undefined ? undefined : checkNote(note),
    timeouts,
    /** The options as typed. */
    typed,
  };
}

/** The command that lists every line of the cart without buying; undefined for a cart from a pipe. */
export function listingLine({ cart, typed }: CartOptions): Message | undefined {
  if (cart === '-') return undefined;
  return commandText`scrip order ${wordList(typed, ' ')} --dry-run | less`;
}

/** The name of the cart's file in a sentence. */
export function fileText({ cart }: Pick<CartOptions, 'cart'>): Message {
  return cart === '-' ? t`the cart` : t`${cart.replace(/^.*[/\\]/, '')}`;
}

/** Ours: more concurrent payments are no faster, and a burden for the merchant. */
const MOST_AT_ONCE = 32;

function readConcurrency(text: string): number {
  const number = /^[1-9]\d?$/.test(text) ? Number(text) : MOST_AT_ONCE + 1;
  if (number <= MOST_AT_ONCE) return number;
  throw new ScripError(
    'INPUT_INVALID',
    t`--concurrency "${text}" is not a number from 1 to ${MOST_AT_ONCE}`,
  );
}

const MAX_LENGTH = 500;

/** Checks a note. @throws {ScripError} INPUT_INVALID when it is empty or longer than 500 characters */
export function checkNote(text: string): string {
  const note = text.trim();
  if (note !== '' && [...note].length <= MAX_LENGTH) return note;
  throw new ScripError('INPUT_INVALID', t`--note must have 1 to ${MAX_LENGTH} characters`);
}

/** Turns `maxTotal` into `--max-total`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Checks an idempotency key. @throws {ScripError} INPUT_INVALID */
export function checkKey(key: string): string {
  if (/^[\x21-\x7e]{1,128}$/.test(key)) return key;
  throw new ScripError(
    'INPUT_INVALID',
    t`An idempotency key must be 1 to 128 printable characters without spaces`,
  );
}

/**
 * Checks the URL to which the merchant sends webhooks; the merchant may refuse more.
 * @throws {ScripError} INPUT_INVALID
 */
export function checkCallbackUrl(url: string): string {
  const problem = webhookProblem(url, { isPrivateAllowed: true });
  if (problem === undefined) return url;
  throw new ScripError('INPUT_INVALID', t`--callback-url is ${problem}`);
}
