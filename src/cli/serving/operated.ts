/** What an operator's commands work on: the store of a sandbox, or of a shop. */

import type { Command } from 'commander';
import { commandText, type OwnText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import type { OperatorAdmin, SandboxAdmin, ShopAdmin } from '../../domain/operator.ts';
import type { Bind } from '../command.ts';
import type { With } from '../context.ts';
import type { View } from '../output/view.ts';

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
  readonly context: With<'parts' | 'serving'>;
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
    } finally {
      await admin.close();
    }
  });
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

export const SANDBOX: Operated<SandboxAdmin> = {
  verb: 'sandbox',
  exampleWords: [],
  typed(command) {
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
export interface ActingFlags {
  readonly as?: string;
  readonly reason?: string;
}

/** @throws {ScripError} USAGE with `message`, if no reason was typed */
export function checkReason(command: Command, message: Message): void {
  const { reason = '' } = command.optsWithGlobals<ActingFlags>();
  if (reason.trim() !== '') return;
  throw new ScripError('USAGE', message, { hint: t`Add --reason with a few words.` });
}

export const SHOP: Operated<ShopAdmin> = {
  verb: 'serve',
  exampleWords: ['--config', 'shop.json'],
  typed: (command) => ['--config', configOf(command)],
  open({ serving }, command) {
    const { as, reason } = command.optsWithGlobals<ActingFlags>();
    return serving.openShopAdmin(configOf(command), { who: as, reason });
  },
};

/** The shop's configuration file. @throws {ScripError} USAGE without one */
export function configOf(command: Command): string {
  const { config } = command.optsWithGlobals<{ readonly config?: string }>();
  if (config !== undefined) return config;
  throw new ScripError('USAGE', t`--config is missing`, {
    hint: commandText`Run: scrip serve --config shop.json`,
  });
}
