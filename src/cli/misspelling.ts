/** What a command line that does not parse was probably meant to be. */
import type { Command, CommanderError } from 'commander';
import { ScripError } from '../domain/errors.ts';

/** Words of a command line that are neither options nor values of the global ones. */
type Positionals = readonly string[];

/** So many are told in one line. */
const FEW = 12;

/** A verb after `help`, or a subcommand, that does not exist; undefined where there is none. */
export async function unknownCommand(
  program: Command,
  positionals: Positionals,
  cause?: CommanderError,
): Promise<ScripError | undefined> {
  const [first, second] = positionals;
  if (second === undefined) return undefined;
  if (first === 'help') return unknownToHelp(program, positionals.slice(1));
  const group = program.commands.find((command) => command.name() === first);
  if (cause?.code !== 'commander.excessArguments' || group === undefined) return undefined;
  return notAmong('subcommand', second, { known: namesOf(group), cause });
}

/** The parser shows the help of a group for whatever follows its name. */
async function unknownToHelp(program: Command, path: Positionals): Promise<ScripError | undefined> {
  let command = program;
  for (const word of path) {
    const found = command.commands.find((child) => child.name() === word);
    if (found === undefined) {
      return command === program
        ? unknownTopic(program, word)
        : notAmong('subcommand', word, { known: namesOf(command) });
    }
    command = found;
  }
  return undefined;
}

async function unknownTopic(program: Command, word: string): Promise<ScripError | undefined> {
  const { TOPICS } = await import('./topics.ts');
  const topics = TOPICS.map(({ name }) => name);
  const otherwise = `Topics: ${topics.join(', ')}. The commands: scrip --help`;
  return notAmong('command', word, { known: [...namesOf(program), ...topics], otherwise });
}

function namesOf(command: Command): readonly string[] {
  return command.commands.map((child) => child.name());
}

interface Known {
  readonly known: readonly string[];
  /** What is said where nothing is like it; by itself, those there are, if they are few. */
  readonly otherwise?: string;
  readonly cause?: CommanderError;
}

async function notAmong(
  what: string,
  word: string,
  { known, otherwise, cause }: Known,
): Promise<ScripError | undefined> {
  if (known.length === 0 || known.includes(word)) return undefined;
  const { nearest } = await import('../domain/catalog-query.ts');
  const near = nearest(known, word, 1);
  const list = known.length > FEW ? otherwise : `There are: ${known.join(', ')}.`;
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : list;
  return new ScripError('USAGE', `unknown ${what} '${word}'`, {
    cause,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** What the parser says of a command line, in our form. */
export function usageError(cause: CommanderError, said: string): ScripError {
  if (cause.code === 'commander.help') return subcommandMissing(cause, said);
  const [first, ...more] = cause.message.split('\n');
  const suggestion = more
    .join(' ')
    .trim()
    .replace(/^\(|\)$/g, '');
  const message = (first ?? '').replace(/^error: /, '');
  return new ScripError('USAGE', message, {
    cause,
    ...(suggestion === '' ? {} : { hint: suggestion }),
  });
}

/**
 * The parser tells of a missing option before it tells of one that it does not know, which mostly
 * is the same one, misspelt.
 */
export async function misspelt(
  cause: CommanderError,
  words: readonly string[],
  { program, verb }: { readonly program: Command; readonly verb: string | undefined },
): Promise<ScripError | undefined> {
  if (cause.code !== 'commander.missingMandatoryOptionValue') return undefined;
  const command = program.commands.find((candidate) => candidate.name() === verb);
  const known = [
    ...[program, command].flatMap((of) => of?.options.map(({ long }) => long ?? '') ?? []),
    '--help',
  ];
  const end = words.indexOf('--');
  const typed = (end === -1 ? words : words.slice(0, end))
    .filter((word) => word.startsWith('--'))
    .map((word) => word.split('=')[0] ?? word)
    .find((word) => !known.includes(word));
  if (typed === undefined) return undefined;
  const { nearest } = await import('../domain/catalog-query.ts');
  const near = nearest(known, typed, 1);
  return new ScripError('USAGE', `unknown option '${typed}'`, {
    cause,
    ...(near.length === 0 ? {} : { hint: `Did you mean ${near.join(' or ')}?` }),
  });
}

/** A group without its subcommand: the parser would print its whole help. */
function subcommandMissing(cause: CommanderError, help: string): ScripError {
  const usage = /^[^\s:]+: (.*)$/m.exec(help)?.[1] ?? 'scrip <command>';
  return new ScripError('USAGE', `a subcommand is missing: ${usage}`, { cause });
}
