/** Secrets and signatures of webhooks: Standard Webhooks, symmetric, version 1. */

import type { PartnerRow } from '../../store/tables/partners.ts';
import { hmac } from '../digest.ts';

/** Ours: header of a creation's answer with the secret that signs the order's webhooks. */
export const WEBHOOK_SECRET_HEADER = 'X-Scrip-Webhook-Secret';

const PREFIX = 'whsec_';

export type WebhookKeys = ReturnType<typeof createWebhookKeys>;

/**
 * Derives secrets, so none are stored. An order's secret is safe to give to its creator; a
 * partner's is not, since the partner id identifies but does not authenticate. Messages are signed
 * with both.
 */
export function createWebhookKeys(key: Uint8Array) {
  const draw = async (purpose: string): Promise<string> =>
    PREFIX + hmac(key, purpose).toString('base64');
  return {
    /** Secret of one order, given only to its creator. */
    ofOrder: (orderId: string) => draw(`webhooks of order ${orderId}`),
    /**
     * Secret of all orders of a partner, given out only by the operator.
     * @param generation how often it was changed: 0 where it never was
     */
    ofApplication: (applicationId: string, generation = 0) =>
      draw(
        generation === 0
          ? `webhooks of application ${applicationId}`
          : `webhooks of generation ${generation} of application ${applicationId}`,
      ),
  };
}

/** Generations of a partner's secret that sign now, the newest first. */
export function signingGenerations(
  partner: Pick<PartnerRow, 'webhookGeneration' | 'formerWebhookUntilMs'> | undefined,
  nowMs: number,
): readonly number[] {
  const newest = partner?.webhookGeneration ?? 0;
  return nowMs < (partner?.formerWebhookUntilMs ?? 0) ? [newest, newest - 1] : [newest];
}

/** Returns a message's headers, signed with the secrets of its order and of its partner. */
export async function signedHeaders(
  keys: WebhookKeys,
  message: {
    readonly webhookId: string;
    readonly orderId: string;
    /** Undefined for an order of the checkout host. */
    readonly applicationId: string | undefined;
    /** Of the partner's secret; the first one alone by default. */
    readonly generations?: readonly number[];
    readonly body: string;
    readonly atMs: number;
  },
): Promise<Readonly<Record<string, string>>> {
  const { webhookId: id, orderId, applicationId, generations = [0], body, atMs } = message;
  const secrets = [await keys.ofOrder(orderId)];
  if (applicationId !== undefined) {
    for (const one of generations) secrets.push(await keys.ofApplication(applicationId, one));
  }
  return headersSignedWith(secrets, { id, body, atMs });
}

export function headersSignedWith(
  secrets: readonly string[],
  { id, body, atMs }: { readonly id: string; readonly body: string; readonly atMs: number },
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(atMs / 1_000);
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signWebhook(secrets, { id, timestamp, body }),
  };
}

/** The value of `webhook-signature`: one signature per secret, separated by spaces. */
function signWebhook(
  secrets: readonly string[],
  message: { readonly id: string; readonly timestamp: number; readonly body: string },
): string {
  const content = `${message.id}.${message.timestamp}.${message.body}`;
  const keys = secrets.map((secret) => Buffer.from(secret.slice(PREFIX.length), 'base64'));
  return keys.map((key) => `v1,${hmac(key, content).toString('base64')}`).join(' ');
}
