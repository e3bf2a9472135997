/** What `scrip listen` is told by its flags, and how it ends. */
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { type ListenOptions, listen } from '../../../src/cli/serving/listening.ts';
import type { WebhookParts } from '../../../src/cli/serving/ports.ts';
import { skippingClock } from '../../support/manual-clock.ts';
import {
  type ContextParts,
  capture,
  smallContext,
  smallSettings,
} from '../../support/small-context.ts';

const secretOf = (byte: number): string => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const OPTIONS: ListenOptions = {
  port: 0,
  forward: undefined,
  secretFile: undefined,
  dataDir: undefined,
  isPrintedAsJson: false,
  count: undefined,
  timeoutMs: 1_000,
};
const BODY = '{"type":"order.updated","data":{"order_id":"\\u001b[31mred","status":"completed"}}';

/** An endpoint that is sent one message signed with the secret when it opens. */
function parts(secret: string, more: Partial<WebhookParts> = {}) {
  const clock = skippingClock();
  const answers: number[] = [];
  const webhooks: WebhookParts = {
    environmentSecret: undefined,
    sender: async () => async () => ({ status: 200 }),
    sandboxSecrets: async (dir) => ({
      ofOrder: async () => secretOf(8),
      ofApplication: async () => secretOf(dir.length),
      headersOf: async () => ({}),
    }),
    async receive({ handler }) {
      const at = new Date(clock.now());
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': new Webhook(secret).sign('msg_1', at, BODY),
      };
      const url = 'http://127.0.0.1:1';
      answers.push(
        (await handler(new Request(url, { method: 'POST', headers, body: BODY }))).status,
      );
      return { url, close: async () => undefined };
    },
    ...more,
  };
  return { clock, webhooks, answers };
}

async function run(
  secret: string,
  options: Partial<ListenOptions> = {},
  more: ContextParts = {},
  own: Partial<WebhookParts> = {},
) {
  const { clock, webhooks, answers } = parts(secret, own);
  const [stdout, stderr] = [capture(), capture()];
  const context = smallContext(
    {
      parts: { clock },
      serving: { webhooks },
      io: { stdout, stderr },
    },
    more,
  );
  const view = await listen(context, { ...OPTIONS, ...options });
  return { view, answers, stdout: stdout.text(), stderr: stderr.text() };
}

describe('the secret', () => {
  it('of a file comes before that of the environment', async () => {
    const readText = async (path: string) => (path === 'keys' ? `${secretOf(1)}\n` : '');
    const environmentSecret = secretOf(2);
    const more = { io: { readText } };
    const own = { environmentSecret };
    expect((await run(secretOf(1), { secretFile: 'keys' }, more, own)).answers).toEqual([204]);
    expect((await run(secretOf(2), { secretFile: 'keys' }, more, own)).answers).toEqual([401]);
    expect((await run(secretOf(2), {}, more, own)).answers).toEqual([204]);
  });

  it('is the sandbox’s where none is named: of the order, or of the partner', async () => {
    const { sandboxDir } = smallSettings();
    const told = await run(secretOf(8));
    expect(told.answers).toEqual([204]);
    expect(told.stderr).toContain(`the sandbox in ${sandboxDir}`);
    expect((await run(secretOf(sandboxDir.length))).answers).toEqual([204]);
    expect((await run(secretOf(5), { dataDir: 'shop' })).answers).toEqual([401]);
    expect((await run(secretOf(4), { dataDir: 'shop' })).answers).toEqual([204]);
  });

  it('has to be named for a host elsewhere', async () => {
    const settings = smallSettings({ checkoutUrl: 'https://host.example' });
    await expect(run(secretOf(8), {}, { settings })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      hint: expect.stringContaining('--secret-file'),
    });
  });

  it('that is none is refused without being told', async () => {
    const readText = async () => 'whsec_hunter2';
    const refused = run(secretOf(1), { secretFile: 'keys' }, { io: { readText } });
    await expect(refused).rejects.toMatchObject({
      message: expect.not.stringContaining('hunter2'),
    });
  });
});

describe('what is genuine', () => {
  it.each([
    ['ftp://127.0.0.1/', false],
    ['http://93.184.216.34/', false],
    ['https://me:secret@127.0.0.1/', true],
    ['nonsense', true],
  ])('is not passed on to %s (anywhere: %s)', async (url, isAnywhere) => {
    await expect(run(secretOf(8), { forward: { url, isAnywhere } })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });

  it('is passed on where that is asked for, and told with the answer', async () => {
    const asked: boolean[] = [];
    const sender: WebhookParts['sender'] = async ({ isAnywhere }) => {
      asked.push(isAnywhere);
      return async ({ url }) => (url.includes('93.') ? { failure: 'TIMEOUT' } : { status: 202 });
    };
    const near = { url: 'http://localhost:3000/', isAnywhere: false };
    const far = { url: 'http://93.184.216.34/', isAnywhere: true };
    const [one, other] = [
      await run(secretOf(8), { forward: near }, {}, { sender }),
      await run(secretOf(8), { forward: far }, {}, { sender }),
    ];
    expect(one.stdout).toContain('→ 202');
    expect(other.stdout).toContain('→ TIMEOUT');
    expect(asked).toEqual([false, true]);
    expect([...one.answers, ...other.answers]).toEqual([202, 502]);
  });
});

describe('it prints', () => {
  it('a line for people, with nothing in it that moves a terminal', async () => {
    const { stdout } = await run(secretOf(8));
    expect(stdout.split('\t').slice(1)).toEqual([
      'verified',
      'msg_1',
      'order.updated',
      '\\u{1b}[31mred',
      'completed\n',
    ]);
  });

  it('that one was refused, and why', async () => {
    const { stdout } = await run(secretOf(9));
    expect(stdout).toMatch(/^\d\d:\d\d:\d\d\tREFUSED, wrong signature\tmsg_1\n$/);
  });

  it('JSON where that is asked for, and the address first for a program', async () => {
    const { stdout } = await run(secretOf(8), { isPrintedAsJson: true });
    expect(JSON.parse(stdout)).toMatchObject({ event: 'webhook', verdict: 'verified' });
    const lines = await run(secretOf(8), {}, { settings: smallSettings({ ndjson: true }) });
    expect(lines.stderr).toBe('');
    expect(lines.stdout).toContain('"event":"webhook"');
    expect(lines.stdout).toContain('{"event":"listening","url":"http://127.0.0.1:1"}\n');
  });

  it('all of them in one document at the end', async () => {
    const { view, stdout } = await run(
      secretOf(8),
      {},
      { settings: smallSettings({ json: true }) },
    );
    expect(stdout).toBe('');
    expect(view).toMatchObject({ kind: 'list', records: [{ verdict: 'verified' }] });
  });
});

describe('it ends', () => {
  it('when as many came as were asked for', async () => {
    const { view } = await run(secretOf(8), { count: 1, timeoutMs: undefined });
    expect(view).not.toHaveProperty('error');
  });

  it('with 8 when they did not come in time; refused ones do not count', async () => {
    const { view } = await run(secretOf(9), { count: 1 });
    expect(view).toMatchObject({
      error: { code: 'WEBHOOK_AWAITED', exit: 8, details: { expected: 1, received: 0 } },
    });
  });

  it('well when it is stopped', async () => {
    const interrupted = AbortSignal.abort();
    const { view } = await run(
      secretOf(9),
      { count: 1, timeoutMs: undefined },
      { parts: { signal: interrupted } },
    );
    expect(view).not.toHaveProperty('error');
  });
});
