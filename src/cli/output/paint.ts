/** Decides on colours and links, from the environment and the user's options; chalk loads only if the stream has colours. */

import { typedValue } from '../parsing/words.ts';
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

export type Environment = Readonly<Record<string, string | undefined>>;

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;
export type ColorChoice = (typeof COLOR_CHOICES)[number];

/**
 * The user's choice of colour: --color, otherwise NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and CLICOLOR, in this
 * order. Read before other options are parsed, since help and errors are coloured too.
 */
export function colorChoice(words: readonly string[], env: Environment): ColorChoice {
  const said = typedValue(words, '--color');
  const flag = COLOR_CHOICES.find((choice) => choice === said);
  if (flag !== undefined) return flag;
  if ((env.NO_COLOR ?? '') !== '') return 'never';
  const { FORCE_COLOR = '', CLICOLOR_FORCE = '', CLICOLOR } = env;
  if (FORCE_COLOR === '0' || FORCE_COLOR === 'false') return 'never';
  if (FORCE_COLOR !== '' || !['', '0'].includes(CLICOLOR_FORCE)) return 'always';
  return CLICOLOR === '0' ? 'never' : 'auto';
}

/** Terminals known to support OSC 8 links; others may print the raw sequence. */
const LINKING = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'Tabby']);

/** Whether the terminal supports OSC 8 links. */
export function opensLinks(env: Environment): boolean {
  const { FORCE_HYPERLINK, TERM = '', TERM_PROGRAM = '', VTE_VERSION = '' } = env;
  if (FORCE_HYPERLINK) return FORCE_HYPERLINK !== '0';
  if (LINKING.has(TERM_PROGRAM) || /kitty|alacritty|foot|ghostty|wezterm/.test(TERM)) return true;
  // Terminals on libvte support them since 0.50.
  if (/^\d+$/.test(VTE_VERSION) && Number(VTE_VERSION) >= 5_000) return true;
  return env.WT_SESSION !== undefined || env.KONSOLE_VERSION !== undefined;
}
