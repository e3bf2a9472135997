/** A host in front of the sandbox that answers in forms of its own: a test changes each JSON body, streamed ones too. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, changed by tests.
export type Reshape = (path: string, body: any, method: string) => unknown;

export interface ReshapingHost {
  readonly url: string;
  /** How bodies are changed from now on; a text is sent as it is. */
  answer(reshape: Reshape): void;
  close(): Promise<void>;
}

const PASSED_BACK = ['content-type', 'x-session-id', 'payment-response', 'payment-required'];

export async function openReshapingHost(honest: string): Promise<ReshapingHost> {
  let reshape: Reshape = (_path, body) => body;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = 'GET', url = '/', headers } = request;
    const passed = Object.entries(headers).filter(
      ([name]) =>
        ['content-type', 'accept', 'payment-signature'].includes(name) || /^x-/.test(name),
    );
    const reply = await fetch(honest + url, {
      method,
      headers: passed.map(([name, value]) => [name, String(value)]),
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    for (const name of PASSED_BACK) {
      const value = reply.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    const { pathname } = new URL(url, honest);
    const reshaped = (text: string): string => {
      const body = reshape(pathname, bodyOf(text), method);
      return typeof body === 'string' ? body : JSON.stringify(body);
    };
    response.statusCode = reply.status;
    if (!/event-stream/.test(reply.headers.get('content-type') ?? '')) {
      response.end(reshaped(await reply.text()));
      return;
    }
    let rest = '';
    for await (const piece of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const data = /^data: (\{.*)$/.exec(line)?.[1];
        response.write(`${data === undefined ? line : `data: ${reshaped(data)}`}\n`);
      }
    }
    response.end(rest);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (next) => {
      reshape = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
