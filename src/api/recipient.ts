/** Checks who receives the goods, and finds the country of a phone number. */

import { ScripError } from '../domain/message/errors.ts';
import { type Said, t } from '../domain/message/message.ts';
import type { ProductKind } from '../domain/product/product.ts';
import { countryName } from './nearest-country.ts';
import type { ScripDeps } from './scrip.ts';

export interface Recipient {
  /** For the order: an e-mail address, or a phone number in E.164. */
  readonly account: string;
  /** As shown: `+447400123456 (United Kingdom)`. */
  readonly text: string;
  /**
   * Country of a phone number, two lowercase letters; null when its plan does not show it, and for e-mail
   * addresses.
   */
  readonly phoneCountry: string | null;
  /** Set when a phone number is of another country than the product. */
  readonly elsewhere: Elsewhere | undefined;
}

/** Country names. */
export interface Elsewhere {
  readonly phone: Said;
  readonly product: string;
}

type Names = Pick<ScripDeps, 'parsePhone' | 'countries' | 'toldIn'>;

/**
 * Checks an account.
 * @param kind undefined when the catalog does not say
 * @param countryCode country of the product
 * @throws {ScripError} EMAIL_INVALID, PHONE_INVALID
 */
export async function readRecipient(
  deps: Names,
  {
    kind,
    account,
    countryCode,
  }: {
    readonly kind: ProductKind | undefined;
    readonly account: string;
    readonly countryCode: string;
  },
): Promise<Recipient> {
  const { checkBeneficiary, checkNotSpreadsheet } = await import(
    '../domain/product/beneficiary.ts'
  );
  if (kind !== undefined) {
    const checked = await checkBeneficiary(kind, account, deps.parsePhone, countryCode);
    return recipientOf(deps, checked, countryCode);
  }
  // Only the merchant knows what an account of an unknown kind may be, but no account is a decimal.
  checkNotSpreadsheet(account);
  return recipientOf(deps, account, countryCode);
}

/** Returns an account with the text to show for it. */
export async function recipientOf(
  deps: Names,
  account: string,
  countryCode: string,
): Promise<Recipient> {
  const plain = { account, text: account, phoneCountry: null, elsewhere: undefined };
  if (!/^\+[0-9 ().-]+$/.test(account.trim())) return plain;
  const phone = await deps.parsePhone(account.trim());
  if (phone === undefined) return plain;
  const names = await countryNames(deps);
  // `isOf` compares dialling codes, so this works even when the plan does not show the country.
  const named = phone.countryCode === undefined ? undefined : names(phone.countryCode);
  return {
    account,
    text: named === undefined ? account : `${account} (${named})`,
    phoneCountry: phone.countryCode ?? null,
    elsewhere: phone.isOf(countryCode)
      ? undefined
      : { phone: named ?? t`another country`, product: names(countryCode) },
  };
}

async function countryNames({ countries, toldIn }: Names): Promise<(code: string) => string> {
  const known = new Map((await countries()).map(({ code, name }) => [code, name]));
  return (text) => {
    const code = text.toLowerCase();
    return countryName({ code, name: known.get(code) ?? code.toUpperCase() }, toldIn);
  };
}

/** A recipient whose phone number is of another country than the product. */
export type Stranger = Recipient & { readonly elsewhere: Elsewhere };

/** Returns each of them once. Such a number is possible, but mostly a slip, and a top-up cannot be undone. */
export function strangersAmong(recipients: readonly Recipient[]): readonly Stranger[] {
  const strange = recipients.filter(isStranger);
  return [...new Map(strange.map((one) => [one.account, one])).values()];
}

function isStranger(recipient: Recipient): recipient is Stranger {
  return recipient.elsewhere !== undefined;
}

/** Leaves the number out: logs often keep standard error. */
export function otherCountryError({ phone, product }: Elsewhere): ScripError {
  return new ScripError(
    'PHONE_OTHER_COUNTRY',
    t`The phone number’s country is ${phone}, the product’s is ${product}; nothing was sent`,
    { details: { phone_country: phone, product_country: product } },
  );
}
