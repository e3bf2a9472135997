/** `scrip mcp install` and `uninstall`: adds the tool server to an agent's configuration, or removes it. */

import { Argument, type Command } from 'commander';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { escapeText, joined, type Message, t } from '../../domain/message/message.ts';
import { addExamples, addOptions, type Bind, type FlagsOf, rootOf } from '../command.ts';
import type { ForeignFile, Machine, With } from '../context.ts';
import type { RecordView } from '../output/view.ts';
import { CLIENT_NAMES, CLIENTS, type ClientName } from './clients.ts';
import { type ConfigFormat, isSameValue, type ServerEntry } from './config-formats.ts';

const OPTIONS = {
  '--config <file>': 'another file instead of your own, in that agent’s format',
  '--dry-run': 'show the change without writing it',
  '--yes': 'do not ask',
} as const;

const INSTALL_OPTIONS = {
  '--allow-pay': 'the server may pay from the wallet',
  '--reveal-codes': 'the server shows redemption codes',
  '--allow-other-country': 'the server may top up phones of other countries',
} as const;

type InstallFlags = FlagsOf<typeof OPTIONS & typeof INSTALL_OPTIONS>;

/** Declares `install` and `uninstall`. @param mcp the command `scrip mcp`, which the entry starts */
export function declareInstall(mcp: Command, bind: Bind): void {
  const declared = (verb: string, isWanted: boolean): Command =>
    addOptions(mcp.command(verb), OPTIONS)
      .addArgument(new Argument('<client>', 'agent to set up').choices(CLIENT_NAMES))
      .action((client: ClientName, _flags: unknown, command: Command) =>
        bind((context) => run(context, { client, command, isWanted })),
      );
  const install = addOptions(declared('install', true), INSTALL_OPTIONS);
  install.description('add the tool server to an agent’s configuration');
  addExamples(install, [
    'mcp install claude-desktop',
    'mcp install codex --dry-run',
    'mcp install vscode --profile live --yes',
  ]);
  const uninstall = declared('uninstall', false);
  uninstall.description('remove it from an agent’s configuration');
  addExamples(uninstall, ['mcp uninstall claude-desktop', 'mcp uninstall cursor --yes --json']);
}

interface Task {
  readonly client: ClientName;
  readonly command: Command;
  /** False to remove the entry. */
  readonly isWanted: boolean;
}

interface Plan extends Omit<Task, 'command'> {
  readonly flags: InstallFlags;
  readonly file: ForeignFile;
  /** The entry to write; undefined to remove ours. */
  readonly entry: ServerEntry | undefined;
  readonly change: Change;
}

interface Change {
  /** The new text of the whole file; undefined when nothing changes. */
  readonly text: string | undefined;
  /** The diff: each line begins with `+`, `-` or a blank. Shows nothing of other servers' settings. */
  readonly lines: readonly string[];
}

async function run(
  context: With<'settings' | 'io' | 'parts' | 'system'>,
  { client, command, isWanted }: Task,
): Promise<RecordView> {
  const machine = await context.system.machine();
  // The parent command also has some of these options; commander then stores their values there.
  const flags = command.optsWithGlobals<InstallFlags>();
  checkWords(command);
  if (isWanted && flags.revealCodes) {
    const { checkCodesMayBeTold } = await import('./local-tool-backend.ts');
    await checkCodesMayBeTold(context);
  }
  const path = flags.config ? machine.resolve(flags.config) : CLIENTS[client].path(machine);
  const entry = isWanted ? entryOf(context, machine, command) : undefined;
  const file = machine.read(path);
  const change = changeOf(context, CLIENTS[client].format, { path, text: file.text, entry });
  const plan = { client, isWanted, flags, file, entry, change };
  if (change.text === undefined) return resultView(plan);
  await agree(context, plan);
  if (flags.dryRun) return resultView(plan);
  return resultView(plan, machine.replace(file, change.text, context.parts.clock.now()));
}

/** If the file cannot be edited, shows the lines to paste by hand. */
function changeOf(
  { io: { stderr }, settings }: With<'settings' | 'io'>,
  format: ConfigFormat,
  { path, text: found = '', entry }: Pick<ForeignFile, 'path' | 'text'> & Pick<Plan, 'entry'>,
): Change {
  const text = found.trim() === '' ? format.blank : found;
  try {
    const edited = entry ? format.put(text, entry) : format.remove(text);
    if (edited === text) return { text: undefined, lines: [] };
    return { text: edited, lines: difference(text, edited, format) };
  } catch (cause) {
    if (!(cause instanceof ScripError)) throw cause;
    const snippet = entry && format.put(format.blank, entry);
    if (snippet !== undefined && !settings.isJson) stderr.write(escaped(snippet));
    throw new ScripError(
      'AGENT_CONFIG_INVALID',
      t`${path}: ${cause.sentence}; it was not changed`,
      {
        cause,
        hint: entry
          ? t`Correct the file, or add the entry to it by hand.`
          : t`Correct the file, or remove the entry by hand.`,
        details: { path, ...(snippet === undefined ? {} : { snippet }) },
      },
    );
  }
}

/** Starts this program with the settings that were given on the command line. */
function entryOf(context: With<'settings'>, machine: Machine, command: Command): ServerEntry {
  const { allowPay, revealCodes, allowOtherCountry } = command.optsWithGlobals<InstallFlags>();
  const { runtime, script } = machine.program;
  return {
    command: runtime,
    args: [
      ...(script === undefined ? [] : [script]),
      'mcp',
      ...settingsOf(context, machine, command),
      ...(allowPay ? ['--allow-pay'] : []),
      ...(revealCodes ? ['--reveal-codes'] : []),
      ...(allowOtherCountry ? ['--allow-other-country'] : []),
    ],
  };
}

/** Commander stores unknown options in the parent command if it has them, and would ignore them here. */
function checkWords(command: Command): void {
  const known = command.options.map(({ long }) => long);
  const stray = command.parent?.options.find(
    (option) =>
      command.parent?.getOptionValueSource(option.attributeName()) === 'cli' &&
      !known.includes(option.long),
  );
  if (stray === undefined) return;
  throw new ScripError(
    'USAGE',
    commandText`${stray.long ?? ''} works with scrip mcp, not with scrip ${command.name()}`,
  );
}

/** Not passed on: --fields and --template only shape this command's output, and --profile is added below. */
const OWN_OPTIONS: ReadonlySet<string> = new Set(['profile', 'fields', 'template']);

/**
 * The settings given on the command line, and always the profile: agents start the server without the shell's
 * variables, and an entry made for test money must not change when the user chooses another profile.
 */
function settingsOf(
  { settings }: With<'settings'>,
  machine: Machine,
  command: Command,
): readonly string[] {
  const program = rootOf(command);
  const typed = program.options.flatMap((option) => {
    const name = option.attributeName();
    const value: unknown = program.getOptionValue(name);
    const isTyped = option.required && program.getOptionValueSource(name) === 'cli';
    if (!isTyped || OWN_OPTIONS.has(name) || typeof value !== 'string') return [];
    const flag = `${option.long}`;
    if (name === 'passphraseFd' || value === '-') throw unattended(flag);
    // The agent starts the server in another folder, so make paths absolute.
    const isPath = /<(?:file|dir)>/.test(option.flags);
    return [flag, isPath ? machine.resolve(value) : value];
  });
  return ['--profile', settings.profile, ...typed];
}

function unattended(flag: string): ScripError {
  return new ScripError('USAGE', t`An agent that starts the server cannot pass ${flag}`, {
    hint: t`Name a file with --passphrase-file.`,
  });
}

/** Shows the change and asks. @throws {ScripError} TERMINAL_REQUIRED, DECLINED; then nothing is written */
async function agree(
  { settings, io }: With<'settings' | 'io'>,
  { flags, file, isWanted, change }: Plan,
): Promise<void> {
  const { lines } = change;
  const { mayPrompt, isJson } = settings;
  const isAsked = !flags.dryRun && !flags.yes;
  if (isAsked && !mayPrompt) {
    throw new ScripError(
      'TERMINAL_REQUIRED',
      t`Writing the file needs a confirmation, and there is no terminal`,
      {
        hint: t`Add --yes, or preview the change with --dry-run.`,
        details: { path: file.path, change: lines },
      },
    );
  }
  if (isAsked || !isJson) io.stderr.write(escaped([targetText(file), ...lines].join('\n')));
  if (!isAsked) return;
  const question = isWanted ? t`Write this?` : t`Remove this?`;
  if (await io.prompter.confirm(question)) return;
  throw new ScripError('DECLINED', t`You declined; the file was not changed`);
}

function targetText({ path, target }: ForeignFile): string {
  return path === target ? path : `${path} -> ${target}`;
}

/** Escapes each line on its own: the line breaks are ours, but the text may hold the file's own content. */
function escaped(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.map((line) => `${escapeText(line)}\n`).join('');
}

/** @param copy the path of the old file's copy */
function resultView(plan: Plan, copy?: string): RecordView {
  const { client, flags, file, entry, change, isWanted } = plan;
  const isChanged = change.text !== undefined && flags.dryRun !== true;
  const state = stateOf(plan);
  return {
    kind: 'record',
    record: {
      client,
      config: file.path,
      target: file.target,
      state,
      changed: isChanged,
      change: change.lines,
      backup: copy ?? null,
      command: entry?.command ?? null,
      args: entry?.args ?? null,
    },
    lines: [
      [t`Agent`, CLIENTS[client].title],
      [t`File`, targetText(file)],
      [t`Status`, state],
      ...(copy === undefined ? [] : [[t`Backup`, copy] as const]),
    ],
    ...(isChanged && isWanted ? { note: adviceFor(plan) } : {}),
  };
}

function adviceFor({ client, file, entry }: Plan): Message {
  const { title, after } = CLIENTS[client];
  const isMade = file.text === undefined;
  const isCached = entry?.args[0]?.includes('/_npx/') ?? false;
  return joined(
    [
      ...(isMade ? [t`The file is new; ${title} reads it once it is installed.`] : []),
      ...(isCached
        ? [t`scrip is running from the npx cache, which may be cleared: install it first.`]
        : []),
      after,
    ],
    ' ',
  );
}

function stateOf({ isWanted, flags, change }: Plan): Message {
  if (change.text === undefined) return isWanted ? t`already installed` : t`not installed`;
  if (flags.dryRun) return isWanted ? t`would be installed` : t`would be taken out`;
  return isWanted ? t`installed` : t`taken out`;
}

function difference(before: string, after: string, format: ConfigFormat): readonly string[] {
  const [old, now] = [format.read(before), format.read(after)];
  const around = now === undefined ? '-' : old === undefined ? '+' : ' ';
  const names = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])];
  const lineOf = (fields: typeof old, name: string): string | undefined =>
    fields?.has(name) ? shownField(format, name, fields.get(name)) : undefined;
  const body = names.flatMap((name) => {
    const [was, is] = [lineOf(old, name), lineOf(now, name)];
    if (isSameValue(was, is)) return [`    ${is ?? ''}`];
    return [
      ...(was === undefined ? [] : [`-   ${was}`]),
      ...(is === undefined ? [] : [`+   ${is}`]),
    ];
  });
  const { open, close } = format.frame;
  return [`${around} ${open}`, ...body, ...(close === undefined ? [] : [`${around} ${close}`])];
}

const OWN_FIELDS: ReadonlySet<string> = new Set(['type', 'command', 'args']);

/** Hides the values of fields that are not ours, such as an environment: they may be secrets. */
function shownField(format: ConfigFormat, name: string, value: unknown): string {
  if (OWN_FIELDS.has(name) && value !== undefined) return format.line(name, value);
  return format.line(name, null).replace(/null$/, '…');
}
