/** What a command may ask of this machine and of other programs on it. */

import type { FolderAccess } from '../domain/folder-access.ts';
import type { Message } from '../domain/message.ts';

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
export type ProgramEnd = { readonly status: number } | { readonly failure: Message };

export interface System {
  machine(): Promise<Machine>;
  readonly footing: Footing;
  /** Never rejects. */
  runProgram(program: UserProgram): Promise<ProgramEnd>;
  /** Opens an https URL in the user's browser. Returns false if there is none. */
  openAddress(url: string): Promise<boolean>;
}
