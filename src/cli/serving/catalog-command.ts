/** `scrip serve catalog`: the last good catalogs of a shop, and going back to one. */

import type { Command } from 'commander';
import { commandText } from '../../domain/command-text.ts';
import { t } from '../../domain/message.ts';
import type { CatalogVersionRecord } from '../../domain/operator-records.ts';
import { addExamples, type Bind } from '../command.ts';
import { listView } from '../output/view.ts';
import { exampleOf, onStore, SHOP } from './operated.ts';

export function declareCatalogVersions(command: Command, bind: Bind): void {
  const catalog = command
    .command('catalog')
    .description('list the last good catalogs, and sell an earlier one again')
    .option('--use <version>', 'sell this version until the source has a newer one')
    .action(({ use }: { use?: string }, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin, command: other }) => {
        const { catalog: versions, log } = admin;
        const records =
          use === undefined
            ? await versions.list()
            : await log.record('catalog.use', use, () => versions.use(use));
        const earlier = records.find(({ sold }) => !sold);
        return listView<CatalogVersionRecord>({
          records,
          columns: [
            { header: t`VERSION`, cell: ({ version }) => version, isWhole: true },
            { header: t`SINCE`, cell: ({ taken_at }) => taken_at },
            { header: t`STATUS`, cell: ({ sold }) => (sold ? t`sold` : '') },
          ],
          empty: t`No server has read a catalog yet.`,
          ...(use === undefined
            ? earlier && {
                note: commandText`Sell another one: ${other('catalog', '--use', earlier.version)}`,
              }
            : { note: t`Every server sells it from its next refresh on.` }),
        });
      }),
    );
  addExamples(catalog, [
    exampleOf(SHOP, 'catalog'),
    exampleOf(SHOP, 'catalog --use file-3f2a9c81d4e05b67'),
  ]);
}
