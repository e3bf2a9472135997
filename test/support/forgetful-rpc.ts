/** A node that keeps little history: a proxy before the sandbox's JSON-RPC that says so of itself. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const FIRST_SLOT = 299_000_000;
/** Years before anything that a test does. */
const FIRST_SECONDS = 1_700_000_000;

export interface ForgetfulRpc {
  readonly url: string;
  close(): Promise<void>;
}

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/**
 * @param target address of the JSON-RPC that answers everything else
 * @param dropped ids of transactions that it does not list
 */
export async function forgetfulRpc(
  target: string,
  dropped: ReadonlySet<string> = new Set(),
): Promise<ForgetfulRpc> {
  const server = createServer((incoming, response) => {
    carry({ target, dropped }, incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

interface Node {
  readonly target: string;
  readonly dropped: ReadonlySet<string>;
}

async function carry(
  { target, dropped }: Node,
  incoming: IncomingMessage,
  response: ServerResponse,
) {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const call: Call = JSON.parse(body);
  const own = answerOf(call);
  response.writeHead(200, { 'content-type': 'application/json' });
  if (own !== undefined) {
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, result: own }));
    return;
  }
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(target, { method: 'POST', headers, body });
  const text = await reply.text();
  if (call.method !== 'getSignaturesForAddress') return void response.end(text);
  const { result, ...rest } = JSON.parse(text);
  const kept = result?.filter(({ signature }: { signature: string }) => !dropped.has(signature));
  response.end(JSON.stringify({ ...rest, result: kept }));
}

function answerOf({ method, params }: Call): number | undefined {
  if (method === 'getFirstAvailableBlock') return FIRST_SLOT;
  return method === 'getBlockTime' && params?.[0] === FIRST_SLOT ? FIRST_SECONDS : undefined;
}
