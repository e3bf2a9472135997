/** The command tree as completions see it: what may follow each word. */
import type { Argument, Command, Option } from 'commander';
import { CATEGORIES } from '../../domain/categories.ts';
import { LATEST_EVENT, PLAYED_EVENTS } from '../../domain/played-event.ts';
import { SETTINGS } from '../setting-table.ts';
import { TOPICS } from '../topics.ts';
import type { LiveKind } from './answer.ts';

/** What may follow an option or stand as an argument. */
export type Values =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' }
  | { readonly kind: 'folder' }
  /** Asked of `scrip completion --values` when the key is pressed. */
  | { readonly kind: 'live'; readonly of: LiveKind }
  | { readonly kind: 'any' };

export interface OptionNode {
  /** Spellings, such as `-h` and `--help`. */
  readonly names: readonly string[];
  readonly what: string;
  /** Undefined for a switch. */
  readonly values?: Values;
}

/** A command with its words before it: `wallet new`; the program itself is the empty path. */
export interface CommandNode {
  readonly path: string;
  readonly name: string;
  readonly what: string;
  readonly children: readonly CommandNode[];
  readonly options: readonly OptionNode[];
  readonly argument: Values | undefined;
}

/** The whole tree, with `help`, which is not a command of its own. */
export function describeTree(program: Command): CommandNode {
  const root = describe(program, '', []);
  return { ...root, children: [...root.children, helpNode(root)] };
}

function helpNode({ children }: CommandNode): CommandNode {
  const words = [...children.map(({ name }) => name), ...TOPICS.map(({ name }) => name)];
  return {
    path: 'help',
    name: 'help',
    what: 'print the help of a command, or of a topic',
    children: [],
    options: [],
    argument: { kind: 'words', words },
  };
}

function describe(command: Command, path: string, inherited: readonly OptionNode[]): CommandNode {
  const own = command.options.filter((option) => !option.hidden).map(describeOption);
  const options = [...own, ...inherited];
  const [argument] = command.registeredArguments;
  return {
    path,
    name: command.name(),
    what: command.description(),
    children: command.commands.map((child) =>
      describe(child, `${path} ${child.name()}`.trim(), options.filter(isShared)),
    ),
    options: [...options, HELP],
    argument: argument && (ARGUMENTS.get(`${path} <${argument.name()}>`) ?? valuesOf(argument)),
  };
}

const HELP: OptionNode = { names: ['-h', '--help'], what: 'print the help of a command' };

/** The version is the program's alone; every other global option may stand after the verb. */
function isShared(option: OptionNode): boolean {
  return !option.names.includes('--version');
}

function describeOption(option: Option): OptionNode {
  const names = [option.short, option.long].filter((name) => name !== undefined && name !== null);
  const takesValue = option.required || option.optional;
  return { names, what: option.description, ...(takesValue ? { values: valuesOf(option) } : {}) };
}

const live = (of: LiveKind): Values => ({ kind: 'live', of });
const KEYS: Values = { kind: 'words', words: SETTINGS.map(({ key }) => key) };

const EVENTS: Values = {
  kind: 'words',
  words: [...PLAYED_EVENTS.map(({ event }) => event), LATEST_EVENT],
};

/** Arguments whose placeholder means something else elsewhere. */
const ARGUMENTS: ReadonlyMap<string, Values> = new Map([
  ...['get', 'set', 'unset'].map((verb) => [`config ${verb} <key>`, KEYS] as const),
  ...['use', 'show', 'remove'].map((verb) => [`profile ${verb} <name>`, live('profiles')] as const),
  ...['show', 'reveal', 'forget', 'resume'].map(
    (verb) => [`orders ${verb} <id>`, live('orders')] as const,
  ),
  ['sandbox trigger <event>', EVENTS],
  ['schema <command>', live('schema')],
  ['inspect <target>', live('products')],
]);

/** Placeholders that mean the same everywhere. */
const PLACEHOLDERS: ReadonlyMap<string, Values> = new Map<string, Values>([
  ['<file>', { kind: 'file' }],
  ['<dir>', { kind: 'folder' }],
  ['<slug>', { kind: 'words', words: CATEGORIES }],
  ['<product_id>', live('products')],
  ['<order_id>', live('orders')],
  ['--country <code>', live('countries')],
  ['--country <country>', live('countries')],
  ['--brand <name>', live('brands')],
  ['--family <name>', live('families')],
  ['--coin <ticker>', live('coins')],
  ['--profile <name>', live('profiles')],
]);

function valuesOf(source: Option | Argument): Values {
  if (source.argChoices) return { kind: 'words', words: source.argChoices };
  const flags = 'flags' in source ? source.flags : `<${source.name()}>`;
  const [placeholder = ''] = /<[^>]*>/.exec(flags) ?? [];
  return PLACEHOLDERS.get(flags) ?? PLACEHOLDERS.get(placeholder) ?? { kind: 'any' };
}

export function everyNode(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.children.flatMap(everyNode)];
}

/** Options that take a value, each once: a spelling means the same for every command. */
export function valueOptions(
  root: CommandNode,
): readonly (OptionNode & { readonly values: Values })[] {
  const found = new Map<string, OptionNode & { readonly values: Values }>();
  for (const option of everyNode(root).flatMap((node) => node.options)) {
    const { names, values } = option;
    const isKnown = found.has(names.join()) && values?.kind === 'any';
    if (values && !isKnown) found.set(names.join(), { ...option, values });
  }
  return [...found.values()];
}

/** Commands and choices that may be typed next; options without those that start them. */
export function argumentWords(node: CommandNode): readonly string[] {
  const values = node.argument?.kind === 'words' ? node.argument.words : [];
  return [...node.children.map((child) => child.name), ...values];
}

/** Options of a command, in their long spelling. */
export function optionWords(node: CommandNode): readonly string[] {
  return node.options.flatMap((option) => option.names.filter((name) => name.startsWith('--')));
}

/** Text between single quotes; bash, zsh and fish read this spelling alike. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
