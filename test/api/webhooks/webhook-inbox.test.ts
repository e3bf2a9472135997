import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  createWebhookInbox,
  type ForwardWebhook,
  type ReceivedWebhook,
} from '../../../src/api/webhooks/webhook-inbox.ts';

const NOW_MS = 1_800_000_000_000;
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const EVENT = {
  type: 'order.updated',
  timestamp: '2027-01-15T08:00:00.000Z',
  data: { order_id: 'cr_1', status: 'completed', seq: 2 },
};

function request(
  body: string | Uint8Array<ArrayBuffer>,
  more: Record<string, string> = {},
  method = 'POST',
): Request {
  const init = method === 'POST' ? { method, body } : { method };
  return new Request('http://127.0.0.1:4021/hook', { ...init, headers: more });
}

function signedRequest(body = JSON.stringify(EVENT), { id = 'msg_1', secret = SECRET } = {}) {
  return request(body, {
    'content-type': 'application/json',
    'user-agent': 'shop/1',
    'webhook-id': id,
    'webhook-timestamp': String(NOW_MS / 1_000),
    'webhook-signature': new Webhook(secret).sign(id, new Date(NOW_MS), body),
  });
}

function inbox(forward?: ForwardWebhook) {
  const seen: ReceivedWebhook[] = [];
  const asked: (string | undefined)[] = [];
  const handle = createWebhookInbox({
    now: () => NOW_MS,
    secretsFor: async (orderId) => {
      asked.push(orderId);
      return [SECRET];
    },
    forward,
    received: (webhook) => {
      seen.push(webhook);
    },
  });
  const status = async (one: Request) => (await handle(one)).status;
  return { seen, asked, handle, status };
}

describe('a genuine webhook', () => {
  it('is taken, and told with what it says', async () => {
    const { seen, asked, status } = inbox();
    expect(await status(signedRequest())).toBe(204);
    expect(seen).toEqual([
      { atMs: NOW_MS, verdict: 'verified', isRepeated: false, webhookId: 'msg_1', body: EVENT },
    ]);
    expect(asked).toEqual(['cr_1']);
  });

  it('that comes again is marked, and taken all the same', async () => {
    const { seen, status } = inbox();
    for (const id of ['msg_1', 'msg_2', 'msg_1']) {
      expect(await status(signedRequest(undefined, { id }))).toBe(204);
    }
    expect(seen.map(({ isRepeated }) => isRepeated)).toEqual([false, false, true]);
  });

  it('that says something else has no body here', async () => {
    const { seen, asked, status } = inbox();
    expect(await status(signedRequest('{"type":"ping"}'))).toBe(204);
    expect(seen).toMatchObject([{ verdict: 'verified', body: undefined }]);
    expect(asked).toEqual([undefined]);
  });

  it('goes on as it came, but for what is of the connection', async () => {
    const passed: Parameters<ForwardWebhook>[0][] = [];
    const { seen, status } = inbox(async (posting) => {
      passed.push(posting);
      return { status: 202 };
    });
    const body = `\uFEFF${JSON.stringify(EVENT)}  \n`;
    expect(await status(signedRequest(body))).toBe(202);
    expect(passed[0]?.body).toBe(body);
    expect(Object.keys(passed[0]?.headers ?? {}).toSorted()).toEqual([
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
    ]);
    expect(seen).toMatchObject([{ forwarded: { status: 202 } }]);
  });

  it.each([
    [{ status: 500 }, 500],
    [{ status: 410 }, 410],
    [{ status: 302 }, 302],
    [{ status: 101 }, 502],
    [{ status: 999 }, 502],
    [{ failure: 'ECONNREFUSED' }, 502],
  ])('is answered as the endpoint answers: %j', async (end, answered) => {
    const { seen, status } = inbox(async () => end);
    expect(await status(signedRequest())).toBe(answered);
    expect(seen).toMatchObject([{ forwarded: end }]);
  });
});

describe('what is not genuine', () => {
  const forbidden: ForwardWebhook = async () => {
    throw new Error('this was not to be passed on');
  };
  const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
  const rows: readonly (readonly [string, () => Request, number, string])[] = [
    ['an unsigned message', () => request(JSON.stringify(EVENT)), 401, 'unsigned'],
    [
      'a wrong signature',
      () => signedRequest(undefined, { secret: other }),
      401,
      'wrong signature',
    ],
    ['bytes that are no text', () => request(new Uint8Array([0xff, 0xfe])), 400, 'unreadable'],
    ['nothing at all', () => request(''), 401, 'unsigned'],
  ];
  it.each(rows)(
    '%s is told, refused, and not passed on',
    async (_name, make, answered, verdict) => {
      const { seen, status } = inbox(forbidden);
      expect(await status(make())).toBe(answered);
      expect(seen).toMatchObject([{ verdict, body: undefined, isRepeated: false }]);
    },
  );

  it('never marks a genuine one that comes later under the same id', async () => {
    const { seen, status } = inbox();
    await status(signedRequest(undefined, { secret: other }));
    await status(signedRequest());
    expect(seen.map(({ verdict, isRepeated }) => [verdict, isRepeated])).toEqual([
      ['wrong signature', false],
      ['verified', false],
    ]);
  });

  it('is no webhook by another method, or beyond 64 kB', async () => {
    const { seen, status } = inbox(forbidden);
    expect(await status(request('', {}, 'GET'))).toBe(405);
    expect(await status(request('x'.repeat(64 * 1024 + 1)))).toBe(413);
    expect(seen).toEqual([]);
  });
});
