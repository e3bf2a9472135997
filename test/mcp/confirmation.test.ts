/** The question before a payment, over the SDK's own client and server, on a clock of the test. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import type { PaidOrder } from '../../src/api/tool-backend.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { localServer } from '../../src/mcp/local-tools.ts';
import { createToolServer } from '../../src/mcp/server.ts';
import { atEnd } from '../support/at-end.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { backendOver } from '../support/tool-world.ts';

const ORDER_ID = '6f1f2f0e-5a0b-4f6e-9c39-0d2f4c1b7a10';
const PAID: PaidOrder = {
  order: {
    order_id: ORDER_ID,
    created_at: 1,
    payment_state: 'PaymentReceived',
    order_state: 'Done',
    is_payment_processor_external: false,
  },
  transactions: ['sig'],
};

type Answerer = (message: string) => Promise<ElicitResult>;

interface Asking {
  readonly clock: ManualClock;
  /** What `payOrder` says in the end. */
  readonly said: Promise<string>;
  /** How often the wallet was reached. */
  readonly paid: () => number;
  /** Methods of what the server sent. */
  readonly sent: readonly string[];
}

/** A client that calls `payOrder`, and whose user is given the form. */
async function ask(answerer: Answerer, refundsTo?: string): Promise<Asking> {
  const clock = manualClock();
  const state = { paid: 0 };
  const wire = backendOver(async () => new Response(null, { status: 404 }));
  const { order } = PAID;
  const offer = { order, amountAtomic: atomic(25_250_000n), decimals: 6, openingCost: null };
  const backend = {
    ...wire,
    local: {
      make: async () => order,
      keepPurchase: async () => undefined,
      placed: (text: string) => text,
      keepEnd: async () => [],
      mayPayAlone: async () => false,
      approve: () => Promise.reject(new Error('nobody waits for an approval')),
      pay: async (_: string, agree: (asked: typeof shown) => Promise<void>) => {
        await agree(shown);
        state.paid += 1;
        return PAID;
      },
    },
  };
  const shown = { ...offer, coin: 'USDC', network: 'Solana', payTo: 'Recipient', refundsTo };
  const stateKey = new Uint8Array(32);
  const options = { backend, version: '1.2.3', stateKey, mayPay: true, areCodesShown: false };
  const server = createToolServer({ ...localServer(options), clock });
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { elicitation: {} } },
  );
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerer(params.message));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const sent: string[] = [];
  near.onmessage = (message) => {
    if ('method' in message) sent.push(message.method);
  };
  await server.connect(far);
  await client.connect(near);
  atEnd(() => client.close());
  const args = { order_id: ORDER_ID, max_amount: '26' };
  const said = client
    .callTool({ name: 'payOrder', arguments: args })
    .then(({ content }) => JSON.stringify(content));
  return { clock, said, paid: () => state.paid, sent };
}

/** A form that lies there: tells when it came. */
function silentForm() {
  const events: { came?: () => void } = {};
  const came = new Promise<void>((resolve) => {
    events.came = resolve;
  });
  const answerer: Answerer = () => {
    events.came?.();
    return new Promise(() => undefined);
  };
  return { answerer, came };
}

describe('the question before a payment', () => {
  it('that nobody answers for 60 seconds is a no: the form is taken away, nothing is paid', async () => {
    const form = silentForm();
    const { clock, said, paid, sent } = await ask(form.answerer);
    await form.came;
    expect(clock.sleepers()).toBe(1);
    clock.advance(60_000);
    expect(await said).toContain('DECLINED');
    expect(sent).toEqual(['elicitation/create', 'notifications/cancelled']);
    expect(paid()).toBe(0);
  });

  it('is open until then: a yes after 59.999 seconds pays', async () => {
    const late: { answer?: (result: ElicitResult) => void } = {};
    const form = silentForm();
    const { clock, said, paid } = await ask((message) => {
      void form.answerer(message);
      return new Promise((resolve) => {
        late.answer = resolve;
      });
    });
    await form.came;
    clock.advance(59_999);
    expect(clock.sleepers()).toBe(1);
    late.answer?.({ action: 'accept', content: { pay: true } });
    expect(await said).toContain(ORDER_ID);
    expect([paid(), clock.sleepers()]).toEqual([1, 0]);
  });

  it.each([
    ['where the order names an address', 'MyWallet', 'Refunds to: MyWallet'],
    ['where it names none', undefined, 'Refunds to: the order has none'],
  ])('says where refunds go, %s', async (_, refundsTo, line) => {
    const asked: string[] = [];
    const { said } = await ask(async (message) => {
      asked.push(message);
      return { action: 'decline' };
    }, refundsTo);
    expect(await said).toContain('DECLINED');
    expect(asked).toEqual([expect.stringContaining(line)]);
  });
});
