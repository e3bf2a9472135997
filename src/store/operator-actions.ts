/** What operators did by hand: who, when, what, and how it ended. */

export interface OperatorActionRow {
  readonly actionId: string;
  readonly atMs: number;
  readonly who: string;
  /** The command’s words, such as `partners.add`. */
  readonly action: string;
  /** The order, webhook or partner that it concerned. */
  readonly subject: string;
  /** Why, in the operator’s words. */
  readonly reason: string | null;
  /** `begun` until it has ended, then `done` or an error code. */
  readonly result: string;
}

export interface OperatorActions {
  insert(row: OperatorActionRow): Promise<void>;
  end(actionId: string, result: string): Promise<void>;
  /** Newest first; of one subject if it is given. */
  latest(limit: number, subject?: string): Promise<readonly OperatorActionRow[]>;
}
