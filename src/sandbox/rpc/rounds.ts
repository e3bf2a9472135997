/** Repeats work as long as it is needed. */
import type { Clock } from '../../domain/clock.ts';

interface Rounds {
  readonly clock: Clock;
  /** Wait before each round, including the first. */
  readonly everyMs: number;
  readonly stopped: AbortSignal;
  isNeeded(): boolean;
  round(): Promise<void> | void;
  report(error: unknown): void;
}

/** Returns a function that starts the rounds; calling it again while they run has no effect. */
export function createRounds({ clock, everyMs, stopped, ...work }: Rounds): () => void {
  let isRunning = false;
  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    while (work.isNeeded() && !stopped.aborted) {
      await clock.sleep(everyMs, stopped).catch(() => undefined);
      if (!stopped.aborted) await tried(work);
    }
    isRunning = false;
  };
  return () => {
    run().catch(work.report);
  };
}

async function tried({ round, report }: Pick<Rounds, 'round' | 'report'>): Promise<void> {
  try {
    await round();
  } catch (error) {
    report(error);
  }
}
