/**
 * A program that buys through the partner API by itself: one key for the creation, one signed transfer, one stream
 * that is taken up again where it broke.
 */

import { randomUUID } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { parseDecimal } from '../../src/domain/money/money.ts';
import { systemClock } from '../../src/net/clock.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { AMAZON_25, HEADERS, orderBody } from '../support/partner-sandbox.ts';
import { tagOf } from '../support/rails.ts';

export interface ProgramReport {
  readonly orderId: string;
  readonly vouchers: readonly string[];
  /** Events of the stream in the order in which they came. */
  readonly seqs: readonly number[];
  /** Times that the stream was opened. */
  readonly streams: number;
  /** Calls that had to be made again. */
  readonly repeats: number;
}

export interface ProgramOptions {
  readonly baseUrl: string;
  readonly email: string;
  readonly seed: Uint8Array;
  readonly notificationUrl: string;
}

const AGAIN_MS = 200;
/** The payment window of an order. */
const PATIENCE_MS = 15 * 60_000;

/** @throws {Error} when a call is refused, or the order has not ended in time */
export async function buyAsProgram(options: ProgramOptions): Promise<ProgramReport> {
  const { baseUrl, email, seed, notificationUrl } = options;
  const untilMs = Date.now() + PATIENCE_MS;
  const calls = { repeats: 0 };
  const again = async <T>(attempt: () => Promise<T | undefined>): Promise<T> => {
    for (;;) {
      const result = await attempt().catch((error: unknown) => {
        if (error instanceof Refused || Date.now() > untilMs) throw error;
        return undefined;
      });
      if (result !== undefined) return result;
      if (Date.now() > untilMs) throw new Error(`${email}: not in time`);
      calls.repeats += 1;
      await pause(AGAIN_MS);
    }
  };
  const body = JSON.stringify(
    orderBody({
      user: { email },
      deliveries: [{ ...AMAZON_25, beneficiary_account: email }],
      state_transition_notification_url: notificationUrl,
    }),
  );
  const key = { 'Idempotency-Key': randomUUID() };
  const made = await again(() => readOrder(`${baseUrl}/v5/orders`, { method: 'POST', key, body }));
  const following = follow(`${baseUrl}/v5/orders/${made.order_id}/subscribe`, again);

  const rpc = createSolanaRpc({
    url: `${baseUrl}/rpc`,
    fetch: createHttpFetch({}),
    clock: systemClock,
  });
  const rail = createSolanaPayer({ rpc, network: SOLANA_MAINNET, mint: USDC_MINT });
  const asset = rail.asset({ coin: 'USDC', network: 'Solana' });
  const { wallet_address: payTo, coin_amount: amount } = made;
  if (!asset || !payTo || !amount) throw new Refused(`${email}: nothing to pay to`);
  const payment = await again(() =>
    rail.sign({
      ...{ signer: signerFromSeed(seed), payTo, asset, tag: tagOf(0), mayOpenAccount: false },
      way: 'direct',
      amountAtomic: parseDecimal(amount, asset.decimals),
    }),
  );
  // The same bytes each time: they land once.
  await again(async () => {
    await rail.send(payment);
    return true;
  });
  const { seqs, streams } = await following;
  const order = await again(() => readOrder(`${baseUrl}/v5/orders/${made.order_id}`, {}));
  return {
    orderId: order.order_id,
    vouchers: (order.deliveries ?? []).flatMap(({ deliverable }) => deliverable.pin_code ?? []),
    ...{ seqs, streams, repeats: calls.repeats },
  };
}

/** An answer that would be the same again. */
class Refused extends Error {}

interface Sent {
  readonly method?: string;
  readonly key?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Each call has a connection of its own, so that the balancer gives it to the next server. */
function call(url: string, { method = 'GET', key = {}, body }: Sent): Promise<IncomingMessage> {
  const headers = { ...HEADERS, 'content-type': 'application/json', ...key };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, agent: false, headers }, resolve);
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

async function readOrder(url: string, sent: Sent): Promise<WirePartnerOrder | undefined> {
  const reply = await call(url, sent);
  const read = await text(reply);
  const { statusCode = 0 } = reply;
  if (statusCode === 200) return JSON.parse(read) as WirePartnerOrder;
  if (statusCode >= 400 && statusCode < 500) throw new Refused(`${statusCode}: ${read}`);
  return undefined;
}

/** Reads the stream to its end, from the last event on whenever it breaks. */
async function follow(
  url: string,
  again: <T>(attempt: () => Promise<T | undefined>) => Promise<T>,
): Promise<Pick<ProgramReport, 'seqs' | 'streams'>> {
  const seqs: number[] = [];
  let streams = 0;
  await again(async () => {
    streams += 1;
    const last = seqs.at(-1);
    const key = last === undefined ? {} : { 'Last-Event-ID': String(last) };
    const reply = await call(url, { key });
    if (reply.statusCode !== 200) {
      reply.resume();
      return undefined;
    }
    let unread = '';
    for await (const chunk of reply.setEncoding('utf8')) {
      unread += chunk;
      const blocks = unread.split('\n\n');
      unread = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.includes('event: stop')) return true;
        const id = /^id: (\d+)$/m.exec(block)?.[1];
        if (id !== undefined && /^data:/m.test(block)) seqs.push(Number(id));
      }
    }
    return undefined;
  });
  return { seqs, streams };
}
