/** Who receives the goods: checked, written as it is ordered with, and a phone number with its country. */

import { ScripError } from '../domain/errors.ts';
import { type Said, t } from '../domain/message.ts';
import type { ProductKind } from '../domain/product.ts';
import { countryName } from './country-name.ts';
import type { ScripDeps } from './scrip.ts';

export interface Recipient {
  /** As it is ordered with: an e-mail address, or a phone number in E.164. */
  readonly account: string;
  /** As it is shown: `+442071838750 (United Kingdom)`. */
  readonly text: string;
  /** Of a phone number, two letters, lowercase; null where its plan does not tell, and of addresses. */
  readonly phoneCountry: string | null;
  /** Set where a phone number is of another country than the product. */
  readonly elsewhere: Elsewhere | undefined;
}

/** Countries by name. */
export interface Elsewhere {
  readonly phone: Said;
  readonly product: string;
}

interface Asked {
  /** Undefined where the catalog does not say. */
  readonly kind: ProductKind | undefined;
  readonly account: string;
  /** Of the product. */
  readonly countryCode: string;
}

type Names = Pick<ScripDeps, 'parsePhone' | 'countries' | 'toldIn'>;

/** @throws {ScripError} EMAIL_INVALID, PHONE_INVALID */
export async function readRecipient(deps: Names, asked: Asked): Promise<Recipient> {
  const account = await checkedAccount(deps, asked);
  return recipientOf(deps, account, asked.countryCode);
}

async function checkedAccount(
  { parsePhone }: Names,
  { kind, account, countryCode }: Asked,
): Promise<string> {
  // The merchant knows what else an account may be.
  if (kind === undefined) return account;
  const { checkBeneficiary } = await import('../domain/beneficiary.ts');
  return checkBeneficiary(kind, account, parsePhone, countryCode);
}

/** An account in the form that it is ordered with, and what is to be told of it. */
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
  // The code that is dialled tells it apart even where the plan does not tell the country.
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

/** Each once. A number of another country may be meant, and is mostly a slip: a top-up cannot be taken back. */
export function strangersAmong(recipients: readonly Recipient[]): readonly Stranger[] {
  const strange = recipients.filter(isStranger);
  return [...new Map(strange.map((one) => [one.account, one])).values()];
}

function isStranger(recipient: Recipient): recipient is Stranger {
  return recipient.elsewhere !== undefined;
}

/** Without the number: what is written to standard error is often kept. */
export function otherCountryError({ phone, product }: Elsewhere): ScripError {
  return new ScripError(
    'PHONE_OTHER_COUNTRY',
    t`The phone number’s country is ${phone}, the product’s is ${product}; nothing was sent`,
    { details: { phone_country: phone, product_country: product } },
  );
}
