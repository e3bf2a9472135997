/**
 * Merchants that lie, over real HTTP: whatever they do, the purchase ends with a documented code,
 * nothing is signed above the cap or for another recipient, and nothing is paid twice.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resume } from '../../../src/api/checkout/pay.ts';
import type { Fetch, FetchInit, Reply } from '../../../src/contract/fetch.ts';
import { CODES, ScripError } from '../../../src/domain/message/errors.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { createHttpFetch } from '../../../src/net/fetch.ts';
import { purchase } from '../../support/purchase.ts';
import { aRequest, CHECKOUT_URL, makeWorld, type World } from '../../support/purchase-world.ts';
import { jsonReply } from '../../support/scripted-fetch.ts';

type Stage = 'challenge' | 'payment' | 'order';
type Act = (response: ServerResponse, honest: Reply) => Promise<void> | void;

interface Script {
  readonly stage: Stage;
  /** How many calls of the stage are answered so; all when left out. */
  readonly times?: number;
  /** The call goes no further: nothing is settled. */
  readonly isKept?: boolean;
  readonly act: Act;
}

const PAY_TO = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
const CAP = 26_000_000n;
/** Stands for the patience of the client, a minute, with those who would use it up. */
const SHORT_PATIENCE_MS = 150;
const PATIENCE_MS = 20_000;
/** As the command line has it: what nobody has answered by then is left for `orders resume`. */
const UNANSWERED_MS = 35_000;
const BIG = Buffer.alloc(256 * 1024, 0x20);

let world: World;
let server: Server;
let url: string;
let script: Script | undefined;
let left = 0;

beforeEach(async () => {
  world = await makeWorld();
  server = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  world.close();
});

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url: path = '/', headers } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const stage = stageOf(request);
  const isStruck = script?.stage === stage && left > 0;
  if (isStruck && script?.isKept) {
    left -= 1;
    return script.act(response, jsonReply(500, {}));
  }
  const payment = headers['payment-signature'];
  const honest = await world.fetch(`${CHECKOUT_URL}${path}`, {
    method,
    headers: payment === undefined ? {} : { 'PAYMENT-SIGNATURE': String(payment) },
    body: Buffer.concat(chunks).toString('utf8'),
  });
  if (!isStruck) return pass(response, honest);
  left -= 1;
  await script?.act(response, honest);
}

function stageOf({ method, headers }: IncomingMessage): Stage {
  if (method === 'GET') return 'order';
  return headers['payment-signature'] === undefined ? 'challenge' : 'payment';
}

const HEADERS = ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'X-Session-Id', 'Retry-After'] as const;

async function pass(
  response: ServerResponse,
  honest: Reply,
  more: Record<string, string> = {},
): Promise<void> {
  const kept = HEADERS.flatMap((name) => {
    const value = honest.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  response.writeHead(honest.status, { ...Object.fromEntries(kept), ...more });
  response.end(await honest.text());
}

// What a hostile host may answer to anything.
const status =
  (code: number, body: unknown = '', headers: Record<string, string> = {}): Act =>
  (response) => {
    response.writeHead(code, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const redirect = (code: number): Act =>
  status(code, '', { location: 'https://elsewhere.example/' });
const never: Act = () => undefined;
const hangUp: Act = (response) => {
  response.destroy();
};
const reset: Act = (response) => {
  response.socket?.resetAndDestroy();
};
const garbage: Act = (response) => {
  response.socket?.end('220 mail.example ESMTP ready\r\n');
};
const slow: Act = (response) => {
  response.writeHead(200);
  response.write('{');
};
const endless: Act = (response) => {
  response.writeHead(200);
  const more = (): void => {
    while (!response.destroyed && response.write(BIG));
  };
  response.on('drain', more);
  more();
};
const bomb: Act = (response) => {
  response.writeHead(200, { 'content-encoding': 'gzip' });
  response.end(gzipSync(Buffer.alloc(80 * 1024 * 1024)));
};
const notGzip: Act = status(200, 'plain', { 'content-encoding': 'gzip' });
const manyHeaders: Act = (response) => {
  response.writeHead(200, { 'x-filler': 'x'.repeat(100_000) });
  response.end('{}');
};
const cut: Act = async (response, honest) => {
  const text = await honest.text();
  response.writeHead(honest.status, { 'content-length': text.length });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
};
const wrongType: Act = (response, honest) =>
  pass(response, honest, { 'content-type': 'image/png' });
const deep: Act = status(402, `${'['.repeat(50_000)}${']'.repeat(50_000)}`);

/** The 402 of an honest merchant with something changed in its one offer. */
function offer(
  edit: Record<string, unknown>,
): (required: Record<string, unknown>) => Record<string, unknown> {
  return (required) => ({
    ...required,
    accepts: (required.accepts as Record<string, unknown>[]).map((accept) => ({
      ...accept,
      ...edit,
    })),
  });
}
const amounts = (text: unknown) => offer({ amount: text, maxAmountRequired: text });
const extra = (more: Record<string, unknown>) =>
  offer({ extra: { feePayer: '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4', ...more } });

function askedStage(init: FetchInit | undefined): Stage {
  if (init?.method !== 'POST') return 'order';
  return init.headers?.['PAYMENT-SIGNATURE'] === undefined ? 'challenge' : 'payment';
}

interface End {
  /** Code of the error, or kind of the outcome. */
  readonly end: string;
  readonly landed: number;
}

async function run(played: Script | undefined): Promise<End & { readonly exit: number }> {
  script = played;
  left = played?.times ?? Number.POSITIVE_INFINITY;
  const network = createHttpFetch();
  const isWaiting = played?.act === never || played?.act === slow;
  const fetch: Fetch = (address, init) => {
    const isStruck = isWaiting && left > 0 && askedStage(init) === played?.stage;
    const patience = AbortSignal.timeout(isStruck ? SHORT_PATIENCE_MS : PATIENCE_MS);
    // Heard from here on: a timeout that nobody listens to may be collected before its time.
    const ended = new AbortController();
    for (const signal of [patience, init?.signal]) {
      signal?.addEventListener('abort', () => ended.abort(signal.reason), { once: true });
    }
    return network(address, { ...init, signal: ended.signal });
  };
  const settleMs = UNANSWERED_MS;
  const deps = world.deps({ fetch, checkoutUrl: url, host: url, settleMs });
  const beganMs = world.clock.now();
  const ended = await purchase(deps, aRequest({ capAtomic: atomic(CAP) })).catch(
    (error: unknown) => error,
  );
  for (const { attempts } of await deps.journal.all()) {
    for (const { payTo, amountAtomic } of attempts) {
      expect([payTo, BigInt(amountAtomic) <= CAP]).toEqual([PAY_TO, true]);
    }
  }
  // Pauses alone move this clock; an answer is waited for no longer than what is left of these.
  expect(world.clock.now() - beganMs).toBeLessThanOrEqual(deps.waitMs);
  return { ...endOf(ended), landed: world.landed.size };
}

function endOf(ended: unknown): { readonly end: string; readonly exit: number } {
  if (ended instanceof ScripError) return { end: ended.code, exit: CODES[ended.code].exit };
  const outcome = ended as { readonly kind: string; readonly code: keyof typeof CODES | null };
  return { end: outcome.kind, exit: outcome.code === null ? 0 : CODES[outcome.code].exit };
}

/** The documented exit code of each end. */
const EXITS: Readonly<Record<string, number>> = {
  MERCHANT_REPLY_INVALID: 4,
  MERCHANT_ERROR: 4,
  MERCHANT_REFUSED: 4,
  NETWORK_UNREACHABLE: 4,
  REDIRECT_REFUSED: 4,
  REQUIREMENT_UNACCEPTABLE: 5,
  CHALLENGE_EXPIRED: 5,
  AMOUNT_OVER_CAP: 6,
  delivered: 0,
  pending: 8,
  unknown: 9,
  failed: 10,
  attention: 11,
};

const CHALLENGES: readonly (readonly [what: string, act: Act, end: string])[] = [
  [
    'takes the order for nothing',
    status(200, { order_id: 'cr_1', status: 'processing' }),
    'MERCHANT_REPLY_INVALID',
  ],
  ['asks with nothing', status(402), 'MERCHANT_REPLY_INVALID'],
  ['asks with a page', status(402, '<html>pay</html>'), 'MERCHANT_REPLY_INVALID'],
  ['asks with a list', status(402, []), 'MERCHANT_REPLY_INVALID'],
  [
    'asks for nothing at all',
    status(402, { x402Version: 2, accepts: [] }),
    'MERCHANT_REPLY_INVALID',
  ],
  [
    'asks in the old version',
    status(402, { x402Version: 1, accepts: [] }),
    'MERCHANT_REPLY_INVALID',
  ],
  ['asks from a great depth', deep, 'MERCHANT_REPLY_INVALID'],
  ['points elsewhere with 301', redirect(301), 'REDIRECT_REFUSED'],
  ['points elsewhere with 302', redirect(302), 'REDIRECT_REFUSED'],
  ['points elsewhere with 303', redirect(303), 'REDIRECT_REFUSED'],
  ['points elsewhere with 307', redirect(307), 'REDIRECT_REFUSED'],
  ['points elsewhere with 308', redirect(308), 'REDIRECT_REFUSED'],
  ['never stops talking', endless, 'MERCHANT_REPLY_INVALID'],
  ['sends a bomb', bomb, 'MERCHANT_REPLY_INVALID'],
  ['packs what is not packed', notGzip, 'MERCHANT_REPLY_INVALID'],
  ['sends a header without end', manyHeaders, 'NETWORK_UNREACHABLE'],
  ['says one character and waits', slow, 'NETWORK_UNREACHABLE'],
  ['never answers', never, 'NETWORK_UNREACHABLE'],
  ['hangs up', hangUp, 'NETWORK_UNREACHABLE'],
  ['resets', reset, 'NETWORK_UNREACHABLE'],
  ['speaks another protocol', garbage, 'NETWORK_UNREACHABLE'],
  ['fails', status(500, { error: 'oops' }), 'MERCHANT_ERROR'],
  ['is not there', status(404, 'nothing here'), 'MERCHANT_REPLY_INVALID'],
  ['forbids', status(403, { error: 'forbidden' }), 'MERCHANT_REFUSED'],
  ['answers 418', status(418), 'MERCHANT_REPLY_INVALID'],
];

const OFFERS: readonly (readonly [what: string, edit: ReturnType<typeof offer>, end: string])[] = [
  [
    'another network',
    offer({ network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }),
    'REQUIREMENT_UNACCEPTABLE',
  ],
  ['another chain', offer({ network: 'eip155:8453' }), 'REQUIREMENT_UNACCEPTABLE'],
  [
    'another coin',
    offer({ asset: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' }),
    'REQUIREMENT_UNACCEPTABLE',
  ],
  ['another scheme', offer({ scheme: 'upto' }), 'REQUIREMENT_UNACCEPTABLE'],
  ['more than the cap', amounts('26000001'), 'AMOUNT_OVER_CAP'],
  ['all there is', amounts('18446744073709551615'), 'AMOUNT_OVER_CAP'],
  ['more than there can be', amounts('18446744073709551616'), 'REQUIREMENT_UNACCEPTABLE'],
  ['nothing', amounts('0'), 'REQUIREMENT_UNACCEPTABLE'],
  ['less than nothing', amounts('-25250000'), 'REQUIREMENT_UNACCEPTABLE'],
  ['a power of ten', amounts('25e6'), 'REQUIREMENT_UNACCEPTABLE'],
  ['a fraction', amounts('25250000.0'), 'REQUIREMENT_UNACCEPTABLE'],
  ['hexadecimal', amounts('0x1812B50'), 'REQUIREMENT_UNACCEPTABLE'],
  ['a space before it', amounts(' 25250000'), 'REQUIREMENT_UNACCEPTABLE'],
  ['digits of another script', amounts('२५२५००००'), 'REQUIREMENT_UNACCEPTABLE'],
  ['a number and not digits', amounts(25_250_000), 'REQUIREMENT_UNACCEPTABLE'],
  [
    'two amounts',
    offer({ amount: '25250000', maxAmountRequired: '1' }),
    'REQUIREMENT_UNACCEPTABLE',
  ],
  ['no recipient', offer({ payTo: '' }), 'REQUIREMENT_UNACCEPTABLE'],
  ['no fee payer', offer({ extra: {} }), 'REQUIREMENT_UNACCEPTABLE'],
  ['a memo with a line break', extra({ memo: 'a\nb' }), 'REQUIREMENT_UNACCEPTABLE'],
  ['a memo that is too long', extra({ memo: 'a'.repeat(257) }), 'REQUIREMENT_UNACCEPTABLE'],
  ['an offer that is over', (required) => ({ ...required, expiresAt: 1 }), 'CHALLENGE_EXPIRED'],
];

const PAYMENTS: readonly (readonly [what: string, script: Script, end: string, landed: number])[] =
  [
    ...[301, 302, 303, 307, 308].map(
      (code) =>
        [
          `points elsewhere with ${code}`,
          { stage: 'payment', times: 1, act: redirect(code) },
          'delivered',
          1,
        ] as const,
    ),
    ['never stops talking', { stage: 'payment', times: 1, act: endless }, 'delivered', 1],
    ['sends a bomb', { stage: 'payment', times: 1, act: bomb }, 'delivered', 1],
    [
      'sends a header without end',
      { stage: 'payment', times: 1, act: manyHeaders },
      'delivered',
      1,
    ],
    ['says one character and waits', { stage: 'payment', times: 1, act: slow }, 'delivered', 1],
    ['never answers', { stage: 'payment', times: 1, act: never }, 'delivered', 1],
    ['resets', { stage: 'payment', times: 1, act: reset }, 'delivered', 1],
    ['cuts its receipt', { stage: 'payment', times: 1, act: cut }, 'delivered', 1],
    ['speaks another protocol', { stage: 'payment', times: 1, act: garbage }, 'delivered', 1],
    ['sends a picture', { stage: 'payment', times: 1, act: wrongType }, 'delivered', 1],
    [
      'fails and asks to wait for ever',
      { stage: 'payment', times: 1, act: status(503, {}, { 'retry-after': '999999999' }) },
      'delivered',
      1,
    ],
    [
      'gives a receipt of nothing',
      { stage: 'payment', times: 1, act: status(200, 'null') },
      'delivered',
      1,
    ],
    [
      'gives a receipt without an order',
      { stage: 'payment', times: 1, act: status(200, { status: 'processing' }) },
      'delivered',
      1,
    ],
    ['takes it and fails for ever', { stage: 'payment', act: status(500) }, 'pending', 1],
    [
      'takes it and refuses it for ever',
      { stage: 'payment', act: status(402, { error: 'payment_invalid' }) },
      'attention',
      1,
    ],
    [
      'takes it and asks anew for ever',
      { stage: 'payment', act: status(402, { x402Version: 2, accepts: [] }) },
      'attention',
      1,
    ],
    ['takes it and hangs up', { stage: 'payment', act: hangUp }, 'pending', 1],
    ['takes it and never answers', { stage: 'payment', act: never }, 'pending', 1],
    ['takes it and says one character', { stage: 'payment', act: slow }, 'pending', 1],
    ['keeps it and never answers', { stage: 'payment', isKept: true, act: never }, 'unknown', 0],
    ['keeps it and never stops', { stage: 'payment', isKept: true, act: endless }, 'unknown', 0],
    [
      'keeps it and fails for ever',
      { stage: 'payment', isKept: true, act: status(500) },
      'unknown',
      0,
    ],
    [
      'keeps it and refuses it for ever',
      { stage: 'payment', isKept: true, act: status(402, { error: 'payment_invalid' }) },
      'unknown',
      0,
    ],
    [
      'names another order',
      { stage: 'payment', act: status(200, { order_id: 'cr_other', status: 'processing' }) },
      'pending',
      1,
    ],
    [
      'names a path for an order',
      { stage: 'payment', act: status(200, { order_id: '../../admin', status: 'processing' }) },
      'pending',
      1,
    ],
    [
      'calls the order failed, and it is',
      { stage: 'order', act: status(200, { order_id: 'cr_1', status: 'failed', deliveries: [] }) },
      'failed',
      1,
    ],
    [
      'tells of another order',
      {
        stage: 'order',
        act: status(200, {
          order_id: 'cr_2',
          status: 'completed',
          deliveries: [{ delivery_state: 'completed', voucher_code: 'X' }],
        }),
      },
      'pending',
      1,
    ],
    [
      'forgets the order',
      { stage: 'order', act: status(404, { error: 'order_not_found' }) },
      'pending',
      1,
    ],
    ['points elsewhere for the order', { stage: 'order', act: redirect(302) }, 'pending', 1],
    ['never stops talking of the order', { stage: 'order', act: endless }, 'pending', 1],
    ['sends a bomb for the order', { stage: 'order', times: 2, act: bomb }, 'delivered', 1],
    [
      'has a status of its own',
      { stage: 'order', act: status(200, { order_id: 'cr_1', status: 'banana' }) },
      'pending',
      1,
    ],
    [
      'completes without goods',
      { stage: 'order', act: status(200, { order_id: 'cr_1', status: 'completed' }) },
      'pending',
      1,
    ],
    ['never answers for the order', { stage: 'order', times: 2, act: never }, 'delivered', 1],
  ];

describe('asked for a payment request, a merchant that', () => {
  it.each(CHALLENGES)('%s: nothing is signed', async (_what, act, end) => {
    const seen = await run({ stage: 'challenge', act });
    expect(seen).toMatchObject({ end, exit: EXITS[end], landed: 0 });
    expect(world.signed()).toBe(0);
  });
});

describe('a merchant that asks for', () => {
  it.each(OFFERS)('%s: nothing is signed', async (_what, edit, end) => {
    world.challenge.edit = edit;
    const seen = await run(undefined);
    expect(seen).toMatchObject({ end, exit: EXITS[end], landed: 0 });
    expect(world.signed()).toBe(0);
  });
});

describe('a merchant that is paid and', () => {
  it.each(PAYMENTS)('%s: one payment, one signature', async (_what, played, end, landed) => {
    const seen = await run(played);
    expect(seen).toMatchObject({ end, exit: EXITS[end], landed });
    expect(world.signed()).toBe(1);
  });
});

describe('a payment that nobody answered', () => {
  const KEPT: Script = { stage: 'payment', isKept: true, act: hangUp };

  async function leave() {
    expect(await run(KEPT)).toMatchObject({ end: 'unknown', exit: 9, landed: 0 });
    script = undefined;
    const deps = world.deps({ fetch: createHttpFetch(), checkoutUrl: url, host: url });
    const entry = await deps.journal.byKey('key-1');
    if (entry === undefined) throw new Error('the purchase should be in the journal');
    return { deps, entry };
  }

  it('is sent again by the resume, and pays once', async () => {
    const { deps, entry } = await leave();
    expect(await resume(deps, entry)).toMatchObject({ kind: 'delivered', code: null });
    expect([world.signed(), world.landed.size]).toEqual([1, 1]);
  });

  it('is proven dead by a resume that comes later, and costs nothing', async () => {
    const { deps, entry } = await leave();
    world.clock.advance(120_000);
    expect(await resume(deps, entry)).toMatchObject({ kind: 'unpaid' });
    expect([world.signed(), world.landed.size]).toEqual([1, 0]);
  });

  it('is not followed by a new one when the time is used up by the proof', async () => {
    const { entry } = await leave();
    // A payment dies about 86 s after it was signed.
    world.clock.set((entry.attempts[0]?.createdAtMs ?? 0) + 59_000);
    script = KEPT;
    left = Number.POSITIVE_INFINITY;
    const deps = world.deps({ fetch: createHttpFetch(), checkoutUrl: url, host: url });
    const again = await purchase({ ...deps, settleMs: 30_000 }, aRequest());
    expect(again).toMatchObject({ kind: 'unpaid', code: 'CHALLENGE_EXPIRED' });
    expect([world.signed(), world.landed.size]).toEqual([1, 0]);
  });
});
