/** `--template`: prints each record by the user's own pattern, such as `{brand_name} from {min}\n`. */

import { ScripError } from '../../domain/message/errors.ts';
import { escapeText, t } from '../../domain/message/message.ts';
import { plainValue, valueAt } from './fields.ts';

type Part = { readonly text: string } | { readonly field: string };

export interface Template {
  readonly fields: readonly string[];
  write(record: unknown): string;
}

/**
 * Parses a template: `{field}` and `{a.b}` are values, `{{` and `}}` are braces, `\n`, `\t` and `\\` are
 * escapes. Each record ends with a line break.
 * @throws {ScripError} USAGE for an unpaired brace
 */
export function parseTemplate(text: string): Template {
  const parts = partsOf(text);
  const write = (record: unknown): string =>
    parts
      .map((part) =>
        'text' in part ? part.text : escapeText(plainValue(valueAt(record, part.field))),
      )
      .join('');
  return {
    fields: [...new Set(parts.flatMap((part) => ('field' in part ? [part.field] : [])))],
    write: (record) => {
      const line = write(record);
      return line.endsWith('\n') ? line : `${line}\n`;
    },
  };
}

const PART = /\{\{|\}\}|\{\s*([^{}\s]+)\s*\}|\\[nt\\]|[^{}\\]+|[{}\\]/gu;
const SPELT: Readonly<Record<string, string>> = {
  '{{': '{',
  '}}': '}',
  '\\n': '\n',
  '\\t': '\t',
  '\\\\': '\\',
};

function partsOf(template: string): readonly Part[] {
  return [...template.matchAll(PART)].map(([said, field]) => {
    if (field !== undefined) return { field };
    if (said === '{' || said === '}') {
      throw new ScripError('USAGE', t`A brace of the template has no other: ${template}`, {
        hint: t`Write fields as {name}, and a brace of the text as {{ or }}.`,
      });
    }
    return { text: SPELT[said] ?? said };
  });
}
