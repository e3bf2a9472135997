/** What a command line that does not parse was probably meant to be. */
import type { Command, CommanderError } from 'commander';
import { ScripError } from '../domain/errors.ts';

/** Words of a command line that are neither options nor values of the global ones. */
type Positionals = readonly string[];

/** A verb after `help`, or a subcommand, that does not exist; undefined where there is none. */
export async function unknownCommand(
  program: Command,
  positionals: Positionals,
  cause?: CommanderError,
): Promise<ScripError | undefined> {
  const [first, second] = positionals;
  if (second === undefined) return undefined;
  if (first === 'help') {
    const { TOPICS } = await import('./topics.ts');
    const topics = TOPICS.map(({ name }) => name);
    return notAmong('command', second, [...namesOf(program), ...topics], cause);
  }
  const group = program.commands.find((command) => command.name() === first);
  if (cause?.code !== 'commander.excessArguments' || group === undefined) return undefined;
  return notAmong('subcommand', second, namesOf(group), cause);
}

function namesOf(command: Command): readonly string[] {
  return command.commands.map((child) => child.name());
}

async function notAmong(
  what: string,
  word: string,
  known: readonly string[],
  cause: CommanderError | undefined,
): Promise<ScripError | undefined> {
  if (known.length === 0 || known.includes(word)) return undefined;
  const { nearest } = await import('../domain/catalog-query.ts');
  const near = nearest(known, word, 1);
  const isMany = known.length > 6;
  return new ScripError('USAGE', `unknown ${what} '${word}'`, {
    cause,
    ...(near.length > 0 ? { hint: `Did you mean ${near.join(' or ')}?` } : {}),
    ...(near.length === 0 && !isMany ? { hint: `There are: ${known.join(', ')}.` } : {}),
  });
}
