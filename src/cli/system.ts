/** What a command may ask of this machine and of other programs on it. */

import type { FolderAccess } from '../domain/folder-access.ts';
import type { Message } from '../domain/message.ts';

/** A file of another program, as it was read. */
export interface ForeignFile {
  /** As it was named. */
  readonly path: string;
  /** Where it really is, links followed. */
  readonly target: string;
  /** Undefined where there is none yet. */
  readonly text: string | undefined;
}

/** This machine, as far as other programs on it are told of this one. */
export interface Machine {
  /** As Node names it: `linux`, `darwin`, `win32`. */
  readonly platform: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How this process was started, as absolute paths: the standalone executable needs no script. */
  readonly program: { readonly runtime: string; readonly script?: string };
  /** The absolute path of one that was typed. */
  resolve(path: string): string;
  /** @throws {ScripError} AGENT_CONFIG_INVALID, AGENT_CONFIG_UNUSABLE */
  read(path: string): ForeignFile;
  /**
   * Replaces the whole text, or nothing; what was there is kept beside it.
   * @returns path of the copy; undefined when there was no file
   * @throws {ScripError} AGENT_CONFIG_UNUSABLE, also when the file is no longer what was read
   */
  replace(file: ForeignFile, text: string, atMs: number): string | undefined;
}

/** How a folder stands. */
export interface FolderState extends FolderAccess {
  readonly isFolder: boolean;
  readonly freeBytes: number;
}

/** What this program runs on, as `scrip doctor` looks at it. */
export interface Footing {
  /** Such as `20.19.0`. */
  readonly nodeVersion: string;
  /** System and processor, such as `linux x64`. */
  readonly platform: string;
  /** An environment variable; its value is for comparing, never for showing. */
  variable(name: string): string | undefined;
  /** Undefined where there is none. @throws {ScripError} STORE_UNUSABLE */
  folder(path: string): Promise<FolderState | undefined>;
}

/** A program of the user's, run once. */
export interface UserProgram {
  /** Its name or path and its arguments; no shell is asked. */
  readonly command: readonly string[];
  /** What it reads on standard input. */
  readonly input: string;
  /** Beside the environment that this process was given, without its secrets. */
  readonly variables: Readonly<Record<string, string>>;
  /** What it prints goes to standard error; nowhere otherwise. */
  readonly isHeard: boolean;
  readonly timeoutMs: number;
}

/** How it ended: by itself, or why not. */
export type ProgramEnd = { readonly status: number } | { readonly failure: Message };

export interface System {
  machine(): Promise<Machine>;
  readonly footing: Footing;
  /** Never rejects. */
  runProgram(program: UserProgram): Promise<ProgramEnd>;
  /** Hands an https address to the user's browser. Gives false where there is none. */
  openAddress(url: string): Promise<boolean>;
}
