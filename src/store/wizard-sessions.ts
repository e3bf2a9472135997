/** A guided purchase in progress. */
export interface WizardSessionRow {
  /** Hex sha256 of the token; only the client has the token itself. */
  readonly tokenHash: string;
  /** The client that opened it; only this client may continue. */
  readonly client: string;
  /** Partner id that its order is created under. */
  readonly applicationId: string;
  /** JSON of the accepted answers. */
  readonly answers: string;
  /** Increases with every change. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
}

export interface WizardSessions {
  insert(row: WizardSessionRow): Promise<void>;
  byToken(tokenHash: string): Promise<WizardSessionRow | undefined>;
  /** Returns a client's sessions used after an instant, longest unused first. */
  usedSince(client: string, sinceMs: number): Promise<readonly WizardSessionRow[]>;
  /** Compare-and-swap on `version`; false if another write was first. */
  update(
    before: Pick<WizardSessionRow, 'tokenHash' | 'version'>,
    after: Pick<WizardSessionRow, 'answers' | 'lastUsedAtMs' | 'version'>,
  ): Promise<boolean>;
  /** Deletes sessions not used since the instant. */
  forget(beforeMs: number): Promise<void>;
}
