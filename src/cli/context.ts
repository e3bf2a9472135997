/** Everything that a command may use. `main.ts` builds the real one; tests pass plain values. */

import type { ScripParts } from '../api/scrip.ts';
import type { Message, Said } from '../domain/message/message.ts';
import type { FolderAccess } from '../domain/operator/folder-access.ts';
import type { Wallets } from '../wallet/wallets.ts';
import type { Learned } from './completion/remembered.ts';
import type { Localize } from './i18n/localize.ts';
import type { Serving } from './serving/ports.ts';
import type { Settings } from './settings/settings.ts';
import type { Dialog, OutputStream, Progress, Prompter } from './terminal/ports.ts';

export interface Context {
  /** This program's version. */
  readonly version: string;
  readonly settings: Settings;
  readonly io: Io;
  readonly parts: ScripParts;
  readonly keys: Keys;
  readonly files: OwnFiles;
  readonly system: System;
  readonly serving: Serving;
}

/** Only these groups of the context, for functions that need no more. */
export type With<Group extends keyof Context> = Pick<Context, Group>;

/** What a buyer's command may need: all but servers. */
export type BuyerContext = Omit<Context, 'serving'>;

export interface Io {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Translates a message into the user's language; in JSON mode it stays English. */
  readonly localize: Localize;
  readonly isInputTerminal: boolean;
  readonly prompter: Prompter;
  readonly dialog: Dialog;
  readonly progress: Progress;
  /** Reads the next line of standard input; undefined after the last. @throws {ScripError} INTERRUPTED */
  readonly readLine: () => Promise<string | undefined>;
  /** Reads a text file, or standard input for `-`. @throws {ScripError} INPUT_INVALID */
  readText(path: string): Promise<string>;
  /**
   * Creates a file that only its owner can read; it is on disk when the promise resolves.
   * @throws {ScripError} OUTPUT_UNWRITABLE
   */
  writeSecret(path: string, text: string | Uint8Array): Promise<void>;
  /** Writes a file, or replaces its content. @throws {ScripError} OUTPUT_UNWRITABLE */
  writeBytes(path: string, bytes: Uint8Array): Promise<void>;
}

/** Answers of an unfinished guided purchase, kept for a later run. */
export interface DraftFile {
  read(): Promise<string | undefined>;
  /** On disk when the promise resolves. */
  write(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** The file with the user's profiles. */
export interface ConfigFile {
  /** Undefined without a file. @throws {ScripError} STORE_UNUSABLE */
  read(): Promise<string | undefined>;
  /**
   * Replaces the file as a whole or not at all; on disk when the promise resolves.
   * @param expected the text read before. @throws {ScripError} STORE_UNUSABLE, also if the file has changed
   * since
   */
  replace(expected: string | undefined, text: string): Promise<void>;
  /**
   * Returns the settings that this text of the file would give for the profile, without flags and SCRIP_
   * variables.
   */
  rehearse(text: string, profile: string): Settings;
}

/** A failed command, without its message. */
interface RecentError {
  /** ISO 8601. */
  readonly at: string;
  readonly code: string;
  readonly verb: string | null;
}

export interface OwnFiles {
  readonly draft: DraftFile;
  readonly configFile: ConfigFile;
  /** What agents asked to pay. */
  readonly approvals: Pick<ConfigFile, 'read' | 'replace'>;
  /** The last failures on this machine, oldest first. */
  recentErrors(): Promise<readonly RecentError[]>;
  /** Returns the country that lists this product id, if this machine knows it; makes no request. */
  countryOfProduct(productId: string): Promise<string | undefined>;
  /** Remembers values for completion. Never throws: completion is optional. */
  learn(seen: Learned): Promise<void>;
}

/** A file of another program, as it was read. */
export interface ForeignFile {
  /** The path as named. */
  readonly path: string;
  /** The real path, with symbolic links resolved. */
  readonly target: string;
  /** Undefined if there is no file. */
  readonly text: string | undefined;
}

/** This machine, for editing other programs' configuration. */
export interface Machine {
  /** Node's name: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this process was started, as absolute paths; the single executable has no script. */
  readonly program: { readonly runtime: string; readonly script?: string };
  /** Returns the absolute path for a typed one. */
  resolve(path: string): string;
  /** @throws {ScripError} AGENT_CONFIG_INVALID, AGENT_CONFIG_UNUSABLE */
  read(path: string): ForeignFile;
  /**
   * Replaces the file as a whole or not at all; keeps a copy of the old file next to it.
   * @returns path of the copy; undefined when there was no file
   * @throws {ScripError} AGENT_CONFIG_UNUSABLE, also when the file has changed since it was read
   */
  replace(file: ForeignFile, text: string, atMs: number): string | undefined;
}

/** The state of a folder. */
export interface FolderState extends FolderAccess {
  readonly isFolder: boolean;
  readonly freeBytes: number;
}

/** The environment of this program, for `scrip doctor`. */
export interface Footing {
  /** Such as `20.19.0`. */
  readonly nodeVersion: string;
  /** System and processor, such as `linux x64`. */
  readonly platform: string;
  /** An environment variable. Compare its value only; never print it. */
  variable(name: string): string | undefined;
  /** Undefined if there is no folder. @throws {ScripError} STORE_UNUSABLE */
  folder(path: string): Promise<FolderState | undefined>;
  /**
   * Opens and closes a connection to a host through its proxy; undefined if none is used for it.
   * @throws {ScripError} NETWORK_UNREACHABLE, INPUT_INVALID
   */
  proxyTo(url: string): Promise<{ readonly name: string; readonly variable: string } | undefined>;
  /** Where certificate authorities beside Node's own are found. @throws {ScripError} INPUT_INVALID */
  authorities(): Promise<readonly Said[]>;
}

/** One run of a program that the user configured. */
export interface UserProgram {
  /** Its name or path and its arguments; started without a shell. */
  readonly command: readonly string[];
  /** Text for its standard input. */
  readonly input: string;
  /** Added to this process's environment, which holds no secrets. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether its output goes to our stderr; otherwise it is discarded. */
  readonly isHeard: boolean;
  readonly timeoutMs: number;
}

/** The exit status, or why there is none. */
type ProgramEnd = { readonly status: number } | { readonly failure: Message };

export interface System {
  machine(): Promise<Machine>;
  readonly footing: Footing;
  /** Never rejects. */
  runProgram(program: UserProgram): Promise<ProgramEnd>;
  /** Opens an https URL in the user's browser. Returns false if there is none. */
  openAddress(url: string): Promise<boolean>;
}

export interface Keys {
  readonly wallets: Wallets;
  /** Puts money into a wallet; only in a sandbox. @throws {ScripError} on a live chain */
  fund(
    owner: string,
    amounts: { readonly usdcAtomic: bigint; readonly lamports: bigint },
  ): Promise<void>;
}
