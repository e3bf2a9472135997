/** Runs one command line: parses the words, runs the command, prints its view. */

import { type Command, CommanderError } from 'commander';
import { codeInBrackets, ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { type Bind, type Needs, pathOf } from './command.ts';
import { buildProgram, HELP_WIDTH, positionalsOf } from './command-tree.ts';
import { COMMANDS, SHORT_NAMES } from './commands.ts';
import type { Context } from './context.ts';
import { inEnglish, type Localize } from './i18n/localize.ts';
import { renderError } from './output/error.ts';
import { localView } from './output/local-view.ts';
import type { Page } from './output/paging.ts';
import { renderView } from './output/render.ts';
import type { View } from './output/view.ts';
import { sentenceText } from './output/wrap.ts';
import type { SurfaceFlags } from './parsing/order-options.ts';
import { optionWords, refuseEmpty } from './parsing/words.ts';
import { inSamePlace } from './same-place.ts';
import type { GlobalFlags } from './settings/settings.ts';
import type { OutputStream } from './terminal/ports.ts';

/** What the program needs before the context is open. */
export interface Host {
  readonly version: string;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /**
   * Returns the language for messages, before the settings are read.
   * @throws {ScripError} USAGE for a language without translations
   */
  readonly localize?: () => Promise<Localize>;
  /** @throws {ScripError} for invalid settings */
  open(flags: GlobalFlags, needs: Needs): Promise<Context>;
  /** Shows long output in a pager; undefined without a terminal. */
  readonly page?: Page | undefined;
  /** Records the failure of a command: only its code and verb, never its message. */
  readonly failed?: (failure: {
    readonly code: string;
    readonly verb: string | null;
  }) => Promise<void>;
  /** Waits until stdout is written; returns the error that occurred, if any. */
  readonly flushed?: () => Promise<unknown>;
}

/** Runs one command line and returns the exit code. Never throws: it prints errors itself. */
export async function runProgram(typed: readonly string[], host: Host): Promise<number> {
  const words = withLongName(typed);
  const spoken: { localize: Localize } = { localize: inEnglish };
  try {
    spoken.localize = (await host.localize?.()) ?? inEnglish;
    const view = await parseAndRun(words, host, spoken.localize);
    await checkPrinted(host, view);
    if (view?.kind === 'record') await view.written?.();
    return 0;
  } catch (cause) {
    const error = asScripError(cause);
    // Look at the words themselves: after a parsing error there are no options.
    const style = {
      isJson: isJsonSaid(words),
      isVerbose: isSaid(words, '--verbose'),
      localize: spoken.localize,
      placed: (hint: string) => inSamePlace(hint, words),
    };
    host.stderr.write(await renderError(error, style, host.stderr));
    const verb = COMMANDS.find((entry) => entry.verb === verbOf(words))?.verb ?? null;
    await host.failed?.({ code: error.code, verb });
    return error.exit;
  }
}

/** Returns the printed view; undefined for a help text. */
async function parseAndRun(
  words: readonly string[],
  host: Host,
  localize: Localize,
): Promise<View | undefined> {
  const verb = verbOf(words);
  const positionals = positionalsOf(words);
  // It describes every other command, so all of them are declared.
  const isWhole = positionals[0] === 'help' && positionals[1] === 'context';
  const printed: { view?: View; command?: Command } = {};
  const program = await buildProgram({
    version: host.version,
    hasHelp: mayHelp(positionals, words),
    isBuilt: (path) => isWhole || path === verb || isNamed(path, positionals),
    localize,
    bind: async (work, needs = { isProfileOptional: false }) => {
      const network = await networkMeant(printed.command);
      const context = await host.open({ ...program.opts<GlobalFlags>(), network }, needs);
      await checkAsked(context, printed.command);
      const startedMs = sayPlace(context, localize);
      printed.view = await perform(work, context);
      const { output } = context.settings;
      const said = localView(printed.view, (message) => inSamePlace(localize(message), words));
      try {
        const page = program.opts<GlobalFlags>().pager === false ? undefined : host.page;
        await renderView(said, { ...host, page }, output);
      } finally {
        if (said.kind !== 'text' && said.learned !== undefined)
          await context.files.learn(said.learned);
      }
      sayDone(context, startedMs, localize);
    },
  });
  program.hook('preAction', (_program, command) => {
    refuseEmpty(command);
    printed.command = command;
  });
  const { help, said } = captureOutput(program, host);
  const [first, named] = positionals;
  if (first === 'help' && named !== undefined) {
    const { topicText } = await import('./topics.ts');
    const topic = topicText(named, localize, Math.min(host.stdout.columns, HELP_WIDTH));
    if (topic !== undefined) {
      await showHelp(topic, words, host);
      return undefined;
    }
    const { unknownToHelp } = await import('./parsing/misspelling.ts');
    const mistaken = await unknownToHelp(program, positionals.slice(1));
    if (mistaken !== undefined) throw mistaken;
  }
  try {
    const parsed = isUnknown(positionals) ? withoutHelp(words) : words;
    await program.parseAsync(parsed.length === 0 ? ['--help'] : [...parsed], { from: 'user' });
    await showHelp(help.join(''), words, host);
    return printed.view;
  } catch (cause) {
    if (!(cause instanceof CommanderError)) throw cause;
    // Without a command the start page is printed, as an error; every group has a default subcommand.
    if (cause.exitCode === 0 || cause.code === 'commander.help') {
      await showHelp([...help, ...said].join(''), words, host);
      return undefined;
    }
    const { missingWords, misspelt, usageError } = await import('./parsing/misspelling.ts');
    throw (
      (await misspelt(cause, words, program)) ??
      missingWords(cause, program, positionals) ??
      usageError(cause)
    );
  }
}

/** The network that a command's own option names to pay on; at the partner API it means another thing. */
async function networkMeant(command: Command | undefined): Promise<string | undefined> {
  const flags = command === undefined ? {} : surfaceOf(command);
  if (flags.network === undefined) return undefined;
  const { merchantMeant } = await import('./parsing/order-options.ts');
  return merchantMeant(flags) === 'checkout' ? flags.network : undefined;
}

function surfaceOf(command: Command): SurfaceFlags {
  const { network, ...flags } = command.opts<SurfaceFlags>();
  // Of the desk it is a list of address ranges.
  return typeof network === 'string' ? { ...flags, network } : flags;
}

/**
 * Refuses an unknown field before the command asks, creates or pays anything.
 * @throws {ScripError} USAGE
 */
async function checkAsked({ settings }: Context, command: Command | undefined): Promise<void> {
  const { fields, template } = settings.output;
  if (command === undefined || (fields === undefined && template === undefined)) return;
  const [{ checkAskedFields }, { merchantMeant }] = await Promise.all([
    import('./schemas/table.ts'),
    import('./parsing/order-options.ts'),
  ]);
  const path = pathOf(command);
  const merchant = merchantMeant(surfaceOf(command));
  checkAskedFields({ path, merchant, fields, template });
}

/** Replaces a short name, also after global options and after `help`. */
function withLongName(words: readonly string[]): readonly string[] {
  const verb = verbOf(words) ?? '';
  const path = Object.hasOwn(SHORT_NAMES, verb) ? SHORT_NAMES[verb] : undefined;
  if (path === undefined || positionalsOf(words)[0] === path[0]) return words;
  const at = words.findIndex(
    (word, index) => word === verb && verbOf(words.slice(0, index + 1)) === verb,
  );
  return words.toSpliced(at, 1, ...path);
}

/** Whether the first word is no command: --help cannot say anything about it. */
function isUnknown([first]: readonly string[]): boolean {
  return first !== undefined && !COMMANDS.some(({ verb }) => verb === first);
}

function withoutHelp(words: readonly string[]): readonly string[] {
  return words.filter((word) => word !== '--help' && word !== '-h');
}

/** Whether help may be printed: on request, or without a command. */
function mayHelp([first]: readonly string[], words: readonly string[]): boolean {
  return first === undefined || first === 'help' || isHelpSaid(words);
}

function isHelpSaid(words: readonly string[]): boolean {
  return isSaid(words, '--help') || isSaid(words, '-h');
}

/** @throws {ScripError} OUTPUT_UNWRITABLE, with the command that shows again what was bought */
async function checkPrinted({ flushed }: Host, view: View | undefined): Promise<void> {
  const cause = await flushed?.();
  if (cause === undefined) return;
  const known = view?.kind === 'text' ? undefined : view?.ifLost;
  throw new ScripError(
    'OUTPUT_UNWRITABLE',
    t`Standard output cannot be written${codeInBrackets(cause)}`,
    {
      cause,
      ...known,
    },
  );
}

/** With --verbose, prints the host and the wallet in use. */
function sayPlace(
  { settings, io: { stderr }, parts: { clock } }: Context,
  localize: Localize,
): number {
  if (settings.isVerbose && !settings.isJson) {
    const host = settings.isEmbedded
      ? t`the built-in sandbox, kept in ${settings.sandboxDir}`
      : settings.checkoutUrl;
    const wallet = settings.signer?.command[0] ?? settings.keypairPath;
    const lines = [localize(t`host: ${host}`), localize(t`wallet: ${wallet}`)];
    stderr.write(lines.map((line) => sentenceText(line, stderr)).join(''));
  }
  return clock.now();
}

function sayDone(
  { settings, io: { stderr }, parts: { clock } }: Context,
  startedMs: number,
  localize: Localize,
): void {
  if (!settings.isVerbose || settings.isJson) return;
  const seconds = ((clock.now() - startedMs) / 1_000).toFixed(1);
  stderr.write(`${localize(t`done in ${seconds} s`)}\n`);
}

async function perform(work: Parameters<Bind>[0], context: Context): Promise<View> {
  try {
    return await work(context);
  } finally {
    context.io.progress.done();
  }
}

/** Whether the words name a subcommand, or a command under `help`. */
function isNamed(path: string, positionals: readonly string[]): boolean {
  const [first, ...more] = path.split(' ');
  if (more.length === 0) return first === 'help' && positionals[0] === first;
  return path.split(' ').every((word) => positionals.includes(word));
}

function verbOf(words: readonly string[]): string | undefined {
  const [first, second] = positionalsOf(words);
  return first === 'help' ? second : first;
}

function isJsonSaid(words: readonly string[]): boolean {
  return isSaid(words, '--json') || isSaid(words, '--ndjson');
}

function isSaid(words: readonly string[], flag: string): boolean {
  return optionWords(words).includes(flag);
}

/** Prints help, in a pager if it is long. */
async function showHelp(text: string, words: readonly string[], host: Host): Promise<void> {
  if (text === '') return;
  const page = isSaid(words, '--no-pager') ? undefined : host.page;
  await renderView({ kind: 'text', text, record: text }, { ...host, page }, { format: 'text' });
}

/** Captures commander's output: help to print as a whole, error text to rephrase. */
function captureOutput(
  program: Command,
  host: Host,
): { readonly help: readonly string[]; readonly said: readonly string[] } {
  const help: string[] = [];
  const said: string[] = [];
  const configure = (command: Command): void => {
    command.exitOverride().configureOutput({
      writeOut: (text) => help.push(text),
      writeErr: (text) => said.push(text),
      getOutHelpWidth: () => Math.min(host.stdout.columns, HELP_WIDTH),
      getErrHelpWidth: () => Math.min(host.stderr.columns, HELP_WIDTH),
      getOutHasColors: () => host.stdout.hasColor,
      getErrHasColors: () => host.stderr.hasColor,
    });
    command.commands.forEach(configure);
  };
  configure(program);
  return { help, said };
}

function asScripError(cause: unknown): ScripError {
  if (cause instanceof ScripError) return cause;
  return new ScripError('INTERNAL', t`Internal error`, { cause });
}
