/** The operator's actions on partners. */

import { type Clock, isoOf } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { PartnerAdmin } from '../../domain/operator/operator.ts';
import type {
  PartnerRecord,
  PartnerWithSecret,
  PartnerWithWebhookSecret,
} from '../../domain/operator/operator-records.ts';
import type { Store } from '../../store/store.ts';
import type { PartnerRow, Partners } from '../../store/tables/partners.ts';
import { hashOf, networksOf, newSecret } from '../partner/partner-gate.ts';
import type { WebhookKeys } from '../webhooks/webhook-signature.ts';

interface Deps {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly webhookKeys: Pick<WebhookKeys, 'ofApplication'>;
  random(length: number): Uint8Array;
}

export function createPartnerAdmin({ store, clock, webhookKeys, random }: Deps): PartnerAdmin {
  const { partners } = store.tables;
  const withWebhookSecret = async (row: PartnerRow): Promise<PartnerWithWebhookSecret> => ({
    ...recordOf(row, clock.now()),
    webhook_secret: await webhookKeys.ofApplication(row.partnerId, row.webhookGeneration),
  });
  const withSecret = async (row: PartnerRow, secret: string): Promise<PartnerWithSecret> => ({
    ...(await withWebhookSecret(row)),
    secret,
  });
  return {
    list: async () => (await partners.all()).map((row) => recordOf(row, clock.now())),
    async add(partnerId, { networks, ordersPerMinute }) {
      const secret = newSecret(random);
      const before = await partners.byId(partnerId);
      if (before !== undefined && before.revokedAtMs === null) throw alreadyAdded(partnerId);
      const row: PartnerRow = {
        partnerId,
        secretHash: hashOf(secret),
        formerHash: null,
        formerUntilMs: null,
        networks: JSON.stringify(networks),
        ordersPerMinute,
        createdAtMs: clock.now(),
        revokedAtMs: null,
        webhookGeneration: before?.webhookGeneration ?? 0,
        formerWebhookUntilMs: null,
        version: before?.version ?? 0,
      };
      if (before === undefined) await partners.insert(row);
      else await change(partners, before, row);
      return withSecret(row, secret);
    },
    async rotate(partnerId, overlapMs) {
      const before = await active(partners, partnerId);
      const secret = newSecret(random);
      const isKept = overlapMs > 0;
      const changes = {
        secretHash: hashOf(secret),
        formerHash: isKept ? before.secretHash : null,
        formerUntilMs: isKept ? clock.now() + overlapMs : null,
      };
      await change(partners, before, changes);
      return withSecret({ ...before, ...changes }, secret);
    },
    async rotateWebhookSecret(partnerId, overlapMs) {
      const before = await active(partners, partnerId);
      const changes = {
        webhookGeneration: before.webhookGeneration + 1,
        formerWebhookUntilMs: overlapMs > 0 ? clock.now() + overlapMs : null,
      };
      await change(partners, before, changes);
      return withWebhookSecret({ ...before, ...changes });
    },
    async set(partnerId, { networks, ordersPerMinute }) {
      const before = await active(partners, partnerId);
      const changes = {
        ...(networks === undefined ? {} : { networks: JSON.stringify(networks) }),
        ...(ordersPerMinute === undefined ? {} : { ordersPerMinute }),
      };
      await change(partners, before, changes);
      return recordOf({ ...before, ...changes }, clock.now());
    },
    async revoke(partnerId) {
      const before = await known(partners, partnerId);
      if (before.revokedAtMs !== null) return recordOf(before, clock.now());
      const changes = { revokedAtMs: clock.now(), formerHash: null, formerUntilMs: null };
      await change(partners, before, changes);
      return recordOf({ ...before, ...changes }, clock.now());
    },
  };
}

async function known(partners: Partners, partnerId: string): Promise<PartnerRow> {
  const row = await partners.byId(partnerId);
  if (row) return row;
  throw new ScripError('INPUT_INVALID', t`There is no partner ${partnerId}`, {
    hint: t`Give it a secret with partners add.`,
  });
}

async function active(partners: Partners, partnerId: string): Promise<PartnerRow> {
  const row = await known(partners, partnerId);
  if (row.revokedAtMs === null) return row;
  throw new ScripError('INPUT_INVALID', t`The partner ${partnerId} is revoked`, {
    hint: t`Give it a new secret with partners add.`,
  });
}

/** @throws {ScripError} INPUT_INVALID when another operator was first: a secret must not be shown for nothing */
async function change(
  partners: Partners,
  before: PartnerRow,
  { partnerId: _, version: __, ...changes }: Partial<PartnerRow>,
): Promise<void> {
  if (await partners.update(before, changes)) return;
  throw new ScripError('INPUT_INVALID', t`Someone else changed ${before.partnerId} just now`, {
    hint: t`Look at it and run the command again if it is still needed.`,
  });
}

function alreadyAdded(partnerId: string): ScripError {
  return new ScripError('INPUT_INVALID', t`The partner ${partnerId} has a secret already`, {
    hint: t`Make a new one with partners rotate.`,
  });
}

function recordOf(row: PartnerRow, nowMs: number): PartnerRecord {
  const untilOf = (atMs: number | null) => (atMs !== null && nowMs < atMs ? isoOf(atMs) : null);
  return {
    partner_id: row.partnerId,
    state: row.revokedAtMs === null ? 'active' : 'revoked',
    networks: networksOf(row),
    orders_per_minute: row.ordersPerMinute,
    created_at: isoOf(row.createdAtMs),
    former_secret_until: untilOf(row.formerUntilMs),
    former_webhook_secret_until: untilOf(row.formerWebhookUntilMs),
    revoked_at: row.revokedAtMs === null ? null : isoOf(row.revokedAtMs),
  };
}
