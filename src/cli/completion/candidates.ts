/** Finds what may follow at the cursor of a command line. */
import { type Candidate, splitLine } from './candidate.ts';
import type { Values } from './choices.ts';
import type { LiveKind } from './live-kinds.ts';
import { type LineReading, readLine } from './reading.ts';
import type { CommandNode } from './tree.ts';

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
export type Ask = (of: LiveKind, path: string) => readonly Candidate[];

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
  const children = isFirst ? node.children.filter(({ isHidden }) => !isHidden) : [];
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
