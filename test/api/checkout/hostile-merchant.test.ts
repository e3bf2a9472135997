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
const REDIRECTS = [301, 302, 303, 307, 308];
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

const challenged: Readonly<Record<string, Readonly<Record<string, Act>>>> = {
  MERCHANT_REPLY_INVALID: {
    'takes the order for nothing': status(200, { order_id: 'cr_1', status: 'processing' }),
    'asks with nothing': status(402),
    'asks with a page': status(402, '<html>pay</html>'),
    'asks with a list': status(402, []),
    'asks for nothing at all': status(402, { x402Version: 2, accepts: [] }),
    'asks in the old version': status(402, { x402Version: 1, accepts: [] }),
    'asks from a great depth': deep,
    'never stops talking': endless,
    'sends a bomb': bomb,
    'packs what is not packed': notGzip,
    'is not there': status(404, 'nothing here'),
    'answers 418': status(418),
  },
  REDIRECT_REFUSED: Object.fromEntries(
    REDIRECTS.map((code) => [`points elsewhere with ${code}`, redirect(code)]),
  ),
  NETWORK_UNREACHABLE: {
    'sends a header without end': manyHeaders,
    'says one character and waits': slow,
    'never answers': never,
    'hangs up': hangUp,
    resets: reset,
    'speaks another protocol': garbage,
  },
  MERCHANT_ERROR: { fails: status(500, { error: 'oops' }) },
  MERCHANT_REFUSED: { forbids: status(403, { error: 'forbidden' }) },
};

const offered: Readonly<Record<string, Readonly<Record<string, ReturnType<typeof offer>>>>> = {
  REQUIREMENT_UNACCEPTABLE: {
    'another network': offer({ network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1' }),
    'another chain': offer({ network: 'eip155:8453' }),
    'another coin': offer({ asset: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB' }),
    'another scheme': offer({ scheme: 'upto' }),
    'more than there can be': amounts('18446744073709551616'),
    nothing: amounts('0'),
    'less than nothing': amounts('-25250000'),
    'a power of ten': amounts('25e6'),
    'a fraction': amounts('25250000.0'),
    hexadecimal: amounts('0x1812B50'),
    'a space before it': amounts(' 25250000'),
    'digits of another script': amounts('२५२५००००'),
    'a number and not digits': amounts(25_250_000),
    'two amounts': offer({ amount: '25250000', maxAmountRequired: '1' }),
    'no recipient': offer({ payTo: '' }),
    'no fee payer': offer({ extra: {} }),
    'a memo with a line break': extra({ memo: 'a\nb' }),
    'a memo that is too long': extra({ memo: 'a'.repeat(257) }),
  },
  AMOUNT_OVER_CAP: {
    'more than the cap': amounts('26000001'),
    'all there is': amounts('18446744073709551615'),
  },
  CHALLENGE_EXPIRED: { 'an offer that is over': (required) => ({ ...required, expiresAt: 1 }) },
};

const order = (order_id: string, state = 'processing', more = {}) =>
  status(200, { order_id, status: state, ...more });
const REFUSAL = status(402, { error: 'payment_invalid' });
const goods = { deliveries: [{ delivery_state: 'completed', voucher_code: 'X' }] };
const once = (act: Act): Script => ({ stage: 'payment', times: 1, act });
const ever = (act: Act): Script => ({ stage: 'payment', act });
const keeping = (act: Act): Script => ({ stage: 'payment', isKept: true, act });
const asked = (act: Act, more: Partial<Script> = {}): Script => ({ stage: 'order', act, ...more });

const paid: Readonly<Record<string, Readonly<Record<string, Script>>>> = {
  delivered: {
    ...Object.fromEntries(
      REDIRECTS.map((code) => [`points elsewhere with ${code}`, once(redirect(code))]),
    ),
    'never stops talking': once(endless),
    'sends a bomb': once(bomb),
    'sends a header without end': once(manyHeaders),
    'says one character and waits': once(slow),
    'never answers': once(never),
    resets: once(reset),
    'cuts its receipt': once(cut),
    'speaks another protocol': once(garbage),
    'sends a picture': once(wrongType),
    'fails and asks to wait for ever': once(status(503, {}, { 'retry-after': '999999999' })),
    'gives a receipt of nothing': once(status(200, 'null')),
    'gives a receipt without an order': once(status(200, { status: 'processing' })),
    'sends a bomb for the order': asked(bomb, { times: 2 }),
    'never answers for the order': asked(never, { times: 2 }),
  },
  pending: {
    'takes it and fails for ever': ever(status(500)),
    'takes it and hangs up': ever(hangUp),
    'takes it and never answers': ever(never),
    'takes it and says one character': ever(slow),
    'names another order': ever(order('cr_other')),
    'names a path for an order': ever(order('../../admin')),
    'tells of another order': asked(order('cr_2', 'completed', goods)),
    'forgets the order': asked(status(404, { error: 'order_not_found' })),
    'points elsewhere for the order': asked(redirect(302)),
    'never stops talking of the order': asked(endless),
    'has a status of its own': asked(order('cr_1', 'banana')),
    'completes without goods': asked(order('cr_1', 'completed')),
  },
  attention: {
    'takes it and refuses it for ever': ever(REFUSAL),
    'takes it and asks anew for ever': ever(status(402, { x402Version: 2, accepts: [] })),
  },
  unknown: {
    'keeps it and never answers': keeping(never),
    'keeps it and never stops': keeping(endless),
    'keeps it and fails for ever': keeping(status(500)),
    'keeps it and refuses it for ever': keeping(REFUSAL),
  },
  failed: {
    'calls the order failed, and it is': asked(order('cr_1', 'failed', { deliveries: [] })),
  },
};

/** The rows of a table by ends. */
const rowsOf = <Row>(table: Readonly<Record<string, Readonly<Record<string, Row>>>>) =>
  Object.entries(table).flatMap(([end, rows]) =>
    Object.entries(rows).map(([what, row]) => [what, row, end] as const),
  );

describe('asked for a payment request, a merchant that', () => {
  it.each(rowsOf(challenged))('%s: nothing is signed', async (_what, act, end) => {
    const seen = await run({ stage: 'challenge', act });
    expect(seen).toMatchObject({ end, exit: EXITS[end], landed: 0 });
    expect(world.signed()).toBe(0);
  });
});

describe('a merchant that asks for', () => {
  it.each(rowsOf(offered))('%s: nothing is signed', async (_what, edit, end) => {
    world.challenge.edit = edit;
    const seen = await run(undefined);
    expect(seen).toMatchObject({ end, exit: EXITS[end], landed: 0 });
    expect(world.signed()).toBe(0);
  });
});

describe('a merchant that is paid and', () => {
  it.each(rowsOf(paid))('%s: one payment, one signature', async (_what, played, end) => {
    const seen = await run(played);
    const landed = played.isKept === true ? 0 : 1;
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
