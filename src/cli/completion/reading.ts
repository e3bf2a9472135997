/** Parses the words of a command line against the commands, as the real parser does. */
import type { CommandNode, OptionNode } from './tree.ts';

export interface GivenOption {
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
