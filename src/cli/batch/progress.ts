/** How far a batch is, in one line: a bar, lines done, and the time that the rest may take. */
import { type Message, t } from '../../domain/message.ts';
import type { With } from '../context.ts';

const BAR_WIDTH = 24;
/** Before that many are done the time left is a guess that nobody should be told. */
const FEWEST_FOR_ESTIMATE = 2;

interface Standing {
  readonly done: number;
  readonly total: number;
  readonly elapsedMs: number;
}

/** Such as `[######------] 120/997 lines, about 40 s left`. */
export function progressText({ done, total, elapsedMs }: Standing, unit: Message): Message {
  const filled = total === 0 ? BAR_WIDTH : Math.floor((BAR_WIDTH * done) / total);
  const bar = '#'.repeat(filled).padEnd(BAR_WIDTH, '-');
  const left = leftText({ done, total, elapsedMs });
  return t`[${bar}] ${done}/${total} ${unit}${left === undefined ? '' : t`, ${left}`}`;
}

function leftText({ done, total, elapsedMs }: Standing): Message | undefined {
  if (done < FEWEST_FOR_ESTIMATE || done >= total) return undefined;
  const seconds = Math.ceil((elapsedMs * (total - done)) / done / 1_000);
  return t`about ${seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`} left`;
}

/** Tells how far it is, whenever it is told that more is done. */
export function followProgress(
  { io: { progress }, parts: { clock } }: With<'io' | 'parts'>,
  { total, unit, what }: { readonly total: number; readonly unit: Message; readonly what: Message },
): (more: number) => void {
  const startedMs = clock.now();
  const state = { done: 0 };
  const show = (): void => {
    const standing = { done: state.done, total, elapsedMs: clock.now() - startedMs };
    progress.step(t`${what} ${progressText(standing, unit)}`);
  };
  show();
  return (more) => {
    state.done += more;
    show();
  };
}
