/** Completes an order from the command line: what is missing is asked for, or refused if no question can be asked. */

import { ABILITIES } from '../../api/abilities.ts';
import { checkEmail } from '../../domain/address/email.ts';
import { expected } from '../../domain/attempt.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { remade, ScripError } from '../../domain/message/errors.ts';
import { joined, type Message, t } from '../../domain/message/message.ts';
import {
  checkThousands,
  FACE_DECIMALS,
  formatDecimal,
  mayBeThousands,
  parseDecimal,
} from '../../domain/money/money.ts';
import { checkBeneficiary } from '../../domain/product/beneficiary.ts';
import type { ProductKind } from '../../domain/product/product.ts';
import { namingError } from '../batch/flags.ts';
import { countryMeant } from '../browsing/country.ts';
import type { BuyerContext, With } from '../context.ts';
import { scripDeps } from '../scrip-deps.ts';
import { keepAnswer } from '../settings/config-change.ts';
import { checkConsent, mayAsk, missingFlags } from './consent.ts';
import { type NamedProduct, type OrderRequest, type OrderWords, shopFor } from './named-product.ts';

/**
 * Checks the typed words and, in non-interactive use, that nothing is missing.
 * @param name looks the product up, to report a misspelt one before a missing option
 * @throws {ScripError} USAGE, TERMINAL_REQUIRED, BENEFICIARY_INVALID, EMAIL_INVALID, AMOUNT_INVALID, and the
 * codes of `name` for words that mean no single product
 */
export async function checkComplete(
  context: BuyerContext,
  request: OrderRequest,
  name: () => Promise<NamedProduct>,
): Promise<void> {
  const { words, input } = request;
  checkTyped(words);
  await checkValue(context, request);
  if (mayAsk(context, input)) return;
  if (words.product === undefined) throw namingError();
  const options = await missingOptions(context, request);
  const { isAgreed, isPaid, orderInput } = input;
  const consent = { isAgreed, isUnlimited: isPaid && orderInput.maxAmount === undefined };
  const isConsentNeeded = !input.isDryRun && !context.settings.mayPrompt;
  const missing = [...options, ...(isConsentNeeded ? missingFlags(consent) : [])];
  if (missing.length === 0) return;
  const named = options.includes('--country')
    ? undefined
    : await checkSpelling(name, options, missing);
  if (named !== undefined) await checkSentTo(named, words.to ?? context.settings.to);
  if (options.length > 0) throw missingError(missing);
  checkConsent(context, consent);
}

/** Checks each word on its own, without a request. @throws {ScripError} for an invalid one */
function checkTyped({ to, email, value }: OrderWords): void {
  if (to !== undefined && !isAccount(to) && email === undefined) {
    throw new ScripError(
      'BENEFICIARY_INVALID',
      t`--to "${to}" is neither an e-mail address nor a phone number`,
    );
  }
  if (email !== undefined) checkEmail(email);
  if (value !== undefined) parseDecimal(value, FACE_DECIMALS);
}

/** Asks about a value that may be thousands, if a question may be asked. @throws {ScripError} AMOUNT_INVALID */
async function checkValue(context: BuyerContext, request: OrderRequest): Promise<void> {
  const { value } = request.words;
  if (value === undefined || !mayBeThousands(value)) return;
  const small = formatDecimal(parseDecimal(value, FACE_DECIMALS), FACE_DECIMALS);
  const question = t`Is the value ${small}, and not ${value.replace('.', '')}?`;
  const isMeant = mayAsk(context, request.input) && (await context.io.prompter.confirm(question));
  if (!isMeant) checkThousands(value);
}

/** Whether it looks like an e-mail address or a phone number. */
function isAccount(text: string): boolean {
  return text.trim() === '' || /@|^\s*\+?[0-9 ().-]+$/.test(text);
}

async function missingOptions(
  context: With<'settings' | 'files'>,
  { words }: OrderRequest,
): Promise<readonly string[]> {
  const { settings } = context;
  const country = await countryMeant(context, words.country, words.product);
  const to = words.to ?? settings.to;
  const email = words.email ?? settings.email;
  const isReached = email !== undefined || to === undefined || to.includes('@');
  return [
    ...(country === undefined ? ['--country'] : []),
    ...(to === undefined ? ['--to'] : []),
    ...(isReached ? [] : ['--email']),
  ];
}

/** Codes of errors for words that mean no single product. */
const MISSPELT: ReadonlySet<string> = new Set([
  'BRAND_UNKNOWN',
  'PRODUCT_UNKNOWN',
  'PRODUCT_AMBIGUOUS',
  'COUNTRY_UNKNOWN',
  'VALUE_OUT_OF_RANGE',
]);

/**
 * Refuses a phone number for a product that is sent by e-mail, before the user's own address is asked for.
 * @throws {ScripError} EMAIL_INVALID
 */
export async function checkSentTo(
  { kind }: Pick<NamedProduct, 'kind'>,
  to: string | undefined,
): Promise<void> {
  const isMailed = kind === 'giftcard' || kind === 'esim';
  if (isMailed && to !== undefined) await checkBeneficiary(kind, to);
}

/** Reports a misspelt product. @throws {ScripError} of `name`, with the missing options in its hint */
function checkSpelling(
  name: () => Promise<NamedProduct>,
  options: readonly string[],
  missing: readonly string[],
): Promise<NamedProduct | undefined> {
  const misspelt = expected((error) => {
    // The catalog cannot be read, so only the missing options can be reported.
    if (!MISSPELT.has(error.code)) return undefined;
    const { details, hint } = error;
    // Without the consent flags: suggested commands in the hint already have --yes.
    const also = [t`Also missing: ${options.join(', ')}`, ...meaningsOf(options)];
    throw remade(error, {
      details: { ...details, missing },
      hint: joined([hint, ...(options.length === 0 ? [] : also)], '\n'),
    });
  });
  return name().catch(misspelt);
}

/** Names every missing option, and says what the recipient and the e-mail address are. */
export function missingError(missing: readonly string[]): ScripError {
  const more = commandText`scrip order --help has examples; scrip wizard asks step by step.`;
  return new ScripError('USAGE', t`Required option not given: ${missing.join(', ')}`, {
    details: { missing },
    hint: joined([...meaningsOf(missing), more], '\n'),
  });
}

function meaningsOf(options: readonly string[]): readonly Message[] {
  return options.flatMap((option) => MEANINGS.get(option) ?? []);
}

const MEANINGS: ReadonlyMap<string, Message> = new Map([
  [
    '--country',
    commandText`--country is where it will be used. To save a default: scrip config set country <code>`,
  ],
  [
    '--to',
    commandText`--to is who receives it: an e-mail address, or +phone for a top-up, with your own --email. To save a default: scrip config set to <value>`,
  ],
  [
    '--email',
    commandText`--email is your own address, for messages from the merchant. To save a default: scrip config set email <value>`,
  ],
  ['--yes', t`--yes buys without a question, for at most --max-amount.`],
]);

/** Returns the recipient. @throws {ScripError} USAGE in non-interactive use, INTERRUPTED */
export async function recipientFor(
  context: BuyerContext,
  request: OrderRequest,
  product: NamedProduct,
): Promise<string> {
  const { words } = request;
  const { settings } = context;
  if (words.to !== undefined) return words.to;
  const kind = product.kind ?? (await kindOf(context, request, product));
  const isPhone = kind === 'mobile_topup';
  const usual = settings.to;
  const isFit = usual !== undefined && (kind === undefined || usual.includes('@') !== isPhone);
  if (isFit) return usual;
  if (!mayAsk(context, request.input)) throw missingError(['--to']);
  const { askOne } = await import('../wizard/screen.ts');
  const answers = {
    product_type: isPhone ? 'mobile_topup' : 'giftcard',
    country: product.country.toUpperCase(),
  };
  const to = await askOne(context, await shopFor(context), {
    key: 'beneficiary_account',
    answers,
    proposal: isPhone ? undefined : (words.email ?? settings.email),
  });
  if (!isPhone && words.email === undefined && settings.email === undefined) {
    await offerToKeep(context, to);
  }
  return to;
}

/** The recipient may be a friend, so ask whether it is the user's own address. */
async function offerToKeep(context: BuyerContext, email: string): Promise<void> {
  const question = t`Is ${email} your own address, to be proposed next time?`;
  if (await context.io.prompter.confirm(question, { isYesUsual: true }))
    await keepAnswer(context, { setting: 'email', value: email });
}

/** The kind of a product named by id and brand, if the recipient depends on it. */
async function kindOf(
  context: BuyerContext,
  { input }: OrderRequest,
  { productId, country, brand }: NamedProduct,
): Promise<ProductKind | undefined> {
  if (!ABILITIES[input.merchant].needs.includes('brand') || brand === undefined) return undefined;
  const { openCatalog } = await import('../../api/merchants.ts');
  const catalog = await openCatalog(scripDeps(context), input.merchant);
  const products = await catalog.products({ country, brand });
  return products.find(({ id }) => id === productId)?.kind;
}

/** Returns the user's own e-mail address. @throws {ScripError} INTERRUPTED */
export async function emailFor(
  context: BuyerContext,
  { words }: OrderRequest,
  to: string,
): Promise<string> {
  const known = words.email ?? context.settings.email;
  if (known !== undefined) return known;
  if (to.includes('@')) return to;
  return askOwnEmail(context);
}

/** Asks for the user's own e-mail address, and saves it. @throws {ScripError} INTERRUPTED */
export async function askOwnEmail(context: BuyerContext): Promise<string> {
  const { askOne } = await import('../wizard/screen.ts');
  const email = await askOne(context, await shopFor(context), { key: 'user_email', answers: {} });
  await keepAnswer(context, { setting: 'email', value: email });
  return email;
}
