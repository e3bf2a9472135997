/** `scrip mcp --http`: loopback alone, and a token where money or codes can be had. */
import type { ChildProcess } from 'node:child_process';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { AGENT_USER_AGENT } from '../../src/contract/agent.ts';
import { makeHome } from '../support/cli.ts';
import { jsonOf, orderBody } from '../support/partner-sandbox.ts';
import { message, type RpcReply } from '../support/tool-world.ts';

interface Served {
  readonly url: string;
  readonly authorization?: string;
}

const home = makeHome();
const running: ChildProcess[] = [];
afterEach(async () => {
  for (const child of running.splice(0)) {
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    await ended;
  }
});

function serve(args: readonly string[] = []): Promise<Served> {
  const child = home.start(['mcp', '--http', '--port', '0', '--json', ...args]);
  running.push(child);
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('\n')) resolve(JSON.parse(said));
    });
    child.once('close', () => reject(new Error(said)));
  });
}

const ask = (
  url: string,
  headers: Record<string, string> = {},
  body: string = message('tools/list'),
) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'User-Agent': AGENT_USER_AGENT,
      ...headers,
    },
    body,
  });

describe('the server', () => {
  it('is on loopback, and answers at both paths', async () => {
    const { url, authorization } = await serve();
    expect([new URL(url).hostname, authorization]).toEqual(['127.0.0.1', undefined]);
    for (const path of [url, `${url}/http`]) {
      expect((await jsonOf<RpcReply>(await ask(path))).result.tools).toHaveLength(10);
    }
  });

  it('has the same checks as the service', async () => {
    const { url } = await serve();
    expect((await ask(url, { Origin: 'https://evil.example' })).status).toBe(403);
    expect((await ask(new URL('/other', url).href)).status).toBe(404);
  });

  it('wants its token where it tells codes', async () => {
    const { url, authorization = '' } = await serve(['--reveal-codes']);
    expect(authorization).toMatch(/^Bearer [0-9a-f]{64}$/);
    expect((await ask(url)).status).toBe(401);
    expect((await ask(`${url}/http`, { Authorization: 'Bearer ' })).status).toBe(401);
    expect((await ask(url, { Authorization: authorization })).status).toBe(200);
  });

  it.each([
    [['mcp', '--reveal-codes']],
    [['mcp', '--reveal-codes', '--http', '--port', '0']],
    [['mcp', 'install', 'cursor', '--reveal-codes', '--yes']],
  ])('tells no codes under a policy that says mcp.revealCodes false: %j', async (words) => {
    const kept = makeHome();
    await kept.json(['policy', 'set', 'mcp.revealCodes', 'false']);
    const refused = await kept.run([...words, '--json'], { input: '' });
    expect([refused.status, refused.stdout]).toEqual([6, '']);
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      code: 'POLICY_REFUSED',
      funds_at_risk: 'none',
      hint: expect.stringContaining('scrip policy set mcp.revealCodes true'),
      details: { rule: 'mcp.revealCodes' },
    });
    expect((await kept.run(['mcp'], { input: '' })).status).toBe(0);
  });

  it('wants its token where it may pay, and pays no order of others', async () => {
    const { url, authorization = '' } = await serve(['--allow-pay']);
    expect((await ask(url)).status).toBe(401);
    expect((await ask(url, { Authorization: `${authorization}0` })).status).toBe(401);
    const listed = await jsonOf<RpcReply>(await ask(url, { Authorization: authorization }));
    expect(listed.result.tools).toHaveLength(11);
    const args = { order_id: crypto.randomUUID(), max_amount: '1' };
    const body = message('tools/call', { name: 'payOrder', arguments: args });
    const refused = await jsonOf<RpcReply>(await ask(url, { Authorization: authorization }, body));
    expect(refused.result.content[0]?.text).toContain('"WALLET_MISSING"');
  });
});

it('one answer that comes twice at once pays once, and pays no more when it comes again', async () => {
  await home.json(['wallet', 'new']).catch(() => undefined);
  await home.json(['wallet', 'fund']);
  const { url, authorization = '' } = await serve(['--allow-pay']);
  const call = async (name: string, args: object, more: object = {}) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const headers = {
      Authorization: authorization,
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    };
    const body = message('tools/call', { name, arguments: args, ...more, _meta });
    // biome-ignore lint/suspicious/noExplicitAny: results of many shapes.
    return (await jsonOf<{ result: any }>(await ask(url, headers, body))).result;
  };
  const usdc = async () => Number((await home.json<{ usdc: string }>(['wallet', 'balance'])).usdc);
  const user = { email: 'once@example.com' };
  const made = await call('createOrder', { ...orderBody(), user });
  const { order_id } = made.structuredContent.result;
  const before = await usdc();
  const args = { order_id, max_amount: '26' };
  const { requestState } = await call('payOrder', args);
  const inputResponses = { form: { action: 'accept', content: { pay: true } } };
  const yes = () => call('payOrder', args, { requestState, inputResponses });
  const answers = [...(await Promise.all([yes(), yes()])), await yes()];
  const transactions = answers.flatMap(
    ({ structuredContent }) => structuredContent?.result.transactions ?? [],
  );
  expect(new Set(transactions).size).toBe(1);
  expect(before - (await usdc())).toBeCloseTo(25.25);
});

it('over HTTP the user is asked on the stream of the call, and may decline', async () => {
  const { url, authorization = '' } = await serve(['--allow-pay']);
  await home.json(['wallet', 'new']).catch(() => undefined);
  await home.json(['wallet', 'fund']);
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { elicitation: {} } },
  );
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    asked.push(params.message);
    return { action: 'decline' };
  });
  const headers = { Authorization: authorization, 'User-Agent': AGENT_USER_AGENT };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  const made = await client.callTool({ name: 'createOrder', arguments: orderBody() });
  const { order_id } = Object(made.structuredContent).result;
  const paid = await client.callTool({
    name: 'payOrder',
    arguments: { order_id, max_amount: '26' },
  });
  expect(JSON.stringify(paid.content)).toContain('DECLINED');
  expect(asked).toEqual([expect.stringContaining('25.25 USDC')]);
  await client.close();
});
