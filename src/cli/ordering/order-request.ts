/** An order as it is said in a command line, made whole: product, country, recipient and e-mail. */

import { ABILITIES } from '../../api/abilities.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { checkEmail } from '../../domain/beneficiary.ts';
import { defaultCapText } from '../../domain/cap.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import type { Entry } from '../../domain/journal.ts';
import { t } from '../../domain/message.ts';
import { atomic, FACE_DECIMALS, parseDecimal } from '../../domain/money.ts';
import { DEFAULT_COIN, isSameName } from '../../domain/payment-means.ts';
import type { ProductKind } from '../../domain/product.ts';
import type { WizardHost } from '../../domain/wizard-step.ts';
import { namingError } from '../batch/flags.ts';
import { countryFor, knownCountry } from '../browsing/country.ts';
import type { OfferedProduct } from '../browsing/offered-product.ts';
import type { With } from '../context.ts';
import type { View } from '../output/view.ts';
import { scripDeps } from '../scrip-deps.ts';
import { keepAnswer } from '../settings/kept-answer.ts';
import { checkConsent } from './asking.ts';
import { type PlaceOrderInput, placeOrder } from './ordering.ts';

/** Of the context: answers are kept in the settings. */
type Around = With<'version' | 'settings' | 'io' | 'parts' | 'keys' | 'files'>;

/** What was typed of one order; what is left out, settings or answers say. */
export interface OrderWords {
  /** An id, a brand, or the name of a product; undefined where it is to be asked for. */
  readonly product: string | undefined;
  readonly value: string | undefined;
  readonly country: string | undefined;
  /** With it the words are an id. */
  readonly brand: string | undefined;
  readonly to: string | undefined;
  readonly email: string | undefined;
  readonly quantity: number;
}

export interface OrderRequest {
  readonly words: OrderWords;
  /** Everything else; its item and its e-mail are those of the words. */
  readonly input: PlaceOrderInput;
  /** The other options as they were typed, for a line that orders the same by its id. */
  readonly options: readonly string[];
}

/** @throws {ScripError} as `placeOrder`; USAGE naming what is missing; the codes of `chooseProduct` */
export async function orderInWords(context: Around, request: OrderRequest): Promise<View> {
  const { words, input } = request;
  checkComplete(context, request);
  const begun = await begunBefore(context, input);
  const before = begun && (await namedBefore(begun, words));
  const named = before ?? (await nameProduct(context, request));
  const to = await recipientFor(context, request, named);
  const email = await emailFor(context, request, { ...named, to });
  const { quantity } = words;
  const { productId, country, brand, value } = named;
  const item = { productId, country, brand, value, to, quantity };
  const orderInput = { ...input.orderInput, items: [item], email };
  const known = begun && (await boughtBefore(context, begun, { ...input, orderInput }));
  if (known !== undefined) return known;
  return placeOrder(context, { ...input, orderInput }, { isShown: false, isAnswered: false });
}

/** Reports everything that non-interactive use lacks, before any request. */
function checkComplete(context: With<'settings' | 'io'>, request: OrderRequest): void {
  const { settings } = context;
  const { words, input } = request;
  const { merchant, orderInput, isAgreed, isDryRun, isPaid } = input;
  const to = words.to ?? settings.to;
  if (words.to !== undefined && !isAccount(words.to) && words.email === undefined) {
    throw new ScripError(
      'BENEFICIARY_INVALID',
      t`--to "${words.to}" is neither an e-mail address nor a phone number`,
    );
  }
  if (!isAsking(context, request)) {
    if (words.product === undefined) throw namingError();
    const { needs } = ABILITIES[merchant];
    const needsCountry = needs.includes('country') && !knownCountry(context, words.country);
    const email = words.email ?? settings.email;
    const isReached = email !== undefined || to === undefined || to.includes('@');
    const missing = [
      ...(needsCountry ? ['--country'] : []),
      ...(to === undefined ? ['--to'] : []),
      ...(isReached ? [] : ['--email']),
    ];
    if (missing.length > 0) throw missingError(missing);
    const isUnlimited = isPaid && orderInput.maxAmount === undefined;
    if (!isDryRun) {
      checkConsent(context, { isAgreed, limitFlag: isUnlimited ? '--max-amount' : undefined });
    }
  }
  if (words.email !== undefined) checkEmail(words.email);
  if (words.value !== undefined) parseDecimal(words.value, FACE_DECIMALS);
}

/** Whether this run may ask questions. */
function isAsking({ settings }: With<'settings'>, { input }: OrderRequest): boolean {
  return settings.mayPrompt && !input.isAgreed;
}

/** What a merchant may write to or call. */
function isAccount(text: string): boolean {
  return text.trim() === '' || /@|^\s*\+?[0-9 ().-]+$/.test(text);
}

/** Names every one that is missing. */
function missingError(missing: readonly string[]): ScripError {
  const named = missing.join(', ');
  const what =
    missing.length === 1
      ? t`Required option not given: ${named}`
      : t`Required options not given: ${named}`;
  const [first = ''] = missing;
  return new ScripError('USAGE', what, {
    details: { missing },
    hint: commandText`To save a default: scrip config set ${first.slice(2)} <value>. scrip order --help has examples; scrip wizard asks step by step.`,
  });
}

/** The purchase that the key has begun at the checkout host: its journal is asked before the catalog. */
async function begunBefore(
  context: Around,
  { key, merchant, isDryRun }: PlaceOrderInput,
): Promise<Entry | undefined> {
  if (key === undefined || merchant !== 'checkout' || isDryRun) return undefined;
  const { begunWith } = await import('../../api/checkout/bought-before.ts');
  return begunWith(scripDeps(context), key);
}

/** Its product, where the words mean it as well: lists may have changed since. */
async function namedBefore(
  entry: Entry,
  { product = '', value, country, brand }: OrderWords,
): Promise<NamedProduct | undefined> {
  const { productId, productName, brandName, countryCode, faceValue } = entry.intent.summary;
  const at = faceValue === '' ? undefined : parseDecimal(faceValue, FACE_DECIMALS);
  const values = at === undefined ? undefined : { min: at, max: at };
  const sold = { id: productId, name: productName, brand: brandName, values };
  const wanted = value === undefined ? undefined : parseDecimal(value, FACE_DECIMALS);
  const { productsMeant } = await import('../../domain/product-match.ts');
  const isMeant = productsMeant([sold], product, wanted).some(({ isExact }) => isExact);
  const isThere = country === undefined || country.trim().toLowerCase() === countryCode;
  const isOfBrand = brand === undefined || brand === brandName;
  const { valueBegun } = await import('../../api/checkout/bought-before.ts');
  const chosen = valueBegun(entry);
  const isWhole = value !== undefined || chosen === undefined;
  if (!isMeant || !isThere || !isOfBrand || !isWhole) return undefined;
  return { productId, country: countryCode, brand: brandName, value: chosen, kind: undefined };
}

/** What was bought with the key, where the very same is ordered again. */
async function boughtBefore(
  context: Around,
  entry: Entry,
  input: PlaceOrderInput,
): Promise<View | undefined> {
  const { goodsBefore } = await import('../../api/checkout/bought-before.ts');
  const { openMerchant } = await import('../../api/merchants.ts');
  const merchant = await openMerchant(scripDeps(context), 'checkout');
  const bought = await goodsBefore(merchant, { entry, orderInput: input.orderInput, terms: input });
  if (bought === undefined) return undefined;
  const { noticePrinter } = await import('./notices.ts');
  noticePrinter(context).notify({ kind: 'bought-before', bought: entry.intent });
  const { boughtView } = await import('../orders/bought.ts');
  const { forOutput } = await import('../orders/codes.ts');
  return forOutput(
    context,
    await boughtView(bought, {
      isPaid: true,
      isResumed: false,
      isPlay: context.settings.isEmbedded,
    }),
    input,
  );
}

interface NamedProduct {
  readonly productId: string;
  readonly country: string;
  readonly brand: string | undefined;
  readonly value: string | undefined;
  /** Undefined where the merchant says it later. */
  readonly kind: ProductKind | undefined;
}

async function nameProduct(context: Around, request: OrderRequest): Promise<NamedProduct> {
  const { words, input } = request;
  const { product = '', value, brand } = words;
  const isCertain = !isAsking(context, request);
  const { needs } = ABILITIES[input.merchant];
  const country =
    needs.includes('country') || !isCertain
      ? await countryFor(context, words.country)
      : (knownCountry(context, words.country) ?? context.settings.countryCode);
  if (brand !== undefined) {
    return { productId: product, country, brand, value, kind: undefined };
  }
  const { chooseProduct } = await import('../browsing/product-choice.ts');
  context.io.progress.step(t`Looking for the product`);
  const offer = await chooseProduct(
    context,
    { words: product, value, country, merchant: input.merchant },
    { isCertain, lineFor: (one) => lineFor(one, request) },
  );
  context.io.progress.done();
  const { id, countryCode, kind } = offer.product;
  return {
    productId: id,
    country: countryCode,
    brand: offer.product.brand,
    value: isCertain ? offer.value : await valueFor(context, offer),
    kind,
  };
}

/** The same order by the id of one product: with a limit, so that it needs no other answer. */
function lineFor(
  { product: { id }, value, priceUsdc }: OfferedProduct,
  { options, input: { orderInput } }: OrderRequest,
): readonly string[] {
  // The limit is in the coin that is paid, and the lists have prices in USDC.
  const isInUsdc = isSameName(orderInput.coin ?? DEFAULT_COIN, DEFAULT_COIN);
  const listed = priceUsdc === undefined || !isInUsdc ? undefined : capText(priceUsdc);
  const cap = orderInput.maxAmount ?? listed;
  return [
    ...['order', id],
    ...(value === undefined ? [] : [value]),
    ...options,
    '--yes',
    ...(cap === undefined ? [] : ['--max-amount', cap]),
  ];
}

function capText(priceUsdc: string): string {
  return defaultCapText(parseDecimal(priceUsdc, USDC_DECIMALS), USDC_DECIMALS);
}

/** The value of a range, asked for where none was named. */
async function valueFor(
  context: Around,
  { product, value }: OfferedProduct,
): Promise<string | undefined> {
  const { isRange, values, currency = 'USD', name, brand } = product;
  if (!isRange || value !== undefined || values === undefined) return value;
  const denomination = { isRange: true, ...values, step: VALUE_STEP } as const;
  const shop = await shopFor(context);
  const host = { ...shop, products: async () => [{ label: name, currency, denomination }] };
  const answers = { product_type: 'giftcard', country: product.countryCode, brand };
  const { askOne } = await import('../wizard/one-question.ts');
  const answer = await askOne(context, host, { key: 'amount', answers });
  return answer.split(' ')[0];
}

/** Ours: the checkout host names no step of a value; it refuses one that is off its own. */
const VALUE_STEP = atomic(10_000n);

/** @throws {ScripError} USAGE in non-interactive use, INTERRUPTED */
async function recipientFor(
  context: Around,
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
  if (!isAsking(context, request)) throw missingError(['--to']);
  const { askOne } = await import('../wizard/one-question.ts');
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

/** A code is sent to friends as well: whose address it is, the user says. */
async function offerToKeep(context: Around, email: string): Promise<void> {
  const question = t`Is ${email} your own address, to be proposed next time?`;
  if (await context.io.prompter.confirm(question, { isYesUsual: true }))
    await keepAnswer(context, { setting: 'email', value: email });
}

/** What a product named by its id and brand is, where the question depends on it. */
async function kindOf(
  context: Around,
  { input }: OrderRequest,
  { productId, country, brand }: NamedProduct,
): Promise<ProductKind | undefined> {
  if (!ABILITIES[input.merchant].needs.includes('brand') || brand === undefined) return undefined;
  const { openCatalog } = await import('../../api/merchants.ts');
  const catalog = await openCatalog(scripDeps(context), input.merchant);
  const products = await catalog.products({ country, brand });
  return products.find(({ id }) => id === productId)?.kind;
}

/** The user's own e-mail address. @throws {ScripError} USAGE in non-interactive use, INTERRUPTED */
async function emailFor(
  context: Around,
  request: OrderRequest,
  { to, country }: NamedProduct & { readonly to: string },
): Promise<string> {
  const known = request.words.email ?? context.settings.email;
  if (known !== undefined) return known;
  if (to.includes('@')) return to;
  if (!isAsking(context, request)) throw missingError(['--email']);
  const { askOne } = await import('../wizard/one-question.ts');
  const answers = {
    product_type: 'mobile_topup',
    country: country.toUpperCase(),
    beneficiary_account: to,
  };
  const email = await askOne(context, await shopFor(context), { key: 'user_email', answers });
  await keepAnswer(context, { setting: 'email', value: email });
  return email;
}

async function shopFor(context: Around): Promise<WizardHost> {
  const { createWizardCatalog } = await import('../wizard/wizard-catalog.ts');
  return createWizardCatalog(context, async () => undefined);
}
