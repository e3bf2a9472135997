/** A product as words of a command line: `amazon 25`, or its id. */

import type { Command } from 'commander';

export interface NamedProduct {
  /** An id, a brand, or the name of a product; undefined where no word was typed. */
  readonly product: string | undefined;
  /** Face value as a decimal. */
  readonly value: string | undefined;
}

/** The last of several words is the face value where it is a plain decimal, unless `--value` names one. */
export function productWords(words: readonly string[], value: string | undefined): NamedProduct {
  const last = words.at(-1) ?? '';
  if (value === undefined && words.length > 1 && /^\d+(\.\d+)?$/.test(last)) {
    return { product: words.slice(0, -1).join(' '), value: last };
  }
  return { product: words.length === 0 ? undefined : words.join(' '), value };
}

/** The options as they were typed. @param except attribute names of those that a line says in its own way */
export function typedOptions(command: Command, except: ReadonlySet<string>): readonly string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName();
    if (except.has(name) || command.getOptionValueSource(name) !== 'cli') return [];
    const value: unknown = command.getOptionValue(name);
    const flag = option.long ?? option.flags;
    if (typeof value !== 'boolean') return [flag, String(value)];
    return value === option.negate ? [] : [flag];
  });
}

/** Ids of products are UUIDs in any case. */
export function isProductId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text);
}
