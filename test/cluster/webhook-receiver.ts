/** Takes every webhook, and remembers what came in which order. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Taken {
  readonly orderId: string;
  readonly seq: number;
  /** `webhook-id`, the same for each attempt. */
  readonly id: string;
}

export type WebhookReceiver = Awaited<ReturnType<typeof openReceiver>>;

export async function openReceiver() {
  const taken: Taken[] = [];
  const server = createServer(async (request, response) => {
    try {
      const { data } = JSON.parse(await text(request)) as {
        readonly data: { readonly order_id: string; readonly seq: number };
      };
      const id = String(request.headers['webhook-id']);
      taken.push({ orderId: data.order_id, seq: data.seq, id });
      response.writeHead(204).end();
    } catch {
      // The sender died while it sent.
      response.destroy();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    taken,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

export interface WebhookFindings {
  /** Events that have a webhook. */
  readonly events: number;
  readonly taken: number;
  readonly repeated: number;
  /** Never came. */
  readonly missing: readonly string[];
  /** Came for the first time after a later one of its order. */
  readonly outOfOrder: readonly string[];
}

/** @param expected every event that has a webhook, by what the shop has recorded */
export function judgeWebhooks(
  taken: readonly Taken[],
  expected: readonly Pick<Taken, 'orderId' | 'seq'>[],
): WebhookFindings {
  const nameOf = ({ orderId, seq }: Pick<Taken, 'orderId' | 'seq'>) => `${orderId} ${seq}`;
  const first = new Map<string, Pick<Taken, 'orderId' | 'seq'>>();
  const newest = new Map<string, number>();
  const outOfOrder: string[] = [];
  for (const one of taken) {
    if (first.has(nameOf(one))) continue;
    first.set(nameOf(one), one);
    if (one.seq < (newest.get(one.orderId) ?? 0)) outOfOrder.push(nameOf(one));
    newest.set(one.orderId, Math.max(one.seq, newest.get(one.orderId) ?? 0));
  }
  return {
    events: expected.length,
    taken: taken.length,
    repeated: taken.length - first.size,
    missing: expected.map(nameOf).filter((name) => !first.has(name)),
    outOfOrder,
  };
}
