/** What a terminal can do, by its environment and by what the user says. */

export type Environment = Readonly<Record<string, string | undefined>>;

export const COLOR_CHOICES = ['auto', 'always', 'never'] as const;
export type ColorChoice = (typeof COLOR_CHOICES)[number];

/**
 * What was said of colour: by `--color`, else by NO_COLOR, else by FORCE_COLOR, else by CLICOLOR_FORCE
 * and CLICOLOR. Read ahead of the other flags, since help and errors are coloured as well.
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

/** Terminals that are known to make links of OSC 8; the others may print what they do not know. */
const LINKING = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'Hyper', 'rio', 'Tabby']);

/** Whether the terminal makes links of OSC 8. */
export function opensLinks(env: Environment): boolean {
  const { FORCE_HYPERLINK, TERM = '', TERM_PROGRAM = '', VTE_VERSION = '' } = env;
  if (FORCE_HYPERLINK) return FORCE_HYPERLINK !== '0';
  if (LINKING.has(TERM_PROGRAM) || /kitty|alacritty|foot|ghostty|wezterm/.test(TERM)) return true;
  // Terminals on libvte have them from 0.50 on.
  if (/^\d+$/.test(VTE_VERSION) && Number(VTE_VERSION) >= 5_000) return true;
  return env.WT_SESSION !== undefined || env.KONSOLE_VERSION !== undefined;
}
