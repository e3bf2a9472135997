/** What an operator's commands work on: the store of a sandbox, or of a shop. */

import type { Command } from 'commander';
import { isIpRange } from '../../domain/address/public-address.ts';
import { commandText, type OwnText, wordList } from '../../domain/message/command-text.ts';
import { type Code, remade, ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import type { OperatorAdmin, SandboxAdmin, ShopAdmin } from '../../domain/operator/operator.ts';
import { type Bind, pathOf } from '../command.ts';
import type { With } from '../context.ts';
import type { View } from '../output/view.ts';
import { INSTANT_HINT, startOf } from '../parsing/words.ts';

/**
 * A group of commands, whose own options say which store they open. Commander keeps such an option in the
 * command that declares it, also when it is typed after a subcommand.
 */
export interface Operated<Admin extends OperatorAdmin = OperatorAdmin> {
  readonly verb: 'sandbox' | 'serve';
  /** Added to examples. */
  readonly exampleWords: readonly string[];
  /** The typed options that name the store. @throws {ScripError} USAGE without a needed one */
  typed(command: Command): readonly string[];
  open(context: With<'serving'>, command: Command): Promise<Admin>;
}

/** An open store; a shop’s unless it says otherwise. */
export interface Opened<Admin extends OperatorAdmin = ShopAdmin> {
  readonly admin: Admin;
  readonly context: With<'io' | 'parts' | 'serving' | 'settings'>;
  /** A command of the same group on the same store, for a text that proposes it. */
  command(...words: readonly string[]): OwnText;
}

/** Binds a command to work on the store, which is closed afterwards. */
export function onStore<Admin extends OperatorAdmin>(
  bind: Bind,
  operated: Operated<Admin>,
  self: Command,
  work: (opened: Opened<Admin>) => Promise<View>,
): ReturnType<Bind> {
  const typed = operated.typed(self);
  return bind(async (context) => {
    const admin = await operated.open(context, self);
    const command = (...words: readonly string[]) =>
      wordList(['scrip', operated.verb, ...words, ...typed], ' ');
    try {
      return await work({ admin, context, command });
    } catch (error) {
      throw withList(error, operated, command);
    } finally {
      await admin.close();
    }
  });
}

/** Which command of a group lists what an id is to be taken from. */
const LISTS = {
  sandbox: { WEBHOOK_UNKNOWN: ['webhooks'] },
  serve: {
    ORDER_UNKNOWN: ['orders', '--state', 'any'],
    REFUND_UNKNOWN: ['refunds'],
    WEBHOOK_UNKNOWN: ['webhooks'],
  },
} as const satisfies Record<Operated['verb'], Partial<Record<Code, readonly string[]>>>;

/** The hints of the table are for buyers. */
function withList(error: unknown, { verb }: Operated, command: Opened['command']): unknown {
  if (!(error instanceof ScripError)) return error;
  const lists: Partial<Record<Code, readonly string[]>> = LISTS[verb];
  const list = lists[error.code];
  return list === undefined
    ? error
    : remade(error, { hint: commandText`List them: ${command(...list)}` });
}

/** An example of one of the group's commands. */
export function exampleOf({ verb, exampleWords }: Operated, words: string): string {
  return [verb, words, ...exampleWords].join(' ');
}

interface PlaceFlags {
  readonly data?: string;
  readonly chainData?: string;
  readonly database?: string;
}

/**
 * Shows in the help of a subcommand the options of `scrip sandbox` that name its store: that command
 * declares them, and reads them wherever they are typed.
 */
export function showPlace(command: Command, operated: Operated): Command {
  if (operated.verb !== 'sandbox') return command;
  return command
    .option('--data <dir>', 'data folder (default: the built-in sandbox’s)')
    .option('--database <url>', 'database of the shop; SCRIP_DATABASE_URL hides a password');
}

const PLACE = ['data', 'database'] as const;

/**
 * Refuses options of the served sandbox that a subcommand would ignore.
 * @param used names of those that it reads
 * @throws {ScripError} USAGE
 */
export function refuseServing(
  self: Command,
  { used = [], hint }: { readonly used?: readonly string[]; readonly hint: Message },
): void {
  const served = sandboxOf(self);
  const stray = served.options.find(
    (option) =>
      !used.includes(option.attributeName()) &&
      served.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (stray === undefined) return;
  throw new ScripError('USAGE', t`${stray.long ?? ''} is not an option of ${pathOf(self)}`, {
    hint,
  });
}

function sandboxOf(command: Command): Command {
  return command.name() === 'sandbox' || command.parent === null
    ? command
    : sandboxOf(command.parent);
}

export const SANDBOX: Operated<SandboxAdmin> = {
  verb: 'sandbox',
  exampleWords: [],
  typed(command) {
    refuseServing(command, {
      used: PLACE,
      hint: t`It reads the folder of --data and the database of --database; audit has --chain-data for the chain.`,
    });
    const { data } = command.optsWithGlobals<PlaceFlags>();
    // The address of a database is not repeated: it may hold a password.
    return data === undefined ? [] : ['--data', data];
  },
  open({ serving }, command) {
    const { data, chainData, database } = command.optsWithGlobals<PlaceFlags>();
    return serving.openSandboxAdmin({ dataDir: data, chainDir: chainData, database });
  },
};

/** Of every command of a shop's operator. */
interface ActingFlags {
  readonly as?: string;
  readonly reason?: string;
}

/** @throws {ScripError} USAGE with `message`, if no reason was typed */
export function checkReason(command: Command, message: Message): void {
  const { reason = '' } = command.optsWithGlobals<ActingFlags>();
  if (reason.trim() !== '') return;
  throw new ScripError('USAGE', message, { hint: t`Add --reason with a few words.` });
}

const shopThat = (begins: boolean): Operated<ShopAdmin> => ({
  verb: 'serve',
  exampleWords: ['--config', 'shop.json'],
  typed: (command) => ['--config', configOf(command)],
  open({ serving }, command) {
    const { as, reason } = command.optsWithGlobals<ActingFlags>();
    return serving.openShopAdmin(configOf(command), { who: as, reason, begins });
  },
});

export const SHOP = shopThat(false);

/** Begins the shop where there is none yet: its first start finds what was added. */
export const NEW_SHOP = shopThat(true);

/** The shop's configuration file. @throws {ScripError} USAGE without one */
export function configOf(command: Command): string {
  const { config } = command.optsWithGlobals<{ readonly config?: string }>();
  if (config !== undefined) return config;
  throw new ScripError('USAGE', t`--config is missing`, {
    hint: commandText`Add --config shop.json to: scrip ${wordList(pathOf(command).split(' '), ' ')}`,
  });
}

/** Of `--since`. @throws {ScripError} INPUT_INVALID, also for what is to come */
export function sinceOf(text: string, nowMs: number): number {
  const atMs = startOf(text, '--since', nowMs);
  if (atMs <= nowMs) return atMs;
  const message = t`--since "${text}" is in the future`;
  throw new ScripError('INPUT_INVALID', message, { hint: INSTANT_HINT });
}

/** Parses a port. @throws {ScripError} INPUT_INVALID */
export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ScripError('INPUT_INVALID', t`"${text}" is not a port between 0 and 65535`);
}

/** Parses an IP address or network. @throws {ScripError} INPUT_INVALID naming the flag */
export function parseRange(text: string, flag: string): string {
  if (isIpRange(text)) return text;
  throw new ScripError('INPUT_INVALID', t`${text} is not an IP address or network`, {
    hint: commandText`Write ${flag} 203.0.113.7, or a network such as 203.0.113.0/24.`,
  });
}

/** What a view of a server does after it was printed: serves until the user stops it. */
export function untilStopped({ parts }: With<'parts'>, close: () => Promise<void>) {
  return async (): Promise<void> => {
    await aborted(parts.signal);
    await close();
  };
}

export const HOW_TO_STOP = t`Stop it with Ctrl-C.`;

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Parses a number from 1 on. @throws {ScripError} INPUT_INVALID naming the flag */
export function parseCount(
  text: string,
  { flag, most }: { readonly flag: string; readonly most: number },
): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= 1 && count <= most) return count;
  throw new ScripError('INPUT_INVALID', t`${flag} "${text}" is not a number from 1 to ${most}`);
}

const MOST_LISTED = 10_000;

/** Parses how many rows are listed at most. @throws {ScripError} INPUT_INVALID */
export function parseLimit(text: string): number {
  return parseCount(text, { flag: '--limit', most: MOST_LISTED });
}
