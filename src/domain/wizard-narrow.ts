/** Filters the options of a question while the user types, best match first. */
import { directRank, likely, nameKey, searchBrands } from './catalog-query.ts';
import { countryNames, localName, meantCountries } from './country.ts';
import { readAmount } from './wizard-amount.ts';
import {
  type Answers,
  answerOf,
  isWrong,
  PRODUCT_TYPES,
  productTypeOf,
  type StepKey,
  type WizardHost,
} from './wizard-step.ts';
import { isAbbreviation, optionsOf, productTypeWords } from './wizard-steps.ts';

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
    return searchBrands(
      options.map((name) => ({ name })),
      text,
    ).map(({ name }) => name);
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
    const products = await host.products(
      answerOf(answers, 'country'),
      answerOf(answers, 'brand'),
      productTypeOf(answers),
    );
    const read = readAmount(products, text);
    const options = await optionsOf('amount', host, answers);
    const like = options.filter((option) => option.toLowerCase().includes(text.toLowerCase()));
    return [...new Set([...(isWrong(read) ? [] : [read.value]), ...like])];
  },
};
