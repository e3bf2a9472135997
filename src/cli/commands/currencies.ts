/** `scrip vias coins`: the coins that the partner API accepts. */

import type { Command } from 'commander';
import { partnerHost } from '../../api/partner/place.ts';
import { t } from '../../domain/message.ts';
import type { Bind } from '../command.ts';
import { addExamples } from '../examples.ts';
import { listView, type View } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

export function register(command: Command, bind: Bind): void {
  command.action(() => bind(run));
  addExamples(command, ['vias coins', "vias coins --json | jq -r '.[].name'"]);
}

async function run(context: ScripContext): Promise<View> {
  const { callPartner } = await import('../../api/partner/partner.ts');
  const { getCurrencies } = await import('../../contract/partner-market.ts');
  const records = await callPartner(partnerHost(scripDeps(context)), getCurrencies, {});
  return listView({
    records,
    learned: { coins: records.map(({ name }) => name) },
    columns: [
      { header: t`COIN`, cell: ({ name }) => name, isWhole: true },
      { header: t`SUSPENDED`, cell: ({ is_suspended }) => (is_suspended ? t`yes` : t`no`) },
    ],
    note: t`Networks and minimums: scrip vias --coin <coin>`,
  });
}
