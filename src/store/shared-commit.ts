/**
 * Runs writers that arrive together in one transaction, so they wait for the disk once. If one
 * throws, all are undone and run again, each in a savepoint of its own, so an error undoes only its
 * own work; all are answered after the commit. A writer may therefore run twice, as on PostgreSQL.
 */

import { setImmediate } from 'node:timers/promises';

/** The transactions that this needs. */
export interface Transactions<Rows> {
  /** Runs work between begin and commit; if it throws, rolls back and throws the error. */
  run(work: (rows: Rows) => Promise<void>): Promise<void>;
  /** Runs a statement inside the current transaction. */
  execute(sql: string): Promise<unknown>;
}

interface Job<Rows> {
  /** Returns what to do once the transaction is on disk. */
  work(rows: Rows): Promise<() => void>;
  reject(error: unknown): void;
}

/** Maximum writers per commit: readers, and writers of other processes, wait meanwhile. */
const MOST = 64;

/** Creates the `write` of a `Store`. */
export function shareCommits<Rows>(
  transactions: Transactions<Rows>,
): <T>(work: (rows: Rows) => Promise<T>) => Promise<T> {
  const waiting: Job<Rows>[] = [];

  async function lead(): Promise<void> {
    let jobs: readonly Job<Rows>[] = [];
    let done: readonly (() => void)[] = [];
    try {
      // Let requests that arrived with the first one reach their write.
      await setImmediate();
      await transactions.run(async (rows) => {
        // Take all writers that arrived before this transaction's turn.
        jobs = waiting.splice(0, MOST);
        if (waiting.length > 0) void lead();
        done = await runAll(transactions, jobs, rows);
      });
    } catch (error) {
      // If the transaction failed before it took any, no other leader will serve the waiting
      // writers.
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
  // A single writer needs no savepoint: its error rolls the transaction back.
  if (jobs.length === 1 && only !== undefined) return [await only.work(rows)];
  await execute('savepoint batch');
  try {
    const done: (() => void)[] = [];
    for (const job of jobs) done.push(await job.work(rows));
    return done;
  } catch {
    // Throws if SQLite has already rolled back the whole transaction; then no writer's work was done.
    await execute('rollback to batch');
    return runEach({ execute }, jobs, rows);
  }
}

/** Runs each writer in a savepoint of its own. */
async function runEach<Rows>(
  { execute }: Pick<Transactions<Rows>, 'execute'>,
  jobs: readonly Job<Rows>[],
  rows: Rows,
): Promise<readonly (() => void)[]> {
  const done: (() => void)[] = [];
  for (const job of jobs) {
    await execute('savepoint job');
    try {
      done.push(await job.work(rows));
    } catch (error) {
      await execute('rollback to job');
      done.push(() => job.reject(error));
    }
    await execute('release job');
  }
  return done;
}
