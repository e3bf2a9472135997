/**
 * Plans one change of an agent's configuration file: the new text, and the lines to show before it is
 * written.
 */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { CLIENTS, type ClientName } from './clients.ts';
import { type ConfigFormat, isSameValue, type ServerEntry } from './config-format.ts';

export interface Change {
  /** The new text of the whole file; undefined when nothing changes. */
  readonly text: string | undefined;
  /** The diff: each line begins with `+`, `-` or a blank. Shows nothing of other servers' settings. */
  readonly lines: readonly string[];
}

interface ChangeInput {
  readonly client: ClientName;
  /** For messages. */
  readonly path: string;
  /** Undefined when there is no file. */
  readonly text: string | undefined;
  /** The entry to write; undefined to remove ours. */
  readonly entry: ServerEntry | undefined;
}

/**
 * Plans the change.
 * @throws {ScripError} AGENT_CONFIG_INVALID for a file we cannot parse, with the lines to paste by hand
 */
export function planChange(input: ChangeInput): Change {
  try {
    return plan(input, CLIENTS[input.client].format);
  } catch (cause) {
    if (cause instanceof ScripError) throw refused(input, cause);
    throw cause;
  }
}

function plan({ text: found = '', entry }: ChangeInput, format: ConfigFormat): Change {
  const text = found.trim() === '' ? format.blank : found;
  const edited = entry ? format.put(text, entry) : format.remove(text);
  if (edited === text) return { text: undefined, lines: [] };
  return { text: edited, lines: difference(text, edited, format) };
}

function difference(before: string, after: string, format: ConfigFormat): readonly string[] {
  const [old, now] = [format.read(before), format.read(after)];
  const around = now === undefined ? '-' : old === undefined ? '+' : ' ';
  const names = [...new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])];
  const lineOf = (fields: typeof old, name: string): string | undefined =>
    fields?.has(name) ? shown(format, name, fields.get(name)) : undefined;
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
function shown(format: ConfigFormat, name: string, value: unknown): string {
  if (OWN_FIELDS.has(name) && value !== undefined) return format.line(name, value);
  return format.line(name, null).replace(/null$/, '…');
}

/** Leaves the file unchanged; the error holds the lines to paste by hand. */
function refused({ client, path, entry }: ChangeInput, cause: ScripError): ScripError {
  const { format } = CLIENTS[client];
  const snippet = entry && format.put(format.blank, entry);
  return new ScripError('AGENT_CONFIG_INVALID', t`${path}: ${cause.sentence}; it was not changed`, {
    cause,
    hint: entry
      ? t`Correct the file, or add the entry to it by hand.`
      : t`Correct the file, or remove the entry by hand.`,
    details: { path, ...(snippet === undefined ? {} : { snippet }) },
  });
}
