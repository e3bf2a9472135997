/** Operations on an agent's configuration file, in each of its formats. */

/** How a server is started: what the agent runs. */
export interface ServerEntry {
  /** Absolute path of the program. */
  readonly command: string;
  readonly args: readonly string[];
}

/** Fields of an entry as plain values; `undefined` for one that this program does not read. */
export type EntryFields = ReadonlyMap<string, unknown>;

/** A text in, a text out; nothing but our own entry is changed. */
export interface ConfigFormat {
  /** What a file that is not there yet starts from. */
  readonly blank: string;
  /** Fields that an entry is made of, in their order. */
  fields(entry: ServerEntry): EntryFields;
  /** Our entry, if there is one. @throws {ScripError} AGENT_CONFIG_INVALID */
  read(text: string): EntryFields | undefined;
  /** Adds the entry, or replaces what differs of it. @throws {ScripError} AGENT_CONFIG_INVALID */
  put(text: string, entry: ServerEntry): string;
  /** Takes the entry out; the same text where there is none. @throws {ScripError} AGENT_CONFIG_INVALID */
  remove(text: string): string;
  /** First and last line around the fields, where a person reads them. */
  readonly frame: { readonly open: string; readonly close?: string };
  /** A field as it is written there. */
  line(name: string, value: unknown): string;
}

/** Name of our entry among the agent's servers. */
export const SERVER_NAME = 'scrip';

/** Whether two plain values are the same. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
