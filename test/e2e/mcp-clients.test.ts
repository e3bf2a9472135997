/** Clients of agents as they are in the wild: any name, no session, odd arguments, small contexts. */
import type { ChildProcess } from 'node:child_process';
import type { IncomingHttpHeaders } from 'node:http';
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewHttpTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdioTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StdioClientTransport,
  type StdioServerParameters,
} from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as OldClient } from 'mcp-sdk-2025-06-18/client/index.js';
import { StdioClientTransport as OldStdioTransport } from 'mcp-sdk-2025-06-18/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from 'mcp-sdk-2025-06-18/client/streamableHttp.js';
import { afterAll, describe, expect, it } from 'vitest';
import { hostThat } from '../support/at-end.ts';
import { makeHome, SCRIP } from '../support/cli.ts';
import { jsonOf, orderBody } from '../support/partner-sandbox.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { complaint, INITIALIZE, message } from '../support/tool-world.ts';

const BOTH = 'application/json, text/event-stream';
/** What a model is given at most by default: both copies of a result, with some room. */
const MOST_BYTES = 24 * 1024;

interface Page {
  readonly shown: number;
  readonly total: number;
  readonly next_cursor?: string;
  readonly note: string;
}

interface Reply {
  readonly error?: unknown;
  readonly result: {
    readonly protocolVersion?: string;
    readonly tools: readonly { readonly name: string; readonly outputSchema: { type: 'object' } }[];
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
    // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, read by tests.
    readonly structuredContent: { readonly result: any; readonly page?: Page };
  };
}

const home = makeHome();
const shop = await serveSandbox(home);
const local = home.start(['mcp', '--http', '--port', '0', '--json', ...shop.flags]);
const localUrl = (await firstLine(local)).url;
afterAll(() => local.kill('SIGTERM'));

function firstLine(child: ChildProcess): Promise<{ readonly url: string }> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('\n')) resolve(JSON.parse(said));
    });
    child.once('close', () => reject(new Error(said)));
  });
}

/** One POST as a client without a session sends it; node calls itself "node". */
const post = (url: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: BOTH, ...headers },
    body,
  });

const SERVERS: readonly (readonly [name: string, url: () => string])[] = [
  ['the service', () => `${shop.url}/mcp`],
  ['scrip mcp --http', () => localUrl],
];

describe.each(SERVERS)('%s', (_name, url) => {
  const ask = async (method: string, params?: unknown): Promise<Reply> =>
    jsonOf<Reply>(await post(url(), message(method, params)));
  const call = async (name: string, args: unknown = {}) =>
    (await ask('tools/call', { name, arguments: args })).result;
  const resultOf = async (name: string, args?: unknown) => {
    const { isError, content, structuredContent } = await call(name, args);
    expect([name, isError ?? false, isError ? content[0]?.text : '']).toEqual([name, false, '']);
    return structuredContent;
  };

  it('answers a client that reads events alone with an event', async () => {
    const reply = await post(url(), message('tools/list'), { Accept: 'text/event-stream' });
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
    expect(await reply.text()).toContain('"name":"listBrands"');
  });

  it.each(['2025-06-18', '2025-11-25'])(
    'speaks %s, with a session and without',
    async (version) => {
      const hello = INITIALIZE.replace('2025-06-18', version);
      const opened = await post(url(), hello, { Accept: '*/*' });
      const session = opened.headers.get('Mcp-Session-Id') ?? '';
      expect(await opened.text()).toContain(`"protocolVersion":"${version}"`);
      const headers = { 'MCP-Protocol-Version': version };
      const within = { ...headers, 'Mcp-Session-Id': session };
      for (const sent of [headers, within, { ...within, Accept: 'application/json' }]) {
        const reply = await post(url(), message('tools/list'), sent);
        expect([reply.status, await reply.text()]).toEqual([
          200,
          expect.stringContaining('"name":"listBrands"'),
        ]);
      }
    },
  );

  it('takes lang, a wrapped body, and answers that are no text in the guided purchase', async () => {
    const { result: first } = await resultOf('purchaseElicitation', { body: { lang: 'es' } });
    expect(first).toMatchObject({ status: 'continue' });
    const { session_token } = first;
    const say = (args: object) => resultOf('purchaseElicitation', args);
    await say({ body: JSON.stringify({ session_token, answer: 'giftcard' }) });
    await say({ body: { session_token, answer: 'US' }, lang: 'es' });
    await say({ session_token, answer: 'Amazon.com', action: null });
    const paid = await say({ session_token, answer: 25 });
    expect(paid.result).toMatchObject({ status: 'continue' });
    expect(JSON.stringify(paid.result.previous_answers)).toContain('25 USD');
    for (const answer of ['friend@example.com', 'USDC', 'Solana', 'me@example.com']) {
      await say({ session_token, answer });
    }
    const { result } = await say({ session_token, answer: true });
    expect(result).toMatchObject({ status: 'complete' });
  });

  it('takes a body that is wrapped, and numbers and objects that came as text', async () => {
    const wrapped = await resultOf('validateOrder', { body: orderBody() });
    expect(wrapped.result.coin).toBe('USDC');
    const { payment, deliveries, ...rest } = orderBody();
    const asText = { ...rest, payment: JSON.stringify(payment), deliveries };
    expect((await resultOf('validateOrder', asText)).result).toEqual(wrapped.result);
    expect((await resultOf('searchProducts', { country_code: 'us', q: 7 })).page).toBeDefined();
    const refused = await call('listBrands', { country_code: 'us', body: { country_code: 'mx' } });
    expect(refused.content[0]?.text).toContain('body');
  });

  it.each<[string, object]>([
    ['listBrands', { country_code: 'US' }],
    ['listProductsForCountry', { country_code: 'US', coin: 'USDC' }],
    ['listProductsForCountry', { country_code: 'US', details: true }],
    ['searchProducts', { country_code: 'US', q: 'a' }],
    ['getPaymentViasWithCurrencies', {}],
    ['getCurrencies', {}],
  ])('tells no more of %s %j than a model can read', async (name, args) => {
    const tools = (await ask('tools/list')).result.tools;
    const reply = await post(url(), message('tools/call', { name, arguments: args }));
    const text = await reply.text();
    expect(text.length).toBeLessThan(MOST_BYTES);
    const { structuredContent } = (JSON.parse(text) as Reply).result;
    const { outputSchema = { type: 'object' as const } } =
      tools.find((one) => one.name === name) ?? {};
    expect(complaint(outputSchema, structuredContent)).toBeUndefined();
  });

  it('gives the whole list page by page, each row once', async () => {
    const all: { readonly all_brands: readonly { readonly brand_id: string }[] } = await jsonOf(
      await fetch(`${shop.url}/v2/brands?country_code=MX`, {
        headers: { 'X-Cr-Application': 'test', 'X-Cr-Version': '1', 'X-Country-ISO-Code': 'MX' },
      }),
    );
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const args = { country_code: 'MX', limit: 500, details: true, ...(cursor && { cursor }) };
      const { result, page } = await resultOf('listBrands', args);
      seen.push(...result.all_brands.map(({ brand_id }: { brand_id: string }) => brand_id));
      expect(page?.total).toBe(all.all_brands.length);
      cursor = page?.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(all.all_brands.map(({ brand_id }) => brand_id));
  });

  it('says how to get the rest, and finds within a list', async () => {
    const { result, page } = await resultOf('listBrands', { country_code: 'US', limit: 3 });
    expect(result.all_brands).toHaveLength(3);
    expect(page).toMatchObject({ shown: 3, next_cursor: '3' });
    expect(page?.note).toContain('listBrands again with cursor "3"');
    const found = await resultOf('listBrands', { country_code: 'US', search: 'amazon' });
    expect(JSON.stringify(found.result)).toContain('Amazon.com');
    expect(found.page?.total).toBeLessThan(page?.total ?? 0);
    const products = { country_code: 'US', brand_name: 'Amazon.com', coin: 'USDC', limit: '2' };
    const two = await resultOf('listProductsForCountry', products);
    expect(two.result.flatMap(({ products: some }: { products: object[] }) => some)).toHaveLength(
      2,
    );
    const rest = await resultOf('listProductsForCountry', { ...products, limit: 9, cursor: 2 });
    expect(rest.page?.total).toBe(two.page?.total);
    expect(JSON.stringify(rest.result)).toContain('"coin_amount"');
    expect((await call('listBrands', { country_code: 'US', cursor: 'x' })).isError).toBe(true);
  });
});

interface SdkClient {
  readonly client: Pick<Client, 'listTools' | 'callTool' | 'close'>;
  readonly revision: string | undefined;
}

const newClient = () =>
  new NewClient(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );

/** The official SDK's clients of three revisions, each as its README has it. */
const SDKS: readonly (readonly [
  revision: string,
  stdio: (server: StdioServerParameters) => Promise<SdkClient>,
  http: (url: URL) => Promise<SdkClient>,
])[] = [
  [
    '2025-06-18',
    async (server) => {
      const client = new OldClient({ name: 'test', version: '1.0.0' });
      await client.connect(new OldStdioTransport(server));
      return { client: client as never, revision: undefined };
    },
    async (url) => {
      const client = new OldClient({ name: 'test', version: '1.0.0' });
      const transport = new OldHttpTransport(url);
      await client.connect(transport as never);
      return { client: client as never, revision: transport.protocolVersion };
    },
  ],
  [
    '2025-11-25',
    async (server) => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(new StdioClientTransport(server));
      return { client, revision: undefined };
    },
    async (url) => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      const transport = new StreamableHTTPClientTransport(url);
      await client.connect(transport as never);
      return { client, revision: transport.protocolVersion };
    },
  ],
  [
    '2026-07-28',
    async (server) => {
      const client = newClient();
      await client.connect(new NewStdioTransport(server));
      return { client: client as never, revision: client.getNegotiatedProtocolVersion() };
    },
    async (url) => {
      const client = newClient();
      await client.connect(new NewHttpTransport(url));
      return { client: client as never, revision: client.getNegotiatedProtocolVersion() };
    },
  ],
];

describe.each(SDKS)('the client of %s', (revision, stdio, http) => {
  const [command = '', ...first] = SCRIP;
  const overStdio = () => {
    const env = { PATH: process.env.PATH ?? '', HOME: home.dir };
    return stdio({ command, args: [...first, 'mcp', ...shop.flags], env });
  };

  it.each<readonly [string, () => Promise<SdkClient>]>([
    ['stdio', overStdio],
    ['HTTP, of the service', () => http(new URL(`${shop.url}/mcp`))],
    ['HTTP, of scrip mcp --http', () => http(new URL(localUrl))],
  ])('lists and calls tools over %s', async (_name, open) => {
    const { client, revision: agreed = revision } = await open();
    expect(agreed).toBe(revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('listBrands');
    const args = { country_code: 'US', search: 'amazon' };
    const found = await client.callTool({ name: 'listBrands', arguments: args });
    expect([found.isError ?? false, JSON.stringify(found.structuredContent)]).toEqual([
      false,
      expect.stringContaining('Amazon.com'),
    ]);
    await client.close();
  });
});

describe('a guided purchase elsewhere', async () => {
  const heard: IncomingHttpHeaders[] = [];
  const url = await hostThat((request, response) => {
    heard.push(request.headers);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ status: 'error', error: 'closed', fix: 'come back' }));
  });

  it.each([
    ['scrip-agent/1', []],
    ['scrip-agent/1', ['--agent-user-agent', '*']],
    ['our-agents/7', ['--agent-user-agent', 'our-agents/7']],
  ])('is asked as %s with %j', async (name, flags) => {
    const lines = [
      INITIALIZE,
      message('notifications/initialized', undefined, null),
      message('tools/call', { name: 'purchaseElicitation', arguments: {} }, 2),
    ];
    const input = `${lines.join('\n')}\n`;
    const { stdout } = await home.run(['mcp', '--mcp-url', url, ...flags], { input });
    expect(stdout).toContain('closed');
    expect(heard.at(-1)?.['user-agent']).toBe(name);
  });
});
