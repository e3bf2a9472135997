/** The format of data on stdout: for people, or for programs. */

import { commandText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';

export type Format = 'text' | 'json' | 'ndjson' | 'csv' | 'template';

export interface Output {
  readonly format: Format;
  /** Fields of a record by name or path (`a.b`); default: all. */
  readonly fields?: readonly string[];
  /** For the format `template`: text with fields in braces. */
  readonly template?: string;
}

/** The options that choose a format. */
export interface FormatFlags {
  readonly json?: boolean;
  readonly ndjson?: boolean;
  readonly csv?: boolean;
  readonly template?: string;
  readonly fields?: string;
}

const NAMED = ['json', 'ndjson', 'csv', 'template'] as const;

/** Reads the options. @throws {ScripError} USAGE for two formats, or an empty list of fields */
export function outputOf(flags: FormatFlags): Output {
  const asked = NAMED.filter((name) => flags[name] !== undefined);
  const [format = 'text', other] = asked;
  if (other !== undefined) {
    throw new ScripError('USAGE', t`Use either --${format} or --${other}, not both`, {
      hint: commandText`Name one of ${wordList(NAMED.map((name) => `--${name}`))}.`,
    });
  }
  const { template, fields } = flags;
  return {
    format,
    ...(template === undefined ? {} : { template }),
    ...(fields === undefined ? {} : { fields: fieldList(fields) }),
  };
}

function fieldList(text: string): readonly string[] {
  const fields = text
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '');
  if (fields.length > 0) return [...new Set(fields)];
  throw new ScripError('USAGE', t`--fields is empty`, {
    hint: t`Separate the fields with commas, such as --fields brand_name,min.`,
  });
}
