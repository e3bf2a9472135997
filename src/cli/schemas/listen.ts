/** JSON of `scrip listen`. */
import { z } from 'zod';
import { VERDICTS } from '../../api/webhooks/webhook-verification.ts';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { webhookBody } from '../../contract/webhook.ts';

/** The first line with `--ndjson`. */
export const listening = lazy(() =>
  z.strictObject({
    event: z.literal('listening'),
    url: z.url().describe('the callback URL for orders'),
  }),
);

export const receivedWebhook = lazy(() =>
  z.strictObject({
    event: z.literal('webhook'),
    at: z.iso.datetime(),
    verdict: z.enum(VERDICTS),
    repeated: z.boolean().describe('a webhook with this id was received before'),
    webhook_id: z.string().nullable(),
    body: webhookBody().nullable().describe('null if the message is not genuine'),
    forwarded: z.number().int().nullable().describe('status of the endpoint’s response'),
    forward_error: z.string().nullable(),
  }),
);
export type ReceivedWebhookRecord = Infer<typeof receivedWebhook>;
