/** Tool servers in this process: the service's own over a sandbox, and calls of single tools. */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { createToolBackend, type ToolBackend } from '../../src/api/tool-backend.ts';
import { AGENT_USER_AGENT } from '../../src/contract/agent.ts';
import type { Fetch } from '../../src/contract/fetch.ts';
import { RATE_LIMITS } from '../../src/domain/rate-limit.ts';
import type { ToolEndpoint } from '../../src/mcp/http.ts';
import { createServiceTools } from '../../src/mcp/service-tools.ts';
import type { ObjectSchema } from '../../src/mcp/slim-schema.ts';
import type { Tool, ToolResult } from '../../src/mcp/tools.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { APPLICATION, BASE, orderBody } from './partner-sandbox.ts';

export interface ToolWorld {
  readonly clock: ManualClock;
  readonly endpoint: ToolEndpoint;
  send(init?: SendInit): Promise<Response>;
}

interface SendInit {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  /** `null` leaves one of the usual headers out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly address?: string;
}

export const BOTH = 'application/json, text/event-stream';
const USUAL = {
  'Content-Type': 'application/json',
  Accept: BOTH,
  'User-Agent': AGENT_USER_AGENT,
  'X-Cr-Application': APPLICATION,
};

/** The service's tool server; requests come from one address of the documentation's range. */
export function toolWorld(
  sandbox: Pick<Sandbox, 'handle'>,
  userAgent?: string,
  maxSessions?: number,
): ToolWorld {
  const clock = manualClock();
  let opened = 0;
  const endpoint = createServiceTools({
    baseUrl: BASE,
    fetchFor: (address) => (url, init) => sandbox.handle(new Request(url, init), { address }),
    userAgent,
    maxSessions,
    rate: RATE_LIMITS.toolRequestsByAddress,
    clock,
    version: '1.2.3',
    random: (length) => {
      opened += 1;
      return new Uint8Array(length).map((_, at) => (at < 4 ? (opened >> (8 * at)) & 0xff : at));
    },
  });
  return {
    clock,
    endpoint,
    send: ({ method = 'POST', path = '/mcp', body, headers = {}, address = '192.0.2.1' } = {}) => {
      const given = Object.entries({ ...USUAL, ...headers }).flatMap(([name, value]) =>
        value === null ? [] : [[name, value] as [string, string]],
      );
      const init = { method, headers: given, ...(body === undefined ? {} : { body }) };
      return endpoint.handle(new Request(BASE + path, init), address);
    },
  };
}

/** @param id `null` for a notification, which is not answered */
export const message = (method: string, params?: unknown, id: number | null = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', ...(id === null ? {} : { id }), method, params });

/** The part of a JSON-RPC reply that tests look at. */
export interface RpcReply {
  readonly error?: { readonly code: number };
  readonly result: {
    readonly protocolVersion?: string;
    readonly tools?: readonly { readonly name: string }[];
    readonly isError?: boolean;
    readonly content: readonly { readonly text: string }[];
    readonly structuredContent: { readonly result: Readonly<Record<string, unknown>> };
  };
}

export const INITIALIZE = message('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1.0.0' },
});

const PLACE = { country_code: 'us', brand_name: 'Amazon.com' };

/** A good call of each tool; a tool that is added fails in tests until it has one. */
export const goodCalls = (order_id: string): Readonly<Record<string, object>> => ({
  purchaseElicitation: {},
  getCurrencies: {},
  listBrands: { country_code: 'us' },
  listProductsForCountry: { ...PLACE, coin: 'USDC' },
  getPaymentViasWithCurrencies: {},
  getProductPrice: { ...PLACE, face_value: 30, coin: 'USDC' },
  validateOrder: orderBody(),
  createOrder: orderBody(),
  getOrderStatus: { order_id },
  payOrder: { order_id, max_amount: '26' },
  searchProducts: { country_code: 'us', q: 'amazn' },
});

/** Opens a session; gives its id. */
export async function openSession(world: ToolWorld): Promise<string> {
  const reply = await world.send({ body: INITIALIZE });
  await reply.text();
  return reply.headers.get('Mcp-Session-Id') ?? '';
}

/** A backend that asks through a `Fetch`. */
export function backendOver(fetch: Fetch): ToolBackend {
  return createToolBackend({
    fetch,
    apiUrl: BASE,
    mcpUrl: BASE,
    applicationId: APPLICATION,
    version: '1.2.3',
    countryCode: 'us',
    clock: manualClock(),
  });
}

/** What one tool of a list gives, structured, where nobody can be asked. */
export function runWhole(
  tools: readonly Tool[],
  backend: ToolBackend,
  name: string,
  args: unknown,
): Promise<ToolResult> {
  const tool = toolOf(tools, name);
  const { signal } = new AbortController();
  const ask = async (): Promise<never> => {
    throw new Error('nobody is to be asked');
  };
  return tool.run(args, { backend, signal, ask, hasForms: true, report: () => undefined });
}

/** Its result alone. */
export async function runTool(...call: Parameters<typeof runWhole>): Promise<unknown> {
  return (await runWhole(...call)).result;
}

export function toolOf(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`there is no tool ${name}`);
  return tool;
}

/** What a JSON Schema has against a value; undefined when nothing. */
export function complaint(schema: ObjectSchema, value: unknown): string | undefined {
  const check = new AjvJsonSchemaValidator().getValidator(schema);
  return check(value).errorMessage;
}
