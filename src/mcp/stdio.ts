/** MCP over standard input and output: one client, until it closes our input. */
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import { parseJson } from '../domain/attempt.ts';
import { createToolServer, type ToolServerOptions } from './server.ts';

export interface StdioOptions extends Omit<ToolServerOptions, 'ended'> {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Aborts when the user interrupts this process. */
  readonly interrupted: AbortSignal;
}

/** Serves one client; resolves when its input has ended and every call has its response. */
export async function serveStdio({
  input,
  output,
  interrupted,
  ...options
}: StdioOptions): Promise<void> {
  const gone = new AbortController();
  const lines = createLines(input, output);
  interrupted.addEventListener('abort', lines.end, { once: true });
  if (interrupted.aborted) lines.end();
  const { transport } = lines;
  const server = serve(() => createToolServer({ ...options, ended: gone.signal }), { transport });
  await lines.ended;
  // A client that has left cannot answer questions to its user; the calls it made are still completed.
  gone.abort();
  if (!interrupted.aborted) await lines.answered();
  await server.close();
}

/** Ours: a line that is longer ends the connection, as the SDK's own transport does. */
const MAX_LINE = 10 * 1024 * 1024;

/**
 * The SDK's transport drops a line that is no message, so that its client would wait without end, a last line
 * without its end, and the calls that are open when the input ends. This one answers all of them.
 */
function createLines(input: NodeJS.ReadableStream, output: NodeJS.WritableStream) {
  const decoder = new TextDecoder();
  const calls = createCalls();
  const over = new AbortController();
  const end = (): void => over.abort();
  let rest = '';
  const write = (message: object): Promise<void> =>
    new Promise((resolve) => output.write(`${JSON.stringify(message)}\n`, () => resolve()));
  const read = (line: string): void => {
    if (line.trim() === '') return;
    const json = parseJson(line);
    if (json === undefined) return void write(PARSE_ERROR);
    if (!isMessage(json)) return void write(INVALID_REQUEST);
    calls.received(json);
    transport.onmessage?.(json);
  };
  const transport: Transport = {
    async start() {
      input.on('data', (chunk: Buffer) => {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        lines.forEach(read);
        if (rest.length > MAX_LINE) end();
      });
      input.once('end', () => {
        read(rest);
        end();
      });
      input.once('close', end);
      input.once('error', end);
    },
    async send(message) {
      await write(message);
      calls.sent(message);
    },
    close: async () => transport.onclose?.(),
  };
  const ended = new Promise<void>((resolve) => {
    over.signal.addEventListener('abort', () => resolve());
  });
  return { transport, end, ended, answered: calls.answered };
}

function isMessage(json: unknown): json is JSONRPCMessage {
  return isJSONRPCRequest(json) || isJSONRPCNotification(json) || isJSONRPCResponse(json);
}

const refusal = (code: number, message: string) => ({
  jsonrpc: '2.0',
  // JSON-RPC 2.0: null where no id can be read.
  id: null,
  error: { code, message },
});
const PARSE_ERROR = refusal(-32700, 'Parse error: the line is not JSON');
const INVALID_REQUEST = refusal(-32600, 'Invalid Request: the line is not one JSON-RPC message');

/** Counts the client's requests. */
function createCalls() {
  const open = new Set<unknown>();
  let notify: () => void = () => undefined;
  const close = (id: unknown): void => {
    open.delete(id);
    if (open.size === 0) notify();
  };
  return {
    received(message: JSONRPCMessage): void {
      if (isJSONRPCRequest(message)) open.add(message.id);
      // The server sends no response to a canceled request.
      if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
        close(message.params?.requestId);
      }
    },
    sent(message: JSONRPCMessage): void {
      if (!('method' in message)) close(message.id);
    },
    /** Resolves once each request has its response. */
    answered: () =>
      new Promise<void>((resolve) => {
        notify = resolve;
        close(undefined);
      }),
  };
}
