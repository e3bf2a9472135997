/** What may be done to journal records themselves, apart from adding to them. */
import type { Attempt, Entry, Intent, JournalEvent } from './journal.ts';

/** What is left of an entry of which a record is damaged, missing, or in a place that is not its own. */
export interface Salvage {
  /** Name of its folder: the hex sha256 of the idempotency key, also when the key is lost. */
  readonly folder: string;
  readonly problem: string;
  /** Undefined when every copy is damaged. */
  readonly intent: Intent | undefined;
  readonly attempts: readonly Found<Attempt>[];
  readonly facts: readonly Found<JournalEvent>[];
  /** Numbers of attempts that were written and cannot be read. */
  readonly lostAttempts: readonly number[];
}

/** A record that reads well. Unproven: the record that its seal depends on is gone. */
export interface Found<T> {
  readonly value: T;
  readonly isProven: boolean;
}

export interface Survey {
  /** Entries of which every record is sealed as it should be. */
  readonly whole: readonly Entry[];
  readonly damaged: readonly Salvage[];
  /** What is wrong with the log of reservations; null when nothing is. */
  readonly spendLogProblem: string | null;
  /** A repair was cut off: until another one ends, nothing is signed. */
  readonly isRepairPending: boolean;
}

export interface JournalCare {
  /**
   * Overwrites the sealed codes of a purchase; the finding that it was delivered stays.
   * @param key idempotency key of the purchase
   * @throws {ScripError} JOURNAL_UNUSABLE
   */
  forgetGoods(key: string): Promise<void>;
  /** Reads every record, even if others are damaged. @throws {ScripError} JOURNAL_UNUSABLE when a file cannot be read */
  survey(): Promise<Survey>;
  /**
   * Writes the journal anew from what `work` makes of the survey, and moves the old one aside; nothing
   * is deleted. While this runs nothing is signed. When `work` throws, all stays as it was.
   * @returns the folder that the old records are in, or null when there were none
   * @throws {ScripError} JOURNAL_UNUSABLE, and what `work` throws
   */
  rebuild(work: (survey: Survey) => Promise<readonly Entry[]>): Promise<string | null>;
}
