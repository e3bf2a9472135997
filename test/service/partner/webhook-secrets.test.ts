/** A partner's webhook secret is changed alone: for a time messages are signed with both. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PartnerAdmin } from '../../../src/domain/operator/operator.ts';
import { recordChange } from '../../../src/service/checkout/order-events.ts';
import { createPartnerAdmin } from '../../../src/service/operator/partner-admin.ts';
import { createWebhookKeys } from '../../../src/service/webhooks/webhook-signature.ts';
import { createWebhookWorker } from '../../../src/service/webhooks/webhooks.ts';
import { type EmptyStore, ENGINES, emptyStore } from '../../support/engines.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';
import { random } from '../../support/random.ts';
import { partnerOrderRow } from '../../support/store-suite.ts';
import { verifyThen } from '../../support/webhook-receiver.ts';

const KEY = new Uint8Array(32).fill(7);
const HOUR_MS = 3_600_000;
const { orderId: ORDER, applicationId: PARTNER } = partnerOrderRow();

interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string;
}

describe.each(ENGINES)('the webhook secret of a partner on %s', (engine) => {
  let opened: EmptyStore;
  let clock: ManualClock;
  let admin: PartnerAdmin;
  let sent: Sent[];
  beforeEach(async () => {
    opened = await emptyStore(engine);
    clock = manualClock();
    sent = [];
    admin = createPartnerAdmin({
      ...{ store: opened.store, clock, random },
      webhookKeys: createWebhookKeys(KEY),
    });
  });
  afterEach(() => opened.remove());

  async function deliver(): Promise<Sent> {
    const { store } = opened;
    const notificationUrl = 'https://hook.example/x';
    const body = { order_state: 'Done', payment_state: 'PaymentReceived' } as const;
    await store.write(async (tables) => {
      const known = await tables.partnerOrders.byId(ORDER);
      if (!known) await tables.partnerOrders.insert(partnerOrderRow({ notificationUrl }), []);
      await recordChange(tables, { orderId: ORDER, atMs: clock.now(), body, notificationUrl });
    });
    const worker = createWebhookWorker({
      ...{ store, clock, random: (length) => new Uint8Array(length) },
      webhooks: {
        key: KEY,
        send: async ({ headers, body }) => {
          sent.push({ headers: { ...headers }, body });
          return { status: 200 };
        },
      },
    });
    await worker.start();
    await worker.drain();
    const last = sent.at(-1);
    if (last === undefined) throw new Error('no webhook was sent');
    return last;
  }

  const isSignedWith = (secret: string, { headers, body }: Sent): boolean => {
    try {
      verifyThen(secret, body, headers);
      return true;
    } catch {
      return false;
    }
  };

  it('is changed with an overlap, in which both sign, and its other secret stays', async () => {
    const before = await admin.add(PARTNER, { networks: [], ordersPerMinute: null });
    const after = await admin.rotateWebhookSecret(PARTNER, HOUR_MS);
    expect(after).not.toHaveProperty('secret');
    expect(after.webhook_secret).not.toBe(before.webhook_secret);
    expect(after.former_webhook_secret_until).toBe(new Date(clock.now() + HOUR_MS).toISOString());
    const both = await deliver();
    expect([before, after].map((one) => isSignedWith(one.webhook_secret, both))).toEqual([
      ...[true, true],
    ]);
    clock.advance(HOUR_MS);
    const later = await deliver();
    expect([before, after].map((one) => isSignedWith(one.webhook_secret, later))).toEqual([
      ...[false, true],
    ]);
    const rotated = await admin.rotate(PARTNER, 0);
    expect(rotated.webhook_secret).toBe(after.webhook_secret);
  });

  it('ends at once without an overlap, also one that was still valid', async () => {
    const first = await admin.add(PARTNER, { networks: [], ordersPerMinute: null });
    const second = await admin.rotateWebhookSecret(PARTNER, HOUR_MS);
    const third = await admin.rotateWebhookSecret(PARTNER, 0);
    const message = await deliver();
    const secrets = [first, second, third].map((one) => one.webhook_secret);
    expect(secrets.map((one) => isSignedWith(one, message))).toEqual([false, false, true]);
  });

  it('stays the new one when a revoked partner is added again', async () => {
    await admin.add(PARTNER, { networks: [], ordersPerMinute: null });
    const after = await admin.rotateWebhookSecret(PARTNER, HOUR_MS);
    await admin.revoke(PARTNER);
    const again = await admin.add(PARTNER, { networks: [], ordersPerMinute: null });
    expect(again.webhook_secret).toBe(after.webhook_secret);
    await expect(admin.rotateWebhookSecret('unknown', 0)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });
});
