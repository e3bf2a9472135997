/** One change of an agent's configuration: worked out on its text, and shown before it is made. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { CLIENTS, type ClientName } from './clients.ts';
import { type ConfigFormat, isSameValue, type ServerEntry } from './config-format.ts';

export interface Change {
  /** The whole new text of the file; undefined when there is nothing to do. */
  readonly text: string | undefined;
  /** What differs, each line with `+`, `-` or a blank before it. None of other servers' settings. */
  readonly lines: readonly string[];
}

interface ChangeInput {
  readonly client: ClientName;
  /** Path, for messages. */
  readonly path: string;
  /** Undefined where there is no file. */
  readonly text: string | undefined;
  /** What is to be there; undefined for nothing. */
  readonly entry: ServerEntry | undefined;
}

/** @throws {ScripError} AGENT_CONFIG_INVALID with the lines to paste, for a file that is not understood */
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

/** Fields that are not ours, such as an environment, may hold secrets. */
function shown(format: ConfigFormat, name: string, value: unknown): string {
  if (OWN_FIELDS.has(name) && value !== undefined) return format.line(name, value);
  return format.line(name, null).replace(/null$/, '…');
}

/** The file is left as it is; what was to be written is told, to be pasted by hand. */
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
