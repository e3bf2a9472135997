/** Secrets and signatures of webhooks: Standard Webhooks, symmetric, version 1. */

export interface WebhookKeys {
  /** Of one order: given to its creator alone. */
  ofOrder(orderId: string): Promise<string>;
  /** Of all orders of a partner: given out by the operator alone. */
  ofApplication(applicationId: string): Promise<string>;
}

/** Header of the answer that made an order: the secret its webhooks are signed with. Ours. */
export const WEBHOOK_SECRET_HEADER = 'X-Scrip-Webhook-Secret';

const PREFIX = 'whsec_';

/**
 * Secrets are drawn, not stored. An order's own is safe to give to its maker; a partner's is not,
 * since the partner id identifies and does not authenticate. Messages are signed with both.
 */
export function createWebhookKeys(key: Uint8Array): WebhookKeys {
  const draw = async (purpose: string): Promise<string> =>
    PREFIX + toBase64(await hmac(key, purpose));
  return {
    ofOrder: (orderId) => draw(`webhooks of order ${orderId}`),
    ofApplication: (applicationId) => draw(`webhooks of application ${applicationId}`),
  };
}

/** What a message is sent with, signed with the order's secret and that of the partner that made it. */
export async function signedHeaders(
  keys: WebhookKeys,
  message: {
    readonly webhookId: string;
    readonly orderId: string;
    /** Undefined for an order of the checkout host. */
    readonly applicationId: string | undefined;
    readonly body: string;
    readonly atMs: number;
  },
): Promise<Readonly<Record<string, string>>> {
  const { webhookId: id, orderId, applicationId, body, atMs } = message;
  const secrets = [await keys.ofOrder(orderId)];
  if (applicationId !== undefined) secrets.push(await keys.ofApplication(applicationId));
  const timestamp = Math.floor(atMs / 1_000);
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': await signWebhook(secrets, { id, timestamp, body }),
  };
}

/** The value of `webhook-signature`: one signature for each secret, with a space between. */
async function signWebhook(
  secrets: readonly string[],
  message: { readonly id: string; readonly timestamp: number; readonly body: string },
): Promise<string> {
  const content = `${message.id}.${message.timestamp}.${message.body}`;
  const signatures = await Promise.all(
    secrets.map(async (secret) => `v1,${toBase64(await hmac(secretBytes(secret), content))}`),
  );
  return signatures.join(' ');
}

function secretBytes(secret: string): Uint8Array {
  return Uint8Array.from(atob(secret.slice(PREFIX.length)), (char) => char.charCodeAt(0));
}

async function hmac(key: Uint8Array, content: string): Promise<Uint8Array> {
  const usage: Parameters<typeof crypto.subtle.importKey>[2] = { name: 'HMAC', hash: 'SHA-256' };
  const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), usage, false, [
    'sign',
  ]);
  const signed = await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(content));
  return new Uint8Array(signed);
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
