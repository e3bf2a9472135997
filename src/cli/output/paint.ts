/** Colour, where a stream takes it; the library is loaded only then. */
import type { OutputStream } from '../context.ts';

export interface Paint {
  readonly bold: (text: string) => string;
  readonly red: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const PLAIN: Paint = { bold: String, red: String, cyan: String };

export async function paintFor(stream: Pick<OutputStream, 'hasColor'>): Promise<Paint> {
  if (!stream.hasColor) return PLAIN;
  const { Chalk } = await import('chalk');
  // The level is told: the library would otherwise ask about another stream than this one.
  const chalk = new Chalk({ level: 1 });
  return { bold: chalk.bold, red: chalk.red, cyan: chalk.cyan };
}
