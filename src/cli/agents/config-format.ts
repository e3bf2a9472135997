/** Operations on an agent's configuration file, the same for each format. */

/** The command with which the agent starts a server. */
export interface ServerEntry {
  /** Absolute path of the program. */
  readonly command: string;
  readonly args: readonly string[];
}

/** Fields of an entry as plain values; `undefined` for a value that we cannot read. */
export type EntryFields = ReadonlyMap<string, unknown>;

/** Pure functions on the file's text. They change only our own entry. */
export interface ConfigFormat {
  /** The text to start from when there is no file. */
  readonly blank: string;
  /** The fields of our entry, in order. */
  fields(entry: ServerEntry): EntryFields;
  /** Returns our entry, if there is one. @throws {ScripError} AGENT_CONFIG_INVALID */
  read(text: string): EntryFields | undefined;
  /** Adds our entry, or replaces the fields that differ. @throws {ScripError} AGENT_CONFIG_INVALID */
  put(text: string, entry: ServerEntry): string;
  /** Removes our entry; returns the same text if there is none. @throws {ScripError} AGENT_CONFIG_INVALID */
  remove(text: string): string;
  /** The lines before and after the fields when the entry is shown to the user. */
  readonly frame: { readonly open: string; readonly close?: string };
  /** One field in the file's syntax. */
  line(name: string, value: unknown): string;
}

/** The name of our entry among the agent's servers. */
export const SERVER_NAME = 'scrip';

/** Whether two plain values are equal. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
