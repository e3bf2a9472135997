/** Colours, if the stream supports them; chalk loads only then. */
import type { OutputStream } from '../terminal/ports.ts';

/** The meaning of a colour. */
export type Tone = 'good' | 'open' | 'bad';

export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly tone: (text: string, tone: Tone | undefined) => string;
  readonly red: (text: string) => string;
}

const PLAIN: Paint = { bold: String, dim: String, tone: String, red: String };

export async function paintFor(stream: Pick<OutputStream, 'hasColor'>): Promise<Paint> {
  if (!stream.hasColor) return PLAIN;
  const { Chalk } = await import('chalk');
  // Set the level: chalk would otherwise detect it for another stream.
  const chalk = new Chalk({ level: 1 });
  // Readable on black and white backgrounds; yellow and cyan would not be readable on white.
  const tones = { good: chalk.green, open: chalk.magenta, bad: chalk.red };
  return {
    // Pass one argument only: chalk joins all its arguments, so `map` would print indexes.
    bold: (text) => chalk.bold(text),
    dim: (text) => chalk.dim(text),
    tone: (text, tone) => (tone === undefined ? text : tones[tone](text)),
    red: (text) => chalk.red(text),
  };
}
