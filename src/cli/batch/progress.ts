/** Progress of a cart: one line with a bar, rate and remaining time, below the finished lines. */
import { type Message, t, verbatim } from '../../domain/message/message.ts';
import type { LineStatus } from '../../domain/order/order-states.ts';
import type { With } from '../context.ts';
import { localSaid } from '../i18n/localize.ts';
import { textWidth, wrapWords } from '../output/wrap.ts';
import { type LineResult, productName, recipientOf } from './results.ts';

const MOST_BAR = 24;
/** A shorter bar shows nothing useful. */
const LEAST_BAR = 8;
/** The spinner before the line, and the last column, which stays empty. */
const AROUND = 3;
/** The time left is shown only after this many are done: before, it is a guess. */
const FEWEST_FOR_ESTIMATE = 2;

interface ProgressCounts {
  readonly done: number;
  readonly total: number;
  readonly elapsedMs: number;
}

/** Such as `[######------] 120/997 lines, 3/s, about 40 s left`. */
export function progressText(
  { done, total, elapsedMs }: ProgressCounts,
  { what, unit, columns, localize }: Bar & Pick<With<'io'>['io'], 'localize'>,
): Message {
  const count = t`${done}/${total} ${unit}`;
  const isKnown = done >= FEWEST_FOR_ESTIMATE && done < total && elapsedMs > 0;
  const leftMs = (elapsedMs * (total - done)) / done;
  const told = isKnown
    ? t`${count}, ${rateText(done, elapsedMs)}, about ${timeText(leftMs)} left`
    : count;
  const room = columns - AROUND - textWidth(localize(t`${what} [] ${told}`));
  if (room < LEAST_BAR) return t`${what} ${told}`;
  const width = Math.min(MOST_BAR, room);
  const filled = total === 0 ? width : Math.floor((width * done) / total);
  return t`${what} [${'#'.repeat(filled).padEnd(width, '-')}] ${told}`;
}

interface Bar {
  readonly what: Message;
  readonly unit: Message;
  /** Width of the terminal. */
  readonly columns: number;
}

/** Per minute if less than one per second. */
function rateText(done: number, elapsedMs: number): string {
  const perSecond = (done * 1_000) / elapsedMs;
  return perSecond < 1 ? `${Math.ceil(perSecond * 60)}/min` : `${Math.round(perSecond)}/s`;
}

function timeText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

/** Returns a function that shows the progress; on a terminal, also the finished lines. */
export function followProgress(
  { io: { progress, stderr, localize }, parts: { clock } }: With<'io' | 'parts'>,
  { total, unit, what }: Omit<Bar, 'columns'> & Pick<ProgressCounts, 'total'>,
): (more: number, ended?: readonly LineResult[]) => void {
  const startedMs = clock.now();
  const state = { done: 0 };
  const { columns } = stderr;
  const show = (): void => {
    const standing = { done: state.done, total, elapsedMs: clock.now() - startedMs };
    progress.step(progressText(standing, { what, unit, columns, localize }));
  };
  show();
  return (more, ended = []) => {
    state.done += more;
    if (stderr.isTerminal) {
      for (const line of ended) {
        const mark = MARKS[line.status] ?? '✖';
        const [first = '', ...rest] = endedText(line, { columns, localize });
        progress.done(verbatim(first), mark);
        for (const text of rest) progress.done(verbatim(text), BESIDE);
      }
    }
    show();
  };
}

const INDENT = '  ';
/** Replaces the mark on continuation lines. */
const BESIDE = ' ';
/** Width of mark, space and indentation. */
const BEFORE = 4;

/** Such as `3 Amazon.com 25 USD → friend@example.com`, with the start of why it was not delivered. */
function endedText(
  line: LineResult,
  { columns, localize }: Pick<Bar, 'columns'> & Pick<With<'io'>['io'], 'localize'>,
): readonly string[] {
  const reason = line.status === 'completed' ? undefined : line.errors[0]?.sentence;
  const why = reason === undefined ? '' : `: ${localize(reason)}`;
  const name = localSaid(productName(line), localize);
  const text = `${line.row.number} ${name} → ${recipientOf(line)}${why}`;
  const [first = '', ...rest] = wrapWords(text, columns - BEFORE - CUT.length);
  const shown = reason === undefined ? rest : rest.slice(0, 1);
  const cut = shown.length < rest.length ? CUT : '';
  return [first, ...shown.map((line) => `${INDENT}${line}${cut}`)];
}

const MARKS: Readonly<Partial<Record<LineStatus, string>>> = { completed: '✔', processing: '…' };
const CUT = ' …';
