/** The questions of the guided purchase, in the interface's order. */

import { checkEmail } from '../address/email.ts';
import { expected } from '../attempt.ts';
import { type Message, t } from '../message/message.ts';
import { isSameName, OWN_NETWORK } from '../payment/payment-means.ts';
import { directRank, likely, nameKey, searchBrands } from '../product/catalog-query.ts';
import { countryNames, localName, meantCountries } from '../product/country.ts';
import { amountFormat, amountOptions, isMoney, readAmount } from './wizard-amount.ts';
import {
  type Accepted,
  type Answers,
  answerOf,
  describeRecap,
  isWrong,
  namesMeant,
  notOne,
  PRODUCT_TYPE_LABELS,
  PRODUCT_TYPES,
  type ProductType,
  productTypeOf,
  quoted,
  type Step,
  type StepKey,
  type WizardBrand,
  type WizardCountry,
  type WizardHost,
  type WizardProduct,
} from './wizard-step.ts';

const RECOMMENDED = { coin: 'USDC', network: OWN_NETWORK } as const;
const YES = 'yes';

const productType: Step = {
  key: 'product_type',
  question: async () => t`What do you want to buy?`,
  expectedFormat: async () =>
    t`giftcard (gift cards, eSIMs and everything else that is not a top-up) or mobile_topup`,
  options: async () => PRODUCT_TYPES,
  async accept(_host, _answers, text) {
    const { solid } = nameKey(text);
    const meant = PRODUCT_TYPES.filter((type) =>
      productTypeWords(type).some((word) => nameKey(word).solid === solid),
    );
    return oneOf(meant, { text, noun: t`product type`, place: t``, names: PRODUCT_TYPES });
  },
};

/** Words that mean a type; the interface's word comes first. */
function productTypeWords(type: ProductType): readonly string[] {
  return [type, String(PRODUCT_TYPE_LABELS[type]), ...MORE_WORDS[type]];
}

const MORE_WORDS: Readonly<Record<ProductType, readonly string[]>> = {
  giftcard: ['card', 'gift', 'esim'],
  mobile_topup: ['top-up', 'recharge', 'airtime'],
};

const country: Step = {
  key: 'country',
  question: async () => t`In which country will it be used?`,
  expectedFormat: async () => t`two-letter country code such as US, or the name of the country`,
  options: async (host) => (await host.countries()).map(({ name }) => name),
  async accept(host, answers, text) {
    const countries = await host.countries();
    const found = meantCountries(countries, text);
    const [only, ...others] = found;
    if (!only || others.length > 0) return noCountry(countries, found, text);
    const type = productTypeOf(answers);
    const brands = await host.brands(only.code, type);
    if (brands.some(({ isOutOfStock }) => !isOutOfStock)) return { value: only.code.toUpperCase() };
    return {
      error: t`No ${type} is sold in ${only.name}`,
      fix: t`Name another country, or send the action back and choose another product type.`,
      suggestions: [],
    };
  },
};

function noCountry(
  countries: readonly WizardCountry[],
  found: readonly WizardCountry[],
  text: string,
): Accepted {
  const shown = new Map(
    countries.flatMap((one) => countryNames(one).map((name) => [name, one.name] as const)),
  );
  const names = [...shown.keys()];
  const meant = found.map(({ name }) => name);
  const wrong = notOne({ text, noun: t`country where anything is sold`, place: t``, names, meant });
  const fix = t`Answer with a two-letter country code, or with the name of the country in full.`;
  if (meant.length > 1) return { ...wrong, fix };
  const short = text.trim().toLowerCase().replaceAll('.', '');
  const abbreviated = names.filter((name) => isAbbreviation(name, short));
  const like = [...abbreviated, ...likely(names, text, MOST_SUGGESTIONS)].map(
    (name) => shown.get(name) ?? name,
  );
  return { ...wrong, fix, suggestions: [...new Set(like)].slice(0, MOST_SUGGESTIONS) };
}

const MOST_SUGGESTIONS = 5;

/**
 * Whether a text abbreviates a name: `uk` for United Kingdom, `usa` for United States.
 * @param short lowercase, without dots
 */
function isAbbreviation(name: string, short: string): boolean {
  const words = name.toLowerCase().split(/[^\p{L}]+/u);
  const initials = words.map((word) => word.charAt(0)).join('');
  return initials.length > 1 && short.length <= initials.length + 1 && short.startsWith(initials);
}

const brand: Step = {
  key: 'brand',
  question: async (host, answers) =>
    t`Which brand do you want to buy in ${await countryOf(host, answers)}?`,
  expectedFormat: async () => t`name of a brand; the options list some of them`,
  options: async (host, answers) => namesInStock(await brandsOf(host, answers)),
  async accept(host, answers, text) {
    const brands = await brandsOf(host, answers);
    const inStock = namesInStock(brands);
    const meant = namesMeant(namesOf(brands), text, { isShortTaken: true });
    const place = t` in ${await countryOf(host, answers)}`;
    const chosen = oneOf(meant, { text, noun: t`brand`, place, names: inStock });
    if ('error' in chosen || inStock.includes(chosen.value)) return chosen;
    return {
      error: t`${chosen.value} is out of stock`,
      fix: t`Choose another brand, or come back later.`,
      suggestions: inStock.slice(0, 5),
    };
  },
};

const namesOf = (all: readonly { readonly name: string }[]): readonly string[] =>
  all.map(({ name }) => name);

const namesInStock = (brands: readonly WizardBrand[]): readonly string[] =>
  namesOf(brands.filter(({ isOutOfStock }) => !isOutOfStock));

/** The chosen country by its name. */
async function countryOf(host: WizardHost, answers: Answers): Promise<string> {
  const code = answerOf(answers, 'country');
  const countries = await host.countries();
  return countries.find((one) => one.code.toUpperCase() === code.toUpperCase())?.name ?? code;
}

const amount: Step = {
  key: 'amount',
  async question(host, answers) {
    const bought = answerOf(answers, 'brand');
    return (await productsOf(host, answers)).every(isMoney)
      ? t`Which amount for ${bought}?`
      : t`Which ${bought} product?`;
  },
  expectedFormat: async (host, answers) => amountFormat(await productsOf(host, answers)),
  options: async (host, answers) => amountOptions(await productsOf(host, answers)),
  accept: async (host, answers, text) => readAmount(await productsOf(host, answers), text),
};

const beneficiary: Step = {
  key: 'beneficiary_account',
  question: async (_host, answers) =>
    productTypeOf(answers) === 'mobile_topup'
      ? t`Which phone number should be topped up?`
      : t`Which e-mail address should receive it?`,
  expectedFormat: async (_host, answers) =>
    productTypeOf(answers) === 'mobile_topup'
      ? t`phone number: + and country code, such as +14155550123, or as it is dialled in the country`
      : t`e-mail address, such as name@example.com`,
  options: async () => [],
  async accept(host, answers, text) {
    const type = productTypeOf(answers);
    const check = (account: string) =>
      checked(() => host.checkBeneficiary(type, account, answerOf(answers, 'country')));
    const taken = await check(text);
    if (!('error' in taken) || type !== 'mobile_topup') return taken;
    const international = await check(`+${text.trim()}`);
    return 'error' in international ? taken : { ...taken, suggestions: [international.value] };
  },
};

const coin: Step = {
  key: 'coin',
  question: async (host) =>
    isSameName((await usableCoins(host))[0] ?? '', RECOMMENDED.coin)
      ? t`Which coin do you pay with? USDC on Solana is recommended.`
      : t`Which coin do you pay with?`,
  expectedFormat: async () => t`ticker of a coin, such as USDC`,
  options: usableCoins,
  async accept(host, _answers, text) {
    const meant = namesMeant(namesOf(await host.coins()), text, { isShortTaken: false });
    return unlessSuspended(meant, await usableCoins(host), { text, noun: t`coin` });
  },
};

const network: Step = {
  key: 'network',
  question: async (_host, answers) => t`On which network do you send ${answerOf(answers, 'coin')}?`,
  expectedFormat: async () => t`name of a network, as in the options`,
  options: usableNetworks,
  async accept(host, answers, text) {
    const names = namesOf(await networksOf(host, answers));
    const meant = namesMeant(names, text, { isShortTaken: true });
    return unlessSuspended(meant, await usableNetworks(host, answers), { text, noun: t`network` });
  },
};

const userEmail: Step = {
  key: 'user_email',
  question: async () => t`What is your own e-mail address?`,
  expectedFormat: async () => t`e-mail address, such as name@example.com`,
  options: async (_host, { beneficiary_account: to }) => (to?.includes('@') ? [to] : []),
  accept: (_host, _answers, text) => checked(async () => checkEmail(text)),
};

const confirmation: Step = {
  key: 'confirmation',
  question: describeRecap,
  expectedFormat: async () => t`yes places the order; the action back changes the last answer`,
  options: async () => [YES],
  async accept(_host, _answers, text) {
    // Accepts a client's boolean `true` as yes.
    if ([YES, 'true'].includes(text.trim().toLowerCase())) return { value: YES };
    return {
      error: t`${quoted(text)} does not confirm the order`,
      fix: t`Answer yes to place the order, or send the action back to change the last answer.`,
      suggestions: [YES],
    };
  },
};

/** Interface: Question order. */
export const STEPS: readonly Step[] = [
  productType,
  country,
  brand,
  amount,
  beneficiary,
  coin,
  network,
  userEmail,
];
export const RECAP: Step = confirmation;

function optionsOf(key: StepKey, host: WizardHost, answers: Answers): Promise<readonly string[]> {
  return (STEPS.find((step) => step.key === key) ?? RECAP).options(host, answers);
}

interface Asked {
  readonly text: string;
  readonly noun: Message;
}

function oneOf(
  meant: readonly string[],
  asked: Asked & { readonly place: Message; readonly names: readonly string[] },
): Accepted {
  const [only, ...others] = meant;
  return only !== undefined && others.length === 0 ? { value: only } : notOne({ ...asked, meant });
}

/** Reports a known but suspended choice as suspended, not as unknown. */
function unlessSuspended(
  meant: readonly string[],
  usable: readonly string[],
  asked: Asked,
): Accepted {
  const chosen = oneOf(meant, { ...asked, place: t``, names: usable });
  if ('error' in chosen || usable.includes(chosen.value)) return chosen;
  return {
    error: t`The ${asked.noun} ${chosen.value} is suspended for now`,
    fix: t`Choose another ${asked.noun}.`,
    suggestions: usable.slice(0, 5),
  };
}

/**
 * Turns the errors of address and number checks into answers: they already say what is wrong, and the right
 * form.
 */
function checked(check: () => Promise<string>): Promise<Accepted> {
  return check().then(
    (value) => ({ value }),
    expected(
      ({ sentence: error, hint: fix }) => ({ error, fix, suggestions: [] }),
      ...(['EMAIL_INVALID', 'PHONE_INVALID'] as const),
    ),
  );
}

const brandsOf = (host: WizardHost, answers: Answers) =>
  host.brands(answerOf(answers, 'country'), productTypeOf(answers));

function productsOf(host: WizardHost, answers: Answers): Promise<readonly WizardProduct[]> {
  return host.products(
    answerOf(answers, 'country'),
    answerOf(answers, 'brand'),
    productTypeOf(answers),
  );
}

/** Returns the coins that can be paid with now. */
async function usableCoins(host: WizardHost): Promise<readonly string[]> {
  const coins = (await host.coins()).filter(
    ({ isSuspended, networks }) => !isSuspended && !networks.every((one) => one.isSuspended),
  );
  return first(namesOf(coins), RECOMMENDED.coin);
}

async function networksOf(host: WizardHost, answers: Answers) {
  const chosen = answerOf(answers, 'coin');
  return (await host.coins()).find(({ name }) => name === chosen)?.networks ?? [];
}

async function usableNetworks(host: WizardHost, answers: Answers): Promise<readonly string[]> {
  const networks = await networksOf(host, answers);
  return first(namesOf(networks.filter(({ isSuspended }) => !isSuspended)), RECOMMENDED.network);
}

function first(names: readonly string[], name: string): readonly string[] {
  const isMeant = (other: string): boolean => isSameName(other, name);
  return [...names.filter(isMeant), ...names.filter((other) => !isMeant(other))];
}

type Narrow = (host: WizardHost, answers: Answers, text: string) => Promise<readonly string[]>;

/** Returns the options that fit the text, or all for an empty one. `advance` may still reject them. */
export async function narrowOptions(
  host: WizardHost,
  { step, answers }: { readonly step: StepKey; readonly answers: Answers },
  text: string,
): Promise<readonly string[]> {
  if (text.trim() === '') return optionsOf(step, host, answers);
  return (NARROWS[step] ?? named)(host, answers, text.trim());

  async function named(): Promise<readonly string[]> {
    const options = await optionsOf(step, host, answers);
    const all = options.map((name) => ({ name }));
    return namesOf(searchBrands(all, text));
  }
}

const NARROWS: Readonly<Partial<Record<StepKey, Narrow>>> = {
  /** By each type's other words too; the interface has only one per type. */
  product_type: async (_host, _answers, text) => {
    const query = nameKey(text);
    return PRODUCT_TYPES.filter((type) =>
      productTypeWords(type).some((word) => directRank(nameKey(word), query) !== undefined),
    );
  },
  /** Codes come before abbreviations, and those before names: UK is not the start of Ukraine. */
  country: async (host, _answers, text) => {
    const countries = await host.countries();
    const typed = text.toLowerCase();
    const short = typed.replaceAll('.', '');
    const meant = meantCountries(countries, text);
    const abbreviated = countries.filter((one) =>
      countryNames(one).some((name) => isAbbreviation(name, short)),
    );
    const named = new Map(
      countries.flatMap((one) =>
        [...countryNames(one), localName(one.code)].map((name) => [name, one] as const),
      ),
    );
    const near = likely([...named.keys()], text, named.size);
    const found = near.flatMap((name) => named.get(name) ?? []);
    const all = [...meant, ...abbreviated, ...found];
    return [...new Set(all.map(({ name }) => name))];
  },
  /** Any value for sale, not only the options. */
  amount: async (host, answers, text) => {
    const read = readAmount(await productsOf(host, answers), text);
    const options = await optionsOf('amount', host, answers);
    const like = options.filter((option) => option.toLowerCase().includes(text.toLowerCase()));
    return [...new Set([...(isWrong(read) ? [] : [read.value]), ...like])];
  },
};
