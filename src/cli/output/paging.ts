/** Shows long output in a pager. */
import { t } from '../../domain/message/message.ts';
import type { Localize } from '../i18n/localize.ts';
import type { OutputStream } from '../terminal/ports.ts';
import type { LocalView } from './local-view.ts';
import { lineWidths } from './wrap.ts';

/** Shows a text and waits until the user closes the pager. @returns false if it could not be shown */
export type Page = (text: string) => Promise<boolean>;

/** Leaves the text on the screen, quits at once if the text fits, and passes colours through. */
const USUAL = ['less', '-FRX'] as const;
/** Less itself shows only a colon. */
const PROMPT = t`Space for more, q to leave`;

/** The user's pager, as words; undefined for none. No shell reads it. */
export function pagerOf(
  env: Readonly<Record<string, string | undefined>>,
  localize: Localize,
): readonly [string, ...string[]] | undefined {
  const said = env.SCRIP_PAGER ?? env.PAGER;
  const usual = () =>
    // These characters have a meaning in a prompt of less.
    [...USUAL, `-Ps${localize(PROMPT).replace(/[?:.%\\]/g, '\\$&')}`] as const;
  if (said === undefined) return usual();
  const [program, ...args] = said.split(/\s+/).filter((word) => word !== '');
  if (program === undefined || program === 'cat') return undefined;
  return program === 'less' && args.length === 0 && !env.LESS ? usual() : [program, ...args];
}

/** Lists and texts may be paged. Purchases and ongoing output stay on the screen. */
export function isForPaging(view: LocalView, text: string, stdout: OutputStream): boolean {
  if (!stdout.isTerminal || (view.kind !== 'text' && view.error !== undefined)) return false;
  if (view.kind === 'record') return false;
  if (view.kind === 'list' && view.ifLost !== undefined) return false;
  return heightOf(text, stdout.columns) >= stdout.rows;
}

/** Height in lines on the screen, wrapped lines included. */
export function heightOf(text: string, columns: number): number {
  return lineWidths(text.trimEnd()).reduce(
    (height, width) => height + Math.max(1, Math.ceil(width / columns)),
    0,
  );
}
