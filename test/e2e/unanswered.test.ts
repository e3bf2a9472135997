/** A merchant that takes the payment and never answers, by real processes: the command ends, and a later one finishes. */
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { amazonProducts, fundedWallet, type OrderDocument, orderOf } from '../support/shop.ts';

/** What the merchant does with paid calls; all others are answered. */
type Mood = 'answers' | 'keeps the payment' | 'settles in silence';

const SLOW_MS = 60_000;

interface Merchant {
  readonly url: string;
  /** How many paid calls were left without an answer. */
  readonly unanswered: () => number;
  mood: Mood;
  close(): void;
}

/** The sandbox behind a front that may be silent. */
async function silentFront(target: string): Promise<Merchant> {
  let unanswered = 0;
  const server: Server = createServer((incoming, response) => {
    const isPaid = incoming.headers['payment-signature'] !== undefined;
    const isStruck = isPaid && merchant.mood !== 'answers';
    unanswered += isStruck ? 1 : 0;
    if (isStruck && merchant.mood === 'keeps the payment') return;
    const { method, url, headers } = incoming;
    const onward = request(`${target}${url}`, { method, headers }, (reply: IncomingMessage) => {
      if (isStruck) return reply.resume();
      response.writeHead(reply.statusCode ?? 500, reply.headers);
      return reply.pipe(response);
    });
    onward.on('error', () => response.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const merchant: Merchant = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    unanswered: () => unanswered,
    mood: 'answers',
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return merchant;
}

describe('a merchant that', () => {
  const home = makeHome();
  let sandbox: ServedHere;
  let merchant: Merchant;
  let payer: string;
  let flags: readonly string[];
  let productId: string;

  beforeAll(async () => {
    sandbox = await serveHere(home);
    merchant = await silentFront(sandbox.url);
    payer = await fundedWallet(home, sandbox.flags);
    flags = ['--checkout-url', merchant.url, '--rpc-url', `${sandbox.url}/rpc`];
    productId = amazonProducts().fixed.product_id;
  }, SLOW_MS);
  afterAll(async () => {
    merchant.close();
    await sandbox.stop();
  });

  it.each<Mood>(['keeps the payment', 'settles in silence'])(
    '%s: exit 9 within --timeout, and resume finishes it with the same payment',
    { timeout: SLOW_MS },
    async (mood) => {
      const paidBefore = await ledgerAt(`${sandbox.url}/rpc`).payments(payer);
      const heardBefore = merchant.unanswered();
      merchant.mood = mood;
      const key = ['--idempotency-key', mood.replaceAll(' ', '-')];
      const words = [...key, '--timeout', '1s', ...flags, '--json'];
      const left = await home.run(orderOf(productId, words));
      expect([left.status, left.stdout]).toEqual([9, '']);
      const { error } = JSON.parse(left.stderr);
      expect(error).toMatchObject({ code: 'OUTCOME_UNKNOWN', funds_at_risk: 'possible' });
      expect(error.hint).toContain(`scrip orders resume ${error.details.intent_id}`);
      expect(merchant.unanswered() - heardBefore).toBe(1);

      merchant.mood = 'answers';
      const [finished] = await home.json<OrderDocument[]>([
        ...['orders', 'resume', error.details.intent_id, ...flags],
      ]);
      expect(finished).toMatchObject({
        status: 'completed',
        deliveries: [{ voucher_code: expect.stringMatching(/^TEST-/) }],
      });
      const paid = await ledgerAt(`${sandbox.url}/rpc`).payments(payer);
      expect(paid).toEqual([finished?.transaction, ...paidBefore]);
    },
  );

  it('never answers a question at all: exit 9 for the resume as well, and nothing is signed anew', {
    timeout: SLOW_MS,
  }, async () => {
    const paidBefore = await ledgerAt(`${sandbox.url}/rpc`).payments(payer);
    merchant.mood = 'keeps the payment';
    const words = ['--idempotency-key', 'silent', '--timeout', '1s', ...flags, '--json'];
    expect((await home.run(orderOf(productId, words))).status).toBe(9);
    const resumed = await home.run(['orders', 'resume', '--timeout', '1s', ...flags, '--json']);
    expect(resumed.status).toBe(9);
    expect(JSON.parse(resumed.stdout)).toMatchObject([{ status: 'unknown' }]);
    expect(await ledgerAt(`${sandbox.url}/rpc`).payments(payer)).toEqual(paidBefore);
  });
});
