/** Colour, where a stream takes it; the library is loaded only then. */
import type { OutputStream } from '../terminal/ports.ts';

/** How a thing stands, as its colour says. */
export type Tone = 'good' | 'open' | 'bad';

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly tone: (text: string, tone: Tone | undefined) => string;
  readonly red: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const PLAIN: Paint = { bold: String, dim: String, tone: String, red: String, cyan: String };

export async function paintFor(stream: Pick<OutputStream, 'hasColor'>): Promise<Paint> {
  if (!stream.hasColor) return PLAIN;
  const { Chalk } = await import('chalk');
  // The level is told: the library would otherwise ask about another stream than this one.
  const chalk = new Chalk({ level: 1 });
  const tones = { good: chalk.green, open: chalk.yellow, bad: chalk.red };
  return {
    // The library joins all that it is given: a map over cells would print their indexes.
    bold: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    tone: (text, tone) => (tone === undefined ? text : tones[tone](text)),
    red: (text) => chalk.red(text),
    cyan: (text) => chalk.cyan(text),
  };
}
