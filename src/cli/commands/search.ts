/** `scrip search`: finds brands by name, tolerating typing errors. */

import type { Command } from 'commander';
import { inCountry } from '../../api/in-country.ts';
import { partnerHost } from '../../api/partner/place.ts';
import { commandText, ownText } from '../../domain/message/command-text.ts';
import { t } from '../../domain/message/message.ts';
import { countryFor } from '../browsing/country.ts';
import { brandColumns, headerCurrency } from '../browsing/listing.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { wantedLanguage } from '../i18n/localize.ts';
import { documentsView, type View } from '../output/view.ts';
import { COUNTRY_OPTIONS } from '../parsing/order-options.ts';
import { scripDeps } from '../scrip-deps.ts';

const OPTIONS = {
  ...COUNTRY_OPTIONS,
  '--names-in <tag>': 'language of the names, such as pt (default: that of --lang)',
} as const;

type SearchOptions = FlagsOf<typeof OPTIONS>;

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS)
    .argument('<text...>', 'part of a name; typing errors are tolerated')
    .action((words: readonly string[], options: SearchOptions) =>
      bind((context) => run(context, words.join(' '), options)),
    );
  addExamples(command, ['search "amzon" --country us', 'search netflx --country br --json']);
}

async function run(context: BuyerContext, text: string, options: SearchOptions): Promise<View> {
  const country = await countryFor(context, options.country);
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { searchProducts } = await import('../../contract/partner-catalog.ts');
  const { listedPartnerBrand, whereOf } = await import('../../api/partner/partner-catalog.ts');
  const deps = scripDeps(context);
  const [{ brands }, currency] = await Promise.all([
    inCountry(deps, whereOf(deps, { country }), (code) =>
      callPartner(partnerHost(deps, code), searchProducts, {
        country_code: code.toUpperCase(),
        q: text,
        lang: options.namesIn ?? wantedLanguage(context.settings),
      }),
    ),
    headerCurrency(context, country),
  ]);
  const [only, ...others] = brands;
  const named = only !== undefined && others.length === 0 ? only.brand : ownText('<name>');
  const rows = brands.map(listedPartnerBrand);
  return documentsView({
    rows,
    columns: brandColumns(rows, currency),
    empty: t`Nothing there has a name like "${text}".`,
    note: commandText`Products of a brand: scrip catalog ${named} --country ${country}`,
  });
}
