/** Guided purchases under way. */

/** One guided purchase under way. */
export interface WizardSessionRow {
  /** Hex sha256 of the token, which only the client keeps. */
  readonly tokenHash: string;
  /** Who opened it, and alone may go on with it. */
  readonly client: string;
  /** Partner id that its order is made under. */
  readonly applicationId: string;
  /** JSON of the accepted answers. */
  readonly answers: string;
  /** One more with every change. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
}

export interface WizardSessions {
  insert(row: WizardSessionRow): Promise<void>;
  byToken(tokenHash: string): Promise<WizardSessionRow | undefined>;
  /** Those of a client used after an instant, longest unused first. */
  usedSince(client: string, sinceMs: number): Promise<readonly WizardSessionRow[]>;
  /** Compare-and-swap on `version`, which `after` has one more of; false when another was first. */
  update(
    before: Pick<WizardSessionRow, 'tokenHash' | 'version'>,
    after: Pick<WizardSessionRow, 'answers' | 'lastUsedAtMs' | 'version'>,
  ): Promise<boolean>;
  /** Removes those not used after an instant. */
  forget(beforeMs: number): Promise<void>;
}
