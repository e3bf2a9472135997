/** Maintenance of the journal: reading damaged records, rebuilding, deleting codes. */

import type { Attempt, Entry, Intent, JournalEvent } from './journal.ts';

/** What remains of an entry with a damaged, missing or misplaced record. */
export interface Salvage {
  /** Name of its folder: the hex sha256 of the idempotency key, known even when the key is lost. */
  readonly folder: string;
  readonly problem: string;
  /** Undefined when every copy is damaged. */
  readonly intent: Intent | undefined;
  readonly attempts: readonly Found<Attempt>[];
  readonly facts: readonly Found<JournalEvent>[];
  /** Numbers of attempts that were written and are now unreadable. */
  readonly lostAttempts: readonly number[];
}

/** A readable record. It is unproven when the record that its seal depends on is missing. */
export interface Found<T> {
  readonly value: T;
  readonly isProven: boolean;
}

export interface Survey {
  /** Entries with only valid records. */
  readonly whole: readonly Entry[];
  readonly damaged: readonly Salvage[];
  /** What is wrong with the log of reservations; null when it is valid. */
  readonly spendLogProblem: string | null;
  /** A repair was interrupted: nothing is signed until a repair completes. */
  readonly isRepairPending: boolean;
}

export interface JournalCare {
  /**
   * Overwrites the sealed codes of a purchase; the record that it was delivered stays.
   * @param key idempotency key of the purchase
   * @throws {ScripError} JOURNAL_UNUSABLE
   */
  forgetGoods(key: string): Promise<void>;
  /**
   * Reads every record, even if others are damaged.
   * @throws {ScripError} JOURNAL_UNUSABLE when a file cannot be read
   */
  survey(): Promise<Survey>;
  /**
   * Rewrites the journal with the entries that `work` returns for the survey, and moves the old one aside;
   * nothing is deleted. No payment is signed while this runs. If `work` throws, or nothing is damaged and `work`
   * returns the same entries, the journal stays unchanged.
   * @returns the folder with the old records, or null if there is none
   * @throws {ScripError} JOURNAL_UNUSABLE, and what `work` throws
   */
  rebuild(work: (survey: Survey) => Promise<readonly Entry[]>): Promise<string | null>;
}
