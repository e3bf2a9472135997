/**
 * Texts for users: a sentence and its values, written in English. The command line localizes them; JSON has
 * the English text.
 */

/** A value of a message: a nested Message is localized too; a string is data and stays as it is. */
export type Value = string | number | bigint | Message;

/** Text to show: data, or a localizable message. */
export type Said = string | Message;

export class Message {
  /** The text before, between and after the values. */
  readonly parts: readonly string[];
  readonly values: readonly Value[];
  /** Changes the text after localization. */
  readonly adapt: ((text: string) => string) | undefined;

  constructor(
    parts: readonly string[],
    values: readonly Value[],
    adapt?: (text: string) => string,
  ) {
    this.parts = parts;
    this.values = values;
    this.adapt = adapt;
  }

  /** The sentence with numbered placeholders, the key of the translation files: `the price is {0} USDC`. */
  get key(): string {
    return this.parts.reduce((text, part, index) => `${text}{${index - 1}}${part}`);
  }

  /** Returns the English text. */
  toString(): string {
    const { values, adapt } = this;
    const said = this.parts.reduce((text, part, index) => `${text}${values[index - 1]}${part}`);
    return adapt === undefined ? said : adapt(said);
  }

  toJSON(): string {
    return this.toString();
  }

  /** Shows the English text in Node's `inspect`, also within errors of other programs. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** Makes a message from a template: t`The price is ${price} USDC`. */
export function t(parts: TemplateStringsArray, ...values: readonly Value[]): Message {
  return new Message(parts, values);
}

/** Makes a message from data, which is the same in every language. */
export function verbatim(text: string): Message {
  return new Message(['', ''], [text]);
}

/** Makes a translatable message from a plain string of a table, such as the contract's texts about codes. */
export function sentence(text: string): Message {
  return new Message([text], []);
}

/** Joins values into one message; nested messages are localized. */
export function joined(values: readonly Value[], between: Value = ', '): Message {
  const items = values.flatMap((value, index) => (index === 0 ? [value] : [between, value]));
  return new Message(
    Array.from({ length: items.length + 1 }, () => ''),
    items,
  );
}

/** Changes a message after localization, such as by adding flags to the commands in it. */
export function adapted(message: Message, adapt: (text: string) => string): Message {
  return new Message(['', ''], [message], adapt);
}

/** Longest text shown in one cell or message. */
const MAX_LENGTH = 2000;

/** Latin letters and signs that are shown as they are; `unusual`, which finds the others, takes 10 ms to build. */
const HARMLESS = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u20ac\u2122]*$/;

/** Escapes text for one line of a terminal, cut at `maxLength` characters. */
export function escapeText(text: string, maxLength = MAX_LENGTH): string {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  if (HARMLESS.test(cut)) return cut;
  unusual ??= new RegExp(`(${EMOJI})|${DANGEROUS}`, 'gv');
  return cut.normalize('NFC').replace(unusual, (one, emoji?: string) => emoji ?? spell(one));
}

const EMOJI = String.raw`\p{RGI_Emoji}`;
const DANGEROUS = String.raw`(?! )[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}]`;
let unusual: RegExp | undefined;

function spell(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
