/** Our own files other than journal and wallets: settings, a draft, recent errors. */
import type { Learned } from './completion/remembered.ts';
import type { Settings } from './settings/shape.ts';

/** Answers of an unfinished guided purchase, kept for a later run. */
export interface DraftFile {
  read(): Promise<string | undefined>;
  /** On disk when the promise resolves. */
  write(text: string): Promise<void>;
  remove(): Promise<void>;
}

/** The file with the user's profiles. */
export interface ConfigFile {
  /** Undefined without a file. @throws {ScripError} STORE_UNUSABLE */
  read(): Promise<string | undefined>;
  /**
   * Replaces the file as a whole or not at all; on disk when the promise resolves.
   * @param expected the text read before. @throws {ScripError} STORE_UNUSABLE, also if the file has changed
   * since
   */
  replace(expected: string | undefined, text: string): Promise<void>;
  /**
   * Returns the settings that this text of the file would give for the profile, without flags and SCRIP_
   * variables.
   */
  rehearse(text: string, profile: string): Settings;
}

/** A failed command, without its message. */
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
  /** Whether to show the first-run note; true at most once. */
  isFirstRun(): Promise<boolean>;
  /** Returns the country that lists this product id, if this machine knows it; makes no request. */
  countryOfProduct(productId: string): Promise<string | undefined>;
  /** Remembers values for completion. Never throws: completion is optional. */
  learn(seen: Learned): Promise<void>;
}
