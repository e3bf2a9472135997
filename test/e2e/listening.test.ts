/** Webhooks of a served sandbox, received, checked and passed on by the real processes. */
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { openSecrets } from '../../src/sandbox/data-folder.ts';
import { createWebhookKeys } from '../../src/service/webhooks/webhook-signature.ts';
import { hostThat } from '../support/at-end.ts';
import { makeHome } from '../support/cli.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundedWallet, HERE, orderOf } from '../support/shop.ts';

const home = makeHome();
const shop = join(home.dir, 'shop');

interface Line {
  readonly event: string;
  readonly url?: string;
  readonly verdict?: string;
  readonly forwarded?: number | null;
  readonly body?: { readonly data: Readonly<Record<string, unknown>> } | null;
}

const served = await serveSandbox(home, ['--data', shop, '--webhook-allow-private']);
const flags = [...served.flags, '--api-url', served.url];
await fundedWallet(home, flags, '500');
const product = amazonProducts().fixed.product_id;

/** Starts listening; gives the address, and later every line and the exit status. */
async function listening(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child: ChildProcess = home.start(['listen', '--port', '0', '--ndjson', ...words], { env });
  const lines: Line[] = [];
  let rest = '';
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error('it ended before it listened')));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const parts = `${rest}${text}`.split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) lines.push(JSON.parse(part));
      if (lines[0]?.url !== undefined) resolve(lines[0].url);
    });
  });
  return { url, lines, ended, stop: () => child.kill('SIGINT') };
}

/** Nobody listens there. */
const NOBODY = 'http://127.0.0.1:9/';
const unsigned = (url: string) => fetch(url, { method: 'POST', body: '{"type":"order.updated"}' });

describe('scrip listen', () => {
  it('hears of every change of orders on both sides, genuine by the sandbox of its folder', async () => {
    const inbox = await listening(['--data', shop, '--count', '5', '--timeout', '60s']);
    const told = ['--callback-url', inbox.url, ...flags];
    const { order_id: one } = await buy(home, product, told);
    const partner = ['--via', 'partner', ...HERE, '--email', 'you@example.com', '--yes'];
    const other = await home.json<{ order_id: string }>([
      ...['order', product, ...partner, '--to', 'two@example.com', '--pay', '--max-amount', '60'],
      ...told,
    ]);
    expect(await inbox.ended).toBe(0);
    const heard = inbox.lines.slice(1);
    expect(heard.every(({ verdict }) => verdict === 'verified')).toBe(true);
    const states = heard.map(({ body }) => body?.data ?? {});
    expect(states).toContainEqual({ order_id: one, seq: 2, status: 'completed' });
    expect(states).toContainEqual({
      order_id: other.order_id,
      seq: 1,
      order_state: 'WaitingForPayment',
      payment_state: 'PaymentRequested',
    });
    expect(JSON.stringify(heard)).not.toContain('TEST-');
  });

  it('passes on what is genuine, and refuses the rest', async () => {
    const came: { readonly headers: Record<string, string>; readonly body: string }[] = [];
    const endpoint = await hostThat(async (request, response) => {
      const body = await text(request);
      came.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(202).end();
    });
    const target = `${endpoint}/hook`;
    const words = ['--data', shop, '--forward-to', target, '--count', '2', '--timeout', '60s'];
    const inbox = await listening(words);
    expect((await unsigned(inbox.url)).status).toBe(401);
    const { order_id: id } = await buy(home, product, ['--callback-url', inbox.url, ...flags]);
    expect(await inbox.ended).toBe(0);
    expect(inbox.lines.map(({ event, verdict }) => verdict ?? event)).toEqual([
      'listening',
      'unsigned',
      'verified',
      'verified',
    ]);
    expect(inbox.lines.slice(2).every(({ forwarded }) => forwarded === 202)).toBe(true);
    expect(came.map(({ body }) => JSON.parse(body).data.order_id)).toEqual([id, id]);
    const secret = await createWebhookKeys(openSecrets(shop)('webhooks')).ofOrder(id);
    const [first] = came;
    // As the sandbox signed it, byte for byte: the standard's own library takes it.
    expect(new Webhook(secret).verify(first?.body ?? '', first?.headers ?? {})).toMatchObject({
      type: 'order.updated',
    });
  });

  it('is not told by an order of a cart, and by no address that is none', async () => {
    const bad = await home.failure(orderOf(product, ['--callback-url', 'nowhere']));
    const message = expect.stringContaining('--callback-url is not an address');
    expect(bad).toMatchObject({ status: 2, message });
    const cart = ['order', '--cart', 'none.csv', '--email', 'you@example.com'];
    const refused = await home.failure([...cart, '--callback-url', 'http://127.0.0.1:4021']);
    expect([refused.status, refused.hint]).toEqual([
      2,
      expect.stringContaining('scrip track --all'),
    ]);
  });
});

describe('scrip sandbox trigger', () => {
  const wordsOf = (words: readonly string[]) => [
    ...['sandbox', 'trigger', ...words, '--data', shop],
  ];
  const trigger = (words: readonly string[]) => home.json(wordsOf(words));

  it('plays every event that it lists, signed so that the listener takes it', async () => {
    const events = await home.json<{ event: string; surface: string | null }[]>([
      'sandbox',
      'trigger',
    ]);
    const played = events.filter(({ surface }) => surface !== null);
    const count = String(played.length);
    const inbox = await listening(['--data', shop, '--count', count, '--timeout', '60s']);
    for (const { event } of played) {
      const told = { event, order_id: 'mine', queued: false, status: 204 };
      const words = [event, '--to', inbox.url, '--order', 'mine'];
      expect(await trigger(words)).toMatchObject(told);
    }
    expect(await inbox.ended).toBe(0);
    expect(inbox.lines.slice(1).every(({ verdict }) => verdict === 'verified')).toBe(true);
    expect(inbox.lines.map(({ body }) => body?.data.order_state ?? body?.data.status)).toContain(
      'Done',
    );
  });

  it('has an order’s own address told again, by the sandbox that is served', async () => {
    const inbox = await listening(['--data', shop, '--count', '4', '--timeout', '60s']);
    const { order_id: id } = await buy(home, product, ['--callback-url', inbox.url, ...flags]);
    for (const event of ['order.updated', 'checkout.processing']) {
      const queued = { event, order_id: id, queued: true, status: null };
      expect(await trigger([event, '--order', id])).toMatchObject(queued);
    }
    expect(await inbox.ended).toBe(0);
    const told = inbox.lines.slice(1).map(({ body }) => body?.data.status);
    expect(told.toSorted()).toEqual(['completed', 'completed', 'processing', 'processing']);
    const never = await home.failure(wordsOf(['checkout.failed', '--order', id]));
    expect(never.message).toBe(`Order ${id} never had this state`);
  });

  it('ends with 4 where the endpoint does not take it, and with 2 where nobody is named', async () => {
    const nowhere = ['checkout.completed', '--to', `${served.url}/nowhere`];
    const refused = await home.failure(wordsOf(nowhere));
    expect(refused).toMatchObject({ status: 4, code: 'WEBHOOK_NOT_TAKEN' });
    expect(JSON.parse(refused.stdout)).toMatchObject({ status: 404 });
    const made = await home.json<{ order_id: string }[]>(['orders', ...flags]);
    const rows: readonly (readonly [string[], number])[] = [
      [['checkout.completed'], 2],
      [['order.updated', '--to', NOBODY], 2],
      [['no.such.event', '--to', NOBODY], 2],
      [['partner.done', '--to', 'ftp://127.0.0.1/'], 2],
      [['order.updated', '--order', 'cr_unknown'], 3],
      [['order.updated', '--order', made[0]?.order_id ?? ''], 0],
    ];
    for (const [words, status] of rows) {
      expect({ words, status: (await home.run(wordsOf(words))).status }).toEqual({ words, status });
    }
  });
});
