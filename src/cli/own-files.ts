/** Files of our own beside journal and wallets: settings, a draft, the last failures. */
import type { Learned } from './completion/remembered.ts';
import type { Settings } from './settings/shape.ts';

/** The answers of a purchase that was left, kept for a later run. */
export interface DraftFile {
  read(): Promise<string | undefined>;
  /** Durable when it resolves. */
  write(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** The file of the user's profiles. */
export interface ConfigFile {
  /** Undefined when there is none. @throws {ScripError} STORE_UNUSABLE */
  read(): Promise<string | undefined>;
  /**
   * Replaces it whole, or not at all; durable when it resolves.
   * @param expected what was read before. @throws {ScripError} STORE_UNUSABLE, also when it was changed since
   */
  replace(expected: string | undefined, text: string): Promise<void>;
  /** What a profile alone would come to with such a file: no flag and no variable of ours counts. */
  rehearse(text: string, profile: string): Settings;
}

/** That a command failed, without what it said. */
export interface RecentError {
  /** ISO 8601. */
  readonly at: string;
  readonly code: string;
  readonly verb: string | null;
}

export interface OwnFiles {
  readonly draft: DraftFile;
  readonly configFile: ConfigFile;
  /** The last failures on this machine, oldest first. */
  recentErrors(): Promise<readonly RecentError[]>;
  /** Whether the first-run note is due; returns true once. */
  isFirstRun(): Promise<boolean>;
  /** Keeps what completions may offer from now on. Never fails: it is a courtesy. */
  learn(seen: Learned): Promise<void>;
}
