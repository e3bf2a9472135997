/**
 * A merchant that is paid and answers otherwise: over HTTP, before the real service and its chain. One
 * rule for all answers: a minute from the chain's proof, then the proof is what the user gets.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { resume } from '../../../src/api/checkout/pay.ts';
import type { PurchaseDeps } from '../../../src/api/checkout/purchase-deps.ts';
import type { Reply } from '../../../src/contract/fetch.ts';
import { createHttpFetch } from '../../../src/net/fetch.ts';
import { signerFromSeed } from '../../../src/rails/solana/ed25519.ts';
import { openSandbox } from '../../../src/sandbox/sandbox.ts';
import { hostThat } from '../../support/at-end.ts';
import { buyerTools, quotedRequest } from '../../support/buyer.ts';
import { skippingClock } from '../../support/manual-clock.ts';
import { purchase } from '../../support/purchase.ts';
import { drawn } from '../../support/random.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const BASE = 'http://sandbox.example';
const MINUTE_MS = 60_000;
/** Finality takes 13 s, and both it and the merchant are asked every few seconds. */
const PROOF_MS = 25_000;
/** As `scrip order` has them without --timeout. */
const DELIVERY_MS = 10 * MINUTE_MS;
const UNANSWERED_MS = 35_000;
const MOST_SENDS = 20;

type Answer = (response: ServerResponse, honest: Reply) => void;
const clock = skippingClock();
const random = drawn();

const dir = tempFolder();
/** What a payment is answered with once it was taken; undefined lets the service speak. */
let answer: Answer | undefined;
/** Whether orders are still in the making. */
let isSlow = false;
let sends = 0;

const sandbox = await openSandbox({
  ...{ dataDir: join(dir, 'sandbox'), clock, random, baseUrl: BASE },
});
afterAll(() => sandbox.close());
const url = await hostThat((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
beforeEach(() => {
  answer = undefined;
  isSlow = false;
  sends = 0;
});

const PASSED_ON = ['content-type', 'payment-signature', 'x-session-id'];
const PASSED_BACK = ['payment-required', 'payment-response', 'x-session-id'];

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = 'GET', url: path = '/', headers } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const honest = await sandbox.fetch(`${BASE}${path}`, {
    method,
    headers: Object.fromEntries(
      PASSED_ON.flatMap((name) =>
        headers[name] === undefined ? [] : [[name, String(headers[name])]],
      ),
    ),
    ...(chunks.length > 0 ? { body: Buffer.concat(chunks).toString('utf8') } : {}),
  });
  await sandbox.tick();
  const isPayment = headers['payment-signature'] !== undefined;
  sends += isPayment ? 1 : 0;
  if (isPayment && answer !== undefined) return answer(response, honest);
  const text = await honest.text();
  const kept = PASSED_BACK.flatMap((name) => {
    const value = honest.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  response.writeHead(honest.status, Object.fromEntries(kept));
  response.end(isSlow ? text.replaceAll('"completed"', '"processing"') : text);
}

const status =
  (code: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(code, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** A buyer of its own with 100 USDC; its payments never meet another's. */
async function buyer(name: string, over: Partial<PurchaseDeps> = {}) {
  const seed = createHash('sha256').update(name).digest();
  const signer = signerFromSeed(new Uint8Array(seed));
  await sandbox.fund(signer.address, { usdcAtomic: 100_000_000n, lamports: 0n });
  const journalDir = join(dir, 'journals', createHash('sha256').update(name).digest('hex'));
  const options = { fetch: createHttpFetch(), baseUrl: url, clock, random, signer, journalDir };
  const deps = { ...(await buyerTools(options)), waitMs: DELIVERY_MS, settleMs: UNANSWERED_MS };
  const request = await quotedRequest(options, { key: name, email: 'buyer@example.com' });
  const paid = async () =>
    100_000_000n - ((await deps.rail.balances(signer.address)).usdcAtomic ?? 0n);
  return { deps: { ...deps, ...over }, request, paid };
}

async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly ended: T; readonly tookMs: number }> {
  const sinceMs = clock.now();
  sends = 0;
  const ended = await work();
  return { ended, tookMs: clock.now() - sinceMs };
}

const ANSWERS: readonly (readonly [what: string, answer: Answer])[] = [
  ['400', status(400, { error: 'bad_request', message: 'no such thing' })],
  ['402', status(402, { error: 'payment_invalid', message: 'not today' })],
  ['a fresh payment request', status(402, { x402Version: 2, accepts: [] })],
  ['404', status(404, { error: 'session_unknown' })],
  ['409', status(409, { error: 'duplicate_settlement' })],
  ['500', status(500, { error: 'internal' })],
  ['503 and to come back at once', status(503, {}, { 'retry-after': '0' })],
  ['a page', status(200, '<html>thank you</html>')],
  ['a receipt without an order', status(200, { status: 'processing' })],
  ['a broken connection', (response) => response.destroy()],
];

describe('a payment that landed and is answered with', () => {
  it.each(ANSWERS)(
    '%s, for ever: asked for a minute, then proven to the user',
    async (what, given) => {
      const { deps, request, paid } = await buyer(what);
      answer = given;
      const { ended, tookMs } = await timed(() => purchase(deps, request));
      expect(ended).toMatchObject({
        kind: 'attention',
        code: 'ATTENTION_NEEDED',
        signatures: 1,
        bundle: {
          host: url,
          session_id: expect.any(String),
          transaction: expect.any(String),
          slot: expect.any(Number),
          amount_atomic: request.quotedAtomic.toString(),
        },
      });
      expect(tookMs).toBeGreaterThanOrEqual(MINUTE_MS - 5_000);
      expect(tookMs).toBeLessThanOrEqual(MINUTE_MS + PROOF_MS);
      expect(sends).toBeLessThanOrEqual(MOST_SENDS);
      expect(await paid()).toBe(request.quotedAtomic);

      // The same rule for whoever asks again; nothing is signed, and the proof is there from the start.
      const entry = await deps.journal.byKey(what);
      if (entry === undefined) throw new Error('the purchase should be in the journal');
      const { settleMs: _, ...resuming } = { ...deps, waitMs: 30_000 };
      const again = await timed(() => resume(resuming, entry));
      expect(again.ended).toMatchObject({ kind: 'attention', signatures: 0 });
      expect(again.tookMs).toBeLessThanOrEqual(MINUTE_MS);
      expect(sends).toBeLessThanOrEqual(MOST_SENDS);

      // A merchant that comes to its senses delivers what was paid.
      answer = undefined;
      expect(await resume(resuming, entry)).toMatchObject({ kind: 'delivered', signatures: 0 });
      expect(await paid()).toBe(request.quotedAtomic);
    },
  );

  it('500, and the user waits no longer: it is paid, and left for the resume', async () => {
    const { deps, request } = await buyer('hasty', { waitMs: 20_000, settleMs: 20_000 });
    answer = status(500, {});
    const { ended, tookMs } = await timed(() => purchase(deps, request));
    expect(ended).toMatchObject({ kind: 'pending', code: 'DELIVERY_PENDING', orderId: null });
    expect(tookMs).toBeLessThanOrEqual(20_000);
  });

  it('500 for half a minute: the order is there then', async () => {
    const { deps, request, paid } = await buyer('late');
    const untilMs = clock.now() + 50_000;
    answer = (response, honest) => {
      if (clock.now() > untilMs) answer = undefined;
      status(500, {})(response, honest);
    };
    expect(await purchase(deps, request)).toMatchObject({ kind: 'delivered', signatures: 1 });
    expect(await paid()).toBe(request.quotedAtomic);
  });
});

it('an order that was accepted is followed as long as the user waits', async () => {
  const { deps, request, paid } = await buyer('patient');
  isSlow = true;
  const { ended, tookMs } = await timed(() => purchase(deps, request));
  expect(ended).toMatchObject({ kind: 'pending', code: 'DELIVERY_PENDING', signatures: 1 });
  expect(tookMs).toBeGreaterThan(DELIVERY_MS - 10_000);
  expect([sends, await paid()]).toEqual([1, request.quotedAtomic]);
});
