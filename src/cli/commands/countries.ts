/** `scrip countries`: all countries with their codes. */

import type { Command } from 'commander';
import { readCountries } from '../../api/in-country.ts';
import { countryName } from '../../api/nearest-country.ts';
import { t } from '../../domain/message/message.ts';
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { listView, type View } from '../output/view.ts';
import { scripDeps } from '../scrip-deps.ts';

export function register(command: Command, bind: Bind): void {
  command.action(() => bind(run));
  addExamples(command, ['countries', "countries --json | jq -r '.[] | select(.is_sold) | .code'"]);
}

const OWN_LIST = t`Could not read this host’s country list; these are all countries known to scrip.`;

async function run(context: BuyerContext): Promise<View> {
  const { countries: records, isOwn } = await readCountries(scripDeps(context));
  const { lang } = context.settings;
  const { isTerminal } = context.io.stdout;
  return listView({
    records,
    ...(isOwn ? { note: OWN_LIST } : {}),
    columns: [
      { header: t`CODE`, cell: (country) => country.code, isWhole: true },
      {
        header: t`COUNTRY`,
        cell: (country) => (isTerminal ? countryName(country, lang) : country.name),
        usefulWidth: 24,
      },
      { header: t`CURRENCY`, cell: (country) => country.currency ?? '', dropOrder: 1 },
      {
        header: t`SOLD`,
        cell: ({ is_sold }) => (is_sold === undefined ? '' : is_sold ? t`yes` : t`no`),
      },
    ],
  });
}
