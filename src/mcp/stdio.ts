/** MCP over standard input and output: one client, until it closes our input. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { createToolServer, type ToolServerOptions } from './server.ts';

type Streams = ConstructorParameters<typeof StdioServerTransport>;

export interface StdioOptions extends Omit<ToolServerOptions, 'ended'> {
  readonly input: NonNullable<Streams[0]>;
  readonly output: NonNullable<Streams[1]>;
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
  const transport = new StdioServerTransport(input, output);
  const server = createToolServer({ ...options, ended: gone.signal });
  const answered = countCalls(transport);
  // The SDK drops such a line: its client would wait for an answer without end.
  transport.onerror = (error) => {
    const refusal = refusalOf(error);
    if (refusal !== undefined) output.write(refusal);
  };
  endLastLine(input);
  await server.connect(transport);
  await inputEnd(input, interrupted);
  // A client that has left cannot answer questions to its user; the calls it made are still completed.
  gone.abort();
  if (!interrupted.aborted) await answered();
  await server.close();
}

/** The answer to a line that is no message; JSON-RPC 2.0: its id is null where none can be read. */
function refusalOf(error: Error): string | undefined {
  const isJson = error.name.endsWith('ZodError');
  if (!isJson && !(error instanceof SyntaxError)) return undefined;
  const [code, message] = isJson
    ? [-32600, 'Invalid Request: the line is not one JSON-RPC message']
    : [-32700, 'Parse error: the line is not JSON'];
  return `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`;
}

/** A last line without its end is read, and answered, as any other. */
function endLastLine(input: StdioOptions['input']): void {
  let isCut = false;
  input.on('data', (chunk: Buffer | string) => {
    const last = chunk.at(-1);
    isCut = last !== NEWLINE && last !== '\n';
  });
  input.once('end', () => {
    if (isCut) input.emit('data', Buffer.from('\n'));
  });
}

const NEWLINE = 10;

function inputEnd(input: StdioOptions['input'], interrupted: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    input.once('end', end);
    input.once('close', end);
    input.once('error', end);
    if (interrupted.aborted) end();
    else interrupted.addEventListener('abort', end, { once: true });
  });
}

/** Counts the client's requests; what it gives resolves once each has its response. */
function countCalls(transport: StdioServerTransport): () => Promise<void> {
  const open = new Set<string | number>();
  let notify: () => void = () => undefined;
  const close = (id: string | number | undefined): void => {
    if (id !== undefined) open.delete(id);
    if (open.size === 0) notify();
  };
  const send = transport.send.bind(transport);
  // The SDK's server keeps this handler and calls it before its own.
  transport.onmessage = (message) => {
    if (isRequest(message)) open.add(message.id);
    close(canceledId(message));
  };
  transport.send = async (message) => {
    await send(message);
    if (!('method' in message)) close(message.id);
  };
  return () =>
    new Promise((resolve) => {
      notify = resolve;
      close(undefined);
    });
}

function isRequest(message: JSONRPCMessage): message is JSONRPCMessage & { id: string | number } {
  return 'method' in message && 'id' in message;
}

/** The server sends no response to a canceled request. */
function canceledId(message: JSONRPCMessage): string | number | undefined {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params?.requestId;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}
