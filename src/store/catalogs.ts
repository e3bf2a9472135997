/** Catalogs that a shop has sold, for a start without their source and for going back to one. */

export interface CatalogRow {
  /** Digest of the text. */
  readonly version: string;
  readonly text: string;
  /** When it took the place of the one before. */
  readonly takenAtMs: number;
}

export interface Catalogs {
  /** Adds a version; of a known one the time alone changes. */
  take(row: CatalogRow): Promise<void>;
  /** Newest first, without their texts. */
  latest(limit: number): Promise<readonly Omit<CatalogRow, 'text'>[]>;
  text(version: string): Promise<string | undefined>;
  remove(versions: readonly string[]): Promise<void>;
}
