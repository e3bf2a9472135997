/** `scrip help schema`: the JSON Schema of a command's `--json` output. */

import type { Command } from 'commander';
import { commandText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { Bind } from '../command.ts';
import { addExamples } from '../examples.ts';
import { toJson } from '../output/json.ts';
import { listView, type View } from '../output/view.ts';

export function register(command: Command, bind: Bind): void {
  command
    .argument('[command...]', 'words of a command, such as wallet balance (default: all)')
    .action((words: readonly string[]) => bind(() => run(words)));
  addExamples(command, [
    'help schema',
    'help schema order',
    'help schema wallet balance',
    "help schema brands --json | jq '.output.items'",
  ]);
}

async function run(words: readonly string[]): Promise<View> {
  const { describedCommands, schemaOf } = await import('../schemas/table.ts');
  const known = describedCommands();
  if (words.length === 0) {
    return listView({
      records: known.map((command) => ({ command })),
      columns: [{ header: t`COMMAND`, cell: ({ command }) => command, isWhole: true }],
      note: t`The schema of one: scrip help schema <command>`,
    });
  }
  const path = words.join(' ');
  const record = schemaOf(path);
  if (record === undefined) throw await unknownPath(path, known);
  return { kind: 'text', text: toJson(record, 2), record };
}

async function unknownPath(path: string, known: readonly string[]): Promise<ScripError> {
  const { nearest } = await import('../../domain/catalog-query.ts');
  const below = known.filter((name) => name.startsWith(`${path} `));
  const near = below.length > 0 ? below : nearest(known, path, 3);
  const message = t`there is no command "${path}" that prints JSON`;
  if (below.length > 3) {
    const hint = commandText`Choose one of its subcommands: ${wordList(below)}`;
    return new ScripError('USAGE', message, { details: { command: path, nearest: near }, hint });
  }
  return new ScripError('USAGE', message, {
    details: { command: path, nearest: near },
    hint:
      near.length === 0
        ? t`Run: scrip help schema`
        : commandText`Did you mean ${wordList(near, t` or `)}?`,
  });
}
