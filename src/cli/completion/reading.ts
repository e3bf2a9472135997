/** Words of a command line, read along the command tree as the parser reads them. */
import type { CommandNode, OptionNode } from './tree.ts';

export interface GivenOption {
  readonly option: OptionNode;
  /** Undefined for a switch, and for the last option where its value is still to come. */
  readonly value: string | undefined;
}

export interface LineReading {
  /** The command that the words name. */
  readonly node: CommandNode;
  /** Every option that may stand there. */
  readonly options: readonly OptionNode[];
  readonly given: readonly GivenOption[];
  /** Words that are neither commands nor options nor their values. */
  readonly positionals: readonly string[];
  /** The option that the next word is the value of. */
  readonly pending: OptionNode | undefined;
  /** `--` was said: no options follow. */
  readonly isEnded: boolean;
}

/** @param words without the program's own name */
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

/** What stands above a command may follow it, but for the version, which is the program's alone. */
function optionsAbove({ options }: LineReading, { usual, children }: CommandNode) {
  const ofUsual = children.find(({ name }) => name === usual)?.options ?? [];
  return options.filter(
    (option) => !option.names.includes('--version') && !ofUsual.includes(option),
  );
}

/** An option of the command itself hides one of the same name above it. */
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
