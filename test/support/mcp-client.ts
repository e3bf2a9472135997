/** The SDK's own client at the other end of `scrip mcp`, and what it is told. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { AGENT_USER_AGENT } from '../../src/contract/agent.ts';
import { atEnd } from './at-end.ts';
import { type Home, QUICK, SCRIP } from './cli.ts';

export interface ToolAnswer {
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, read by tests.
  readonly result: any;
  /** Of a failure. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly error: any;
  readonly text: string;
}

export interface ToolClient {
  readonly client: Client;
  /** Messages of the forms that were put to the user. */
  readonly asked: string[];
  call(name: string, args?: Record<string, unknown>): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export interface ToolServerTalk {
  readonly env?: Readonly<Record<string, string>>;
  /** Given what the server says on standard error. */
  readonly said?: (text: string) => void;
}

/** Starts `scrip mcp` in a home; without `answer` the client cannot ask its user. */
export async function stdioClient(
  home: Home,
  args: readonly string[] = [],
  answer?: () => ElicitResult,
  { env = {}, said }: ToolServerTalk = {},
): Promise<ToolClient> {
  const [command = '', ...first] = SCRIP;
  const transport = new StdioClientTransport({
    command,
    args: [...first, 'mcp', ...args],
    env: { PATH: process.env.PATH ?? '', HOME: home.dir, ...QUICK, ...env },
    cwd: home.dir,
    stderr: said === undefined ? 'inherit' : 'pipe',
  });
  transport.stderr?.on('data', (text: Buffer) => said?.(text.toString()));
  return connected(transport, answer);
}

/** A client of `scrip mcp --http`. */
export function httpClient(
  url: string,
  authorization: string,
  answer?: () => ElicitResult,
): Promise<ToolClient> {
  const headers = { Authorization: authorization, 'User-Agent': AGENT_USER_AGENT };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  return connected(transport, answer);
}

async function connected(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  answer: (() => ElicitResult) | undefined,
): Promise<ToolClient> {
  const asked: string[] = [];
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: answer ? { elicitation: {} } : {} },
  );
  if (answer) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params.message);
      return answer();
    });
  }
  await client.connect(transport);
  atEnd(() => client.close());
  // The client checks results against the schemas that were listed.
  await client.listTools();
  return {
    client,
    asked,
    call: async (name, given = {}) => answerOf(await client.callTool({ name, arguments: given })),
    close: () => client.close(),
  };
}

function answerOf({ content, structuredContent, isError }: Record<string, unknown>): ToolAnswer {
  const [first] = Array.isArray(content) ? content : [];
  const text: string = first?.text ?? '';
  const read = JSON.parse(text);
  // The text says the same as the structured content, for clients that know the text alone.
  if (isError !== true && JSON.stringify(structuredContent) !== text) throw new Error(text);
  return { isError: isError === true, result: read.result, error: read.error, text };
}
