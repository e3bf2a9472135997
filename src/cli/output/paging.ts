/** What is longer than the screen is read a screen at a time. */
import type { OutputStream } from '../terminal/ports.ts';
import type { LocalView } from './view.ts';
import { lineWidths } from './width.ts';

/** Shows a text until its reader is done. @returns false when it could not be shown so */
export type Page = (text: string) => Promise<boolean>;

/** Stays on the screen, quits by itself on a text that fits, and lets colours through. */
const USUAL: readonly [string, ...string[]] = ['less', '-FRX'];

/** The user's pager, as words; undefined for none. No shell reads it. */
export function pagerOf(
  env: Readonly<Record<string, string | undefined>>,
): readonly [string, ...string[]] | undefined {
  const said = env.SCRIP_PAGER ?? env.PAGER;
  if (said === undefined) return USUAL;
  const [program, ...args] = said.split(/\s+/).filter((word) => word !== '');
  if (program === undefined || program === 'cat') return undefined;
  return program === 'less' && args.length === 0 && !env.LESS ? USUAL : [program, ...args];
}

/** Lists and texts may be paged; what was bought, and what goes on, stays where it was printed. */
export function isForPaging(view: LocalView, text: string, stdout: OutputStream): boolean {
  if (!stdout.isTerminal || (view.kind !== 'text' && view.error !== undefined)) return false;
  if (view.kind === 'record') return false;
  if (view.kind === 'list' && view.ifLost !== undefined) return false;
  return heightOf(text, stdout.columns) >= stdout.rows;
}

/** In lines of the screen, long ones wrapped. */
export function heightOf(text: string, columns: number): number {
  return lineWidths(text.trimEnd()).reduce(
    (height, width) => height + Math.max(1, Math.ceil(width / columns)),
    0,
  );
}
