/**
 * Masks codes, which are like cash: anyone who reads one can spend it. A command that delivers codes prints
 * them on a terminal and in JSON; in a pipe, and when past purchases are shown, they are masked.
 */

import { commandText } from '../../domain/message/command-text.ts';
import { Message, type Said, type Value } from '../../domain/message/message.ts';
import { codesIn, isCodeField } from '../../domain/product/delivered.ts';
import type { With } from '../context.ts';
import type { View } from '../output/view.ts';

const OTHERS = 'other_fields';
const MASK = '****';
/** A shorter code is masked entirely: its last characters would reveal too much of it. */
const TELLING_LENGTH = 12;
const SHOWN_CHARACTERS = 4;

/** Masks a code. Of a long one the end stays, to tell it from others. */
export function maskCode(code: string): string {
  const host = hostIn(code);
  if (host !== undefined) return `${host}/${MASK}`;
  return code.length < TELLING_LENGTH ? MASK : `${MASK}${code.slice(-SHOWN_CHARACTERS)}`;
}

/** The host of a code that is a URL: only the rest of the URL is secret. */
function hostIn(code: string): string | undefined {
  if (!/^https?:/i.test(code) || !URL.canParse(code)) return undefined;
  const { host, username, password } = new URL(code);
  return username === '' && password === '' ? host : undefined;
}

/** Masks all codes of a value, in their own fields and inside other texts. */
export function maskCodes<T>(value: T): T {
  const hide = hiderOf(value);
  // The type stays: only texts are replaced, by texts.
  return mapTexts(value, hide) as T;
}

/**
 * Prepares a purchase's view for output: masks its codes unless stdout is a terminal, JSON, or --reveal is
 * given.
 */
export function forOutput(
  { settings, io: { stdout } }: With<'settings' | 'io'>,
  view: View,
  { isRevealed }: { readonly isRevealed: boolean },
): View {
  if (view.kind !== 'record' || settings.isJson || stdout.isTerminal || isRevealed) return view;
  const hide = hiderOf(view.record);
  const lines = view.lines.map(([label, value]) => [label, hiddenIn(value, hide)] as const);
  const isSame = lines.every(
    ([, value], index) => String(value) === String(view.lines[index]?.[1]),
  );
  if (isSame) return view;
  // --fields, --csv and --template use the record.
  const record = maskCodes(view.record);
  return { note: pipeNote(view.record), ...view, record, lines, screen: [lines] };
}

function pipeNote(record: unknown): Message {
  const isNamed = typeof record === 'object' && record !== null && 'order_id' in record;
  const id = isNamed && typeof record.order_id === 'string' ? record.order_id : '<order_id>';
  return commandText`Codes are masked when the output is not a terminal. To print them: --reveal, or scrip orders reveal ${id}`;
}

/** Returns a function that masks every code of the value in a text. */
function hiderOf(value: unknown): (text: string) => string {
  // Longest first: one code may be part of another.
  const secrets = [...secretsIn(value)].toSorted((one, other) => other.length - one.length);
  return (text) =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, () => maskCode(secret)), text);
}

function hiddenIn<Part extends Value>(part: Part, hide: (text: string) => string): Part | Said {
  if (typeof part === 'string') return hide(part);
  if (!(part instanceof Message)) return part;
  return new Message(
    part.parts,
    part.values.map((value) => hiddenIn(value, hide)),
  );
}

/** Shorter codes would match by chance in names and amounts; they are masked only in their own fields. */
const MIN_LENGTH = 3;

function secretsIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    for (const [name, field] of Object.entries(part)) {
      const codes =
        name === OTHERS ? codesIn({ [OTHERS]: field }) : isCodeField(name) ? [field] : [];
      for (const code of codes) {
        if (typeof code === 'string' && code.length >= MIN_LENGTH) found.add(code);
      }
      walk(field);
    }
  };
  walk(value);
  return found;
}

function mapTexts(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value);
  if (value instanceof Message) return hiddenIn(value, hide);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((part) => mapTexts(part, hide));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, maskField(name, field, hide)]),
  );
}

function maskField(name: string, field: unknown, hide: (text: string) => string): unknown {
  // Mask unknown fields too: a merchant may put the code there.
  if (name === OTHERS) return mapTexts(field, maskCode);
  if (!isCodeField(name) || typeof field !== 'string') return mapTexts(field, hide);
  return field === '' ? field : maskCode(field);
}
