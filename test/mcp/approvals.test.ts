/** A payment that waits for a person: an agent without forms, and `scrip approvals` at a terminal. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readApprovals, requireApproval } from '../../src/cli/agents/approvals.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { manualClock } from '../support/manual-clock.ts';
import { stdioClient, type ToolClient } from '../support/mcp-client.ts';
import { fundedWallet } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const orderFor = (email: string) => ({
  user: { email },
  payment: { type: 'via', payment_via: 'user_wallet', coin: 'USDC', network: 'Solana' },
  deliveries: [
    {
      denomination: '25 USD',
      brand_name: 'Amazon.com',
      country_code: 'US',
      beneficiary_account: 'friend@example.com',
    },
  ],
});

let home: Home;
let client: ToolClient;
beforeAll(async () => {
  home = makeHome();
  await fundedWallet(home);
  client = await stdioClient(home, ['--allow-pay']);
});
afterAll(() => client.close());

const made = async (email: string): Promise<string> =>
  (await client.call('createOrder', orderFor(email))).result.order_id;
const pay = (order_id: string, by = client) => by.call('payOrder', { order_id, max_amount: '26' });
const listed = () => home.json<{ order_id: string; state: string }[]>(['approvals']);

describe.skipIf(noTerminalBecause !== undefined)('at a terminal', () => {
  const answer = (id: string, keys: string) =>
    answering(openTerminal(['approvals', 'answer', id], home), ['Let the agent pay this?', keys]);

  it('an order is paid after a yes, once, also by another run of the server', async () => {
    const id = await made('one@example.com');
    const { error } = await pay(id);
    expect(error).toMatchObject({ code: 'CONFIRMATION_REQUIRED', funds_at_risk: 'none' });
    expect(error.hint).toContain(`scrip approvals answer ${id}`);
    expect((await pay(id)).error.details).toEqual(error.details);
    expect(await listed()).toMatchObject([{ order_id: id, state: 'waiting' }]);
    // Until when it may be answered is on the screen, beside a question of any length.
    expect((await answering(openTerminal(['approvals'], home))).screen).toMatch(
      /waiting +\d{4}-\d\d-\d\d \d\d:\d\d\s/,
    );
    const { status, screen } = await answer(id, KEYS.yes);
    expect(status).toBe(0);
    for (const told of [
      'Pay 25.25 USDC',
      'Product: Amazon.com 25 USD',
      'For: friend@example.com',
      id.slice(0, 8),
    ]) {
      expect(screen).toContain(told);
    }
    const next = await stdioClient(home, ['--allow-pay']);
    const { result } = await pay(id, next);
    await next.close();
    expect(result.transactions).toHaveLength(1);
    expect(await listed()).toEqual([]);
  });

  it('a no is told to the agent, and stands', async () => {
    const id = await made('two@example.com');
    await pay(id);
    expect((await answer(id, KEYS.no)).status).toBe(0);
    for (let times = 0; times < 2; times += 1) {
      expect((await pay(id)).error).toMatchObject({ code: 'DECLINED', details: { order_id: id } });
    }
  });

  it('what stands beside the money is no escape to the terminal', async () => {
    const file = join(
      home.dir,
      '.local/state/scrip',
      readdirSync(join(home.dir, '.local/state/scrip')).find((one) => /^approvals/.test(one)) ?? '',
    );
    const [own] = JSON.parse(readFileSync(file, 'utf8'));
    const hostile = { ...own, order_id: 'x', question: 'Pay\u001b[2J 1 USDC', state: 'waiting' };
    writeFileSync(file, JSON.stringify([hostile]));
    expect((await answer('x', KEYS.no)).written).not.toContain('\u001b[2J 1');
  });
});

describe('off a terminal', () => {
  it('nobody approves', async () => {
    const id = await made('three@example.com');
    await pay(id);
    expect(await home.failure(['approvals', 'answer', id])).toMatchObject({
      code: 'TERMINAL_REQUIRED',
    });
    expect((await pay(id)).error.code).toBe('CONFIRMATION_REQUIRED');
  });
});

describe('the policy `auto`', () => {
  it('pays what it allows without a person, and asks above it', async () => {
    const [small, large] = [await made('four@example.com'), await made('five@example.com')];
    const { path } = await home.json<{ path: string }>(['policy', 'path']);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const write = (askAbove: string) =>
      writeFileSync(path, JSON.stringify({ mcp: { pay: 'auto', askAbove } }), { mode: 0o600 });
    write('25.24');
    expect((await pay(large)).error.code).toBe('CONFIRMATION_REQUIRED');
    write('25.25');
    expect((await pay(small)).result.transactions).toHaveLength(1);
  });
});

describe('an approval', () => {
  const question = { orderId: 'one', question: 'Pay 1 USDC?' };
  function fileOf(text?: string) {
    const state = { text };
    return {
      state,
      read: async () => state.text,
      replace: async (expected: string | undefined, next: string) => {
        expect(expected).toBe(state.text);
        state.text = next;
      },
    };
  }
  const answered = (file: ReturnType<typeof fileOf>, state: 'approved' | 'refused') => {
    const rows = JSON.parse(file.state.text ?? '[]') as object[];
    file.state.text = JSON.stringify(rows.map((row) => ({ ...row, state })));
  };

  it('is for the text that was shown, and for one payment', async () => {
    const [file, clock] = [fileOf(), manualClock()];
    const ask = (asked = question) => requireApproval(file, clock, asked);
    await expect(ask()).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
    answered(file, 'approved');
    const other = { ...question, question: 'Pay 2 USDC?' };
    await expect(ask(other)).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
    // The other terms took its place: they have to be approved themselves.
    await expect(ask()).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
    answered(file, 'approved');
    await ask();
    await expect(ask()).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
  });

  it('that comes too late is none', async () => {
    const [file, clock] = [fileOf(), manualClock()];
    await expect(requireApproval(file, clock, question)).rejects.toThrow();
    answered(file, 'approved');
    clock.advance(15 * 60_000);
    const late = requireApproval(file, clock, question);
    await expect(late).rejects.toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
    expect((await readApprovals(file, clock)).open).toMatchObject([{ state: 'waiting' }]);
  });

  it('waits beside at most nineteen others', async () => {
    const [file, clock] = [fileOf(), manualClock()];
    const codes = [];
    for (let at = 0; at < 21; at += 1) {
      const asked = requireApproval(file, clock, { ...question, orderId: String(at) });
      codes.push(await asked.catch(({ code }: { code: string }) => code));
    }
    expect(codes.slice(0, 20)).toEqual(Array(20).fill('CONFIRMATION_REQUIRED'));
    expect(codes[20]).toBe('DECLINED');
  });

  it('in a damaged file is none, and nothing is overwritten', async () => {
    const file = fileOf('{');
    const asked = requireApproval(file, manualClock(), question);
    await expect(asked).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
    expect(file.state.text).toBe('{');
  });
});
