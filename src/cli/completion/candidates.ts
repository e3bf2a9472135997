/** Finds what may follow at the cursor of a command line. */

import type { LiveKind, Values } from './choices.ts';
import type { CommandNode, OptionNode } from './tree.ts';

/** A value that a shell may offer, with its description. */
export interface Candidate {
  readonly value: string;
  readonly what: string;
}

/** Parses a line written by the build: value, tab, description. */
export function splitLine(line: string): Candidate {
  const [value = '', what = ''] = line.split('\t');
  return { value, what };
}

export interface TypedLine {
  /** Words before the cursor's word, without the program's name and without quotes. */
  readonly before: readonly string[];
  /** The part of the cursor's word before the cursor. */
  readonly current: string;
  /** Words after it. */
  readonly after: readonly string[];
}

export interface Completion {
  readonly kind: 'values' | 'files' | 'folders';
  /** The part of the word that stays before each value, such as `--brand=`. */
  readonly prefix: string;
  /** Empty for files and folders: the shell lists those itself. */
  readonly candidates: readonly Candidate[];
  /** Whether the word may continue after a value. */
  readonly isOpen: boolean;
}

/** Returns the known values of a kind, for the command on the line. */
type Ask = (of: LiveKind, path: string) => readonly Candidate[];

const NOTHING: Completion = { kind: 'values', prefix: '', candidates: [], isOpen: false };

export function completionAt(root: CommandNode, line: TypedLine, ask: Ask): Completion {
  const reading = readLine(root, line.before);
  const { options, pending, isEnded } = reading;
  const { current } = line;
  if (pending?.values !== undefined)
    return completionOf(pending.values, { reading, typed: current, ask });
  if (isEnded || !current.startsWith('-')) return argumentCompletion(line, reading, ask);
  const [name = ''] = current.split('=');
  if (name === current) return { ...NOTHING, candidates: optionsLeft(root, line, reading) };
  const values = options.find(({ names }) => names.includes(name))?.values;
  if (values === undefined) return NOTHING;
  const typed = current.slice(name.length + 1);
  return { ...completionOf(values, { reading, typed, ask }), prefix: `${name}=` };
}

/** Subcommands, or values of the argument; options if there are neither. */
function argumentCompletion(line: TypedLine, reading: LineReading, ask: Ask): Completion {
  const { node, positionals, isEnded } = reading;
  const isFirst = positionals.length === 0;
  const children = isFirst ? node.children : [];
  const argument = node.arguments[positionals.length] ?? node.arguments.at(-1);
  const isTaken = argument === undefined || isPast(reading);
  const own = isTaken
    ? NOTHING
    : completionOf(argument.values, { reading, typed: line.current, ask });
  if (own.kind !== 'values') return own;
  const given = new Set(argument?.isVariadic ? positionals : []);
  const candidates = [
    ...children.map(({ name, what }) => ({ value: name, what })),
    ...own.candidates.filter(({ value }) => !given.has(value)),
  ];
  if (candidates.length > 0 || line.current !== '' || isEnded) return { ...own, candidates };
  return { ...NOTHING, candidates: optionsLeft(node, line, reading) };
}

/** Whether every argument has a value. */
function isPast({ node, positionals }: LineReading): boolean {
  const isEndless = node.arguments.at(-1)?.isVariadic === true;
  return !isEndless && positionals.length >= node.arguments.length;
}

/** Options in long form, except those already on the line. */
function optionsLeft(
  root: CommandNode,
  { after }: TypedLine,
  { options, given }: LineReading,
): readonly Candidate[] {
  const later = readLine({ ...root, options, children: [] }, after).given;
  const taken = new Set(
    [...given, ...later].filter(({ option }) => !option.isRepeatable).map(({ option }) => option),
  );
  return options
    .filter((option) => !taken.has(option))
    .flatMap(({ names, what }) =>
      names.filter((name) => name.startsWith('--')).map((value) => ({ value, what })),
    );
}

interface Spot {
  readonly reading: LineReading;
  /** The typed part of the value. */
  readonly typed: string;
  readonly ask: Ask;
}

function completionOf(values: Values, spot: Spot): Completion {
  switch (values.kind) {
    case 'any':
      return NOTHING;
    case 'file':
      return { ...NOTHING, kind: 'files' };
    case 'folder':
      return { ...NOTHING, kind: 'folders' };
    case 'after':
      return completionOf(valuesAfter(values.of, spot.reading.positionals.at(-1) ?? ''), spot);
    case 'words':
      return listed(values.words.map(splitLine), values.isList ?? false, spot);
    case 'live':
      return listed(spot.ask(values.of, spot.reading.node.path), values.isList ?? false, spot);
  }
}

function valuesAfter(of: Readonly<Record<string, Values>>, key: string): Values {
  const found = Object.hasOwn(of, key) ? of[key] : of[`${key.split('.')[0]}.`];
  return found ?? { kind: 'any' };
}

/** In a comma-separated list, keeps the values before the last comma and does not offer them again. */
function listed(candidates: readonly Candidate[], isList: boolean, { typed }: Spot): Completion {
  if (!isList) return { ...NOTHING, candidates };
  const kept = typed.slice(0, typed.lastIndexOf(',') + 1);
  const given = new Set(kept.split(','));
  return {
    ...NOTHING,
    isOpen: true,
    candidates: candidates
      .filter(({ value }) => !given.has(value))
      .map(({ value, what }) => ({ value: `${kept}${value}`, what })),
  };
}

// Parses the words of a command line against the commands, as the real parser does.

interface GivenOption {
  readonly option: OptionNode;
  /** Undefined for a switch, or when the value is still to be typed. */
  readonly value: string | undefined;
}

export interface LineReading {
  /** The command that the words name. */
  readonly node: CommandNode;
  /** Every option that is valid there. */
  readonly options: readonly OptionNode[];
  readonly given: readonly GivenOption[];
  /** Words that are neither commands, options nor values of options. */
  readonly positionals: readonly string[];
  /** The option whose value is the next word. */
  readonly pending: OptionNode | undefined;
  /** Whether `--` occurred: no options follow it. */
  readonly isEnded: boolean;
}

/** Parses the words. @param words without the program's own name */
export function readLine(root: CommandNode, words: readonly string[]): LineReading {
  return words.reduce(readWord, {
    node: root,
    options: optionsOf(root, root.options),
    given: [],
    positionals: [],
    pending: undefined,
    isEnded: false,
  });
}

function readWord(line: LineReading, word: string): LineReading {
  const { pending, isEnded } = line;
  if (pending !== undefined) {
    const given = [...line.given.slice(0, -1), { option: pending, value: word }];
    return { ...line, given, pending: undefined };
  }
  if (isEnded || !/^-./.test(word)) return readPositional(line, word);
  return word === '--' ? { ...line, isEnded: true } : readOption(line, word);
}

function readPositional(line: LineReading, word: string): LineReading {
  const { node, positionals } = line;
  const child =
    positionals.length > 0 ? undefined : node.children.find(({ name }) => name === word);
  if (child === undefined) return { ...line, positionals: [...positionals, word] };
  return { ...line, node: child, options: optionsOf(child, optionsAbove(line, node)) };
}

/** Parent options are valid after a subcommand, except --version and those of the default subcommand. */
function optionsAbove({ options }: LineReading, { usual, children }: CommandNode) {
  const ofUsual = children.find(({ name }) => name === usual)?.options ?? [];
  return options.filter(
    (option) => !option.names.includes('--version') && !ofUsual.includes(option),
  );
}

/** A command's own option hides a parent option of the same name. */
function optionsOf(node: CommandNode, above: readonly OptionNode[]): readonly OptionNode[] {
  const usual = node.children.find(({ name }) => name === node.usual);
  const own = [...(usual?.options ?? []), ...node.options];
  const names = own.flatMap((option) => option.names);
  return [...own, ...above.filter((option) => !option.names.some((name) => names.includes(name)))];
}

function readOption(line: LineReading, word: string): LineReading {
  const [name = '', ...rest] = word.split('=');
  const option = line.options.find(({ names }) => names.includes(name));
  if (option === undefined) return line;
  const hasValue = rest.length > 0;
  const value = hasValue ? rest.join('=') : undefined;
  const pending = option.values === undefined || hasValue ? undefined : option;
  return { ...line, given: [...line.given, { option, value }], pending };
}
