/** A product on the command line: `amazon 25`, or its id. */

import type { Command, Option } from 'commander';

export interface NamedProduct {
  /** An id, a brand, or a product name; undefined if no word was typed. */
  readonly product: string | undefined;
  /** Face value as a decimal. */
  readonly value: string | undefined;
}

/**
 * Splits words into product and face value: a decimal number at the end is the value, unless --value is
 * given.
 */
export function productWords(words: readonly string[], value: string | undefined): NamedProduct {
  const last = words.at(-1) ?? '';
  if (value === undefined && words.length > 1 && /^\d+(\.\d+)?$/.test(last)) {
    return { product: words.slice(0, -1).join(' '), value: last };
  }
  return { product: words.length === 0 ? undefined : words.join(' '), value };
}

/** Options that a suggested command with a product id replaces. */
const NAMED_ANEW: ReadonlySet<string> = new Set(['value', 'brand']);

/** The options as typed. @param except attribute names of options to leave out */
export function typedOptions(command: Command, except = NAMED_ANEW): readonly string[] {
  const own = command.options.flatMap((option) => {
    const name = option.attributeName();
    return except.has(name) ? [] : typed(command, option);
  });
  const root = rootOf(command);
  const formats = root.options.filter(({ long }) => long === '--json' || long === '--ndjson');
  return [...own, ...formats.flatMap((option) => typed(root, option))];
}

function typed(command: Command, option: Option): readonly string[] {
  const name = option.attributeName();
  if (command.getOptionValueSource(name) !== 'cli') return [];
  const value: unknown = command.getOptionValue(name);
  const flag = option.long ?? option.flags;
  if (typeof value !== 'boolean') return [flag, String(value)];
  return value === option.negate ? [] : [flag];
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

/** Product ids are UUIDs in upper or lower case. */
export function isProductId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text);
}
