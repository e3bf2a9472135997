/** Work beside the orders, which no order waits for. */

type Work = () => Promise<void>;

/** One run at a time of each; faults are reported, and the work is begun again at the next start. */
export function inBackground(works: readonly Work[], report: (error: unknown) => void) {
  const running = new Map<Work, Promise<void>>();
  return {
    start(): void {
      for (const work of works) {
        if (running.has(work)) continue;
        const run = work()
          .catch(report)
          .finally(() => running.delete(work));
        running.set(work, run);
      }
    },
    /** Resolves when none is under way. */
    async drain(): Promise<void> {
      await Promise.all(running.values());
    },
  };
}
