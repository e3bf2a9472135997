/**
 * Texts for users: a sentence and its values. They are written in English; the command line shows them in
 * the user’s language, and JSON has the English.
 */

/** A message within a message is said in the same language; a string is data and stays as it is. */
export type Value = string | number | bigint | Message;

/** Data, or a message of ours. */
export type Said = string | Message;

export class Message {
  /** What stands before, between and after the values. */
  readonly parts: readonly string[];
  readonly values: readonly Value[];
  /** What is done to the text, in any language. */
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

  /** The sentence with its values numbered, as catalogues have it: `the price is {0} USDC`. */
  get key(): string {
    return this.parts.reduce((text, part, index) => `${text}{${index - 1}}${part}`);
  }

  /** In English. */
  toString(): string {
    const { values, adapt } = this;
    const said = this.parts.reduce((text, part, index) => `${text}${values[index - 1]}${part}`);
    return adapt === undefined ? said : adapt(said);
  }

  toJSON(): string {
    return this.toString();
  }

  /** As Node's `inspect` shows it, in errors of other programs too. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** Tags texts for users: t`The price is ${price} USDC`. */
export function t(parts: TemplateStringsArray, ...values: readonly Value[]): Message {
  return new Message(parts, values);
}

/** Data used as a message: the same in every language. */
export function verbatim(text: string): Message {
  return new Message(['', ''], [text]);
}

/** A text of a table that is plain text, such as what the contract says of its codes: a key, not data. */
export function sentence(text: string): Message {
  return new Message([text], []);
}

/** One after another, each as a value is said. */
export function joined(values: readonly Value[], between: Value = ', '): Message {
  const items = values.flatMap((value, index) => (index === 0 ? [value] : [between, value]));
  return new Message(
    Array.from({ length: items.length + 1 }, () => ''),
    items,
  );
}

/** A message whose localized text is changed afterwards, such as by adding flags to the commands in it. */
export function adapted(message: Message, adapt: (text: string) => string): Message {
  return new Message(['', ''], [message], adapt);
}
