/** Partners that the operator gave a secret. Other ids of the partner API have no row. */

import { type Db, sql } from '../sql.ts';
import { table } from '../table.ts';

export interface PartnerRow {
  readonly partnerId: string;
  /** SHA-256 of the secret, in hex. The secret is nowhere. */
  readonly secretHash: string;
  /** The same of the secret before it, while both are valid. */
  readonly formerHash: string | null;
  readonly formerUntilMs: number | null;
  /** JSON array of IP networks that may call; empty for any. */
  readonly networks: string;
  /** Orders per minute; null for everyone’s limit. */
  readonly ordersPerMinute: number | null;
  readonly createdAtMs: number;
  /** A revoked partner keeps its row, so its id is never free for others. */
  readonly revokedAtMs: number | null;
  /** How often its webhook secret was changed: the secret is derived with it. */
  readonly webhookGeneration: number;
  /** Until then the webhook secret before it signs too. */
  readonly formerWebhookUntilMs: number | null;
  /** Increases with every change. */
  readonly version: number;
}

const partners = table<PartnerRow>('partners', 'partnerId');

export type Partners = ReturnType<typeof partnersIn>;

export function partnersIn(db: Db) {
  const { insert, first, select, update } = partners.in(db);
  return {
    insert,
    byId: (partnerId: string) => first({ partnerId }),
    all: () => select(sql`order by partner_id`),
    /** Compare-and-swap on `version`, which it increases; false if another process was first. */
    update: (
      { partnerId, version }: Pick<PartnerRow, 'partnerId' | 'version'>,
      changes: Partial<Omit<PartnerRow, 'partnerId' | 'version'>>,
    ) => update({ partnerId, version }, { ...changes, version: version + 1 }),
  };
}
