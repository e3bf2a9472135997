/** `scrip serve person`: what a shop holds of a person, and its erasure. */

import type { Command } from 'commander';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { PersonErased, PersonExport } from '../../domain/operator/operator-records.ts';
import { ordersCounted } from '../amount.ts';
import { addExamples, type Bind } from '../command.ts';
import type { With } from '../context.ts';
import { toJson } from '../output/json.ts';
import type { Line, View } from '../output/view.ts';
import { sentenceText } from '../output/wrap.ts';
import { logView } from './desk-commands.ts';
import { exampleOf, onStore, SHOP } from './operated.ts';

const MOST_LISTED = 1_000_000;

export function declarePersons(command: Command, bind: Bind): void {
  const person = command
    .command('person')
    .description('list the exports and erasures of persons’ data, the newest first')
    .action((_flags: unknown, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin }) => {
        const records = await admin.log.latest(MOST_LISTED);
        return logView(
          records.filter(({ action }) => action.startsWith('person')),
          t`No person’s data was exported or erased yet.`,
        );
      }),
    );
  addExamples(person, [exampleOf(SHOP, 'person'), exampleOf(SHOP, 'person --json')]);
  const exported = person
    .command('export')
    .description('print all that the shop holds of a person, as JSON')
    .argument('<person>', 'e-mail address, or the digest of one from the log')
    .option('--codes', 'with the delivered codes and the keys of orders')
    .action((typed: string, { codes }: { readonly codes?: true }, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin: { log, persons }, context }) => {
        const { digest } = await persons.find(typed);
        const work = () => persons.export(typed, codes === true);
        const record = await log.record('person.export', digest, work);
        const { io, settings } = context;
        if (settings.output.format === 'text' && !isKnown(record)) {
          const nothing = io.localize(t`The shop holds nothing of ${typed}.`);
          io.stderr.write(sentenceText(nothing, io.stderr));
        }
        return { kind: 'text', text: toJson(record, 2), record };
      }),
    );
  addExamples(exported, [exampleOf(SHOP, 'person export ann@example.com')]);
  const erase = person
    .command('erase')
    .description('erase a person; orders under way and open refunds are kept and named')
    .argument('<person>', 'e-mail address, or the digest of one from the log')
    .option('--yes', 'erase without asking')
    .action((typed: string, { yes }: { readonly yes?: true }, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin: { log, persons }, context }) => {
        const { digest, orders } = await persons.find(typed);
        if (!yes) await confirm(context, orders);
        const work = () => persons.erase(typed);
        return erasedView(await log.record('person.erase', digest, work));
      }),
    );
  addExamples(erase, [
    exampleOf(SHOP, 'person erase ann@example.com'),
    exampleOf(SHOP, 'person erase ann@example.com --yes --json'),
  ]);
}

/** What operators wrote of a person is not yet the person's. */
function isKnown({ records: { operator_actions: _, ...tables } }: PersonExport): boolean {
  return Object.values(tables).some((rows) => rows.length > 0);
}

async function confirm({ io, settings }: With<'io' | 'settings'>, orders: number): Promise<void> {
  if (!settings.mayPrompt) {
    throw new ScripError(
      'USAGE',
      t`Erasing a person needs a confirmation, and there is no terminal`,
      {
        hint: t`Add --yes to erase without asking.`,
      },
    );
  }
  const question = t`Erase the person of ${orders} orders, and the codes delivered for them?`;
  if (await io.prompter.confirm(question)) return;
  throw new ScripError('DECLINED', t`You declined; nothing was erased`);
}

function erasedView(record: PersonErased): View {
  return {
    kind: 'record',
    record,
    title: t`Erased ${ordersCounted(record.erased_orders.length)} of the person`,
    lines: [
      [t`Digest`, record.digest],
      [t`Orders`, String(record.erased_orders.length)],
      [t`Unpaid offers`, String(record.erased_offers)],
      [t`As recipient`, String(record.erased_as_recipient.length)],
      ...record.kept.map(
        ({ order_id, needed_for }): Line => [t`Kept`, `${order_id} (${needed_for.join(', ')})`],
      ),
    ],
    ...(record.kept.length > 0 && {
      note: t`Run it again once the orders that are kept have ended.`,
    }),
  };
}
