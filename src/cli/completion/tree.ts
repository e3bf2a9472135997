/** The commands as completion needs them: what may follow each word. */
import type { Argument, Command, Option } from 'commander';
import { TOPICS } from '../topics.ts';
import { type Values, valuesOfArgument, valuesOfOption } from './choices.ts';

export interface OptionNode {
  /** Spellings, such as `-h` and `--help`. */
  readonly names: readonly string[];
  readonly what: string;
  /** Undefined for a switch. */
  readonly values?: Values;
  /** Whether it may be given more than once. */
  readonly isRepeatable?: true;
}

export interface ArgumentNode {
  readonly values: Values;
  /** Whether it takes all remaining words. */
  readonly isVariadic?: true;
}

/**
 * A command; the path has its parents' names too, as in `wallet new`. The program itself has the empty path.
 */
export interface CommandNode {
  readonly path: string;
  readonly name: string;
  readonly what: string;
  readonly children: readonly CommandNode[];
  /** Its own options. Options of parent commands are valid too, except --version. */
  readonly options: readonly OptionNode[];
  readonly arguments: readonly ArgumentNode[];
  /** The default subcommand, whose options are valid without its name. */
  readonly usual?: string;
}

/** Describes all commands; `help` has every command again as its children, and the topics. */
export function describeTree(program: Command): CommandNode {
  const root = describe(program, '');
  const options = [...root.options, HELP];
  const children = root.children.map((child) =>
    child.name === 'help' ? helpNode(root, child) : child,
  );
  return { ...root, options, children };
}

const HELP: OptionNode = { names: ['-h', '--help'], what: 'print the help of a command' };

/** `help`: its children are the other commands, without options; its arguments are the topics. */
function helpNode(root: CommandNode, help: CommandNode): CommandNode {
  const topics = TOPICS.map(({ name, summary }) => `${name}\t${summary}`);
  const others = root.children.filter(({ name }) => name !== 'help');
  return {
    ...help,
    children: [...help.children, ...others.map((child) => bareOf(child, `help ${child.name}`))],
    arguments: [{ values: { kind: 'words', words: topics } }],
  };
}

function bareOf(node: CommandNode, path: string): CommandNode {
  const children = node.children.map((child) => bareOf(child, `${path} ${child.name}`));
  return { path, name: node.name, what: node.what, children, options: [], arguments: [] };
}

function describe(command: Command, path: string): CommandNode {
  // Commander has no public API for the default subcommand.
  const usual: unknown = Reflect.get(command, '_defaultCommandName');
  return {
    ...(typeof usual === 'string' ? { usual } : {}),
    path,
    name: command.name(),
    what: command.description(),
    children: command.commands.map((child) => describe(child, `${path} ${child.name()}`.trim())),
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map((option) => optionNode(option, path)),
    arguments: command.registeredArguments.map((argument) => argumentNode(argument, path)),
  };
}

function optionNode(option: Option, path: string): OptionNode {
  const takesValue = option.required || option.optional;
  // Commander collects its values into a list.
  const isRepeatable = option.variadic || Array.isArray(option.defaultValue);
  return {
    names: [option.short, option.long].filter((name) => name !== undefined && name !== null),
    what: option.description,
    ...(takesValue ? { values: valuesOfOption(option, path) } : {}),
    ...(isRepeatable ? { isRepeatable } : {}),
  };
}

function argumentNode(argument: Argument, path: string): ArgumentNode {
  const values = valuesOfArgument(argument, path);
  return { values, ...(argument.variadic ? { isVariadic: true } : {}) };
}

export function everyNode(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(everyNode)];
}
