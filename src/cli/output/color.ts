/** Decides on colours and links, from the environment and the user's options. */

export type Environment = Readonly<Record<string, string | undefined>>;

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;
export type ColorChoice = (typeof COLOR_CHOICES)[number];

/**
 * The user's choice of colour: --color, otherwise NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE and CLICOLOR, in this
 * order. Read before other options are parsed, since help and errors are coloured too.
 */
export function colorChoice(words: readonly string[], env: Environment): ColorChoice {
  const end = words.indexOf('--');
  const ours = end === -1 ? words : words.slice(0, end);
  const at = ours.findLastIndex((word) => word === '--color' || word.startsWith('--color='));
  const said = ours[at] === '--color' ? ours[at + 1] : ours[at]?.slice('--color='.length);
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
