/**
 * One transaction for writers that come together: what they wait for is the disk, once. Each has a
 * savepoint of its own, so that the fault of one undoes its work alone; all are answered after the commit.
 */

import { setImmediate } from 'node:timers/promises';

/** What a transaction over rows offers here. */
export interface Transactions<Rows> {
  /** Runs work between begin and commit; what it throws is thrown after the rollback. */
  run(work: (rows: Rows) => Promise<void>): Promise<void>;
  /** A statement inside the transaction that runs. */
  execute(sql: string): Promise<unknown>;
}

interface Job<Rows> {
  /** Gives what is done once the transaction is on disk. */
  work(rows: Rows): Promise<() => void>;
  reject(error: unknown): void;
}

/** So many share a commit at most: readers, and writers of other processes, wait meanwhile. */
const MOST = 64;

/** A `write` as `Store` has it. */
export function shareCommits<Rows>(
  transactions: Transactions<Rows>,
): <T>(work: (rows: Rows) => Promise<T>) => Promise<T> {
  const waiting: Job<Rows>[] = [];

  async function lead(): Promise<void> {
    let jobs: readonly Job<Rows>[] = [];
    let done: readonly (() => void)[] = [];
    try {
      // What came in with the first of them is at its write only now.
      await setImmediate();
      await transactions.run(async (rows) => {
        // All that came until it was this one's turn.
        jobs = waiting.splice(0, MOST);
        if (waiting.length > 0) void lead();
        done = await runAll(transactions, jobs, rows);
      });
    } catch (error) {
      // Those that the transaction did not come to have no other leader.
      const lost = jobs.length > 0 ? jobs : waiting.splice(0);
      for (const { reject } of lost) reject(error);
      return;
    }
    for (const tell of done) tell();
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({
        work: async (rows) => {
          const result = await work(rows);
          return () => resolve(result);
        },
        reject,
      });
      if (waiting.length === 1) void lead();
    });
}

async function runAll<Rows>(
  { execute }: Pick<Transactions<Rows>, 'execute'>,
  jobs: readonly Job<Rows>[],
  rows: Rows,
): Promise<readonly (() => void)[]> {
  const [only] = jobs;
  // One alone needs no savepoint: its fault rolls the transaction back.
  if (jobs.length === 1 && only !== undefined) return [await only.work(rows)];
  const done: (() => void)[] = [];
  for (const job of jobs) {
    await execute('savepoint job');
    try {
      done.push(await job.work(rows));
    } catch (error) {
      // Fails where SQLite has ended the whole transaction: then nothing of it was done.
      await execute('rollback to job');
      done.push(() => job.reject(error));
    }
    await execute('release job');
  }
  return done;
}
