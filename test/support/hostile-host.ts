/** A host in front of an honest one, which writes what it likes into every text of every answer. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HostileHost {
  readonly url: string;
  /** What is written into a text from now on; by itself every text is left as it is. */
  write(into: Rewrite): void;
  /** What a request asks the honest one for in place of its own path. */
  read(from: (path: string) => string): void;
  /** What everything is answered with from now on; undefined takes it back. */
  refuse(reply: Refusal | undefined): void;
  close(): Promise<void>;
}

/** @param path where the text stands: names of fields, without places in lists */
export type Rewrite = (path: string, text: string) => string;

export interface Refusal {
  readonly status: number;
  readonly body: unknown;
}

const PASSED_BACK = ['content-type', 'x-session-id', 'payment-response', 'retry-after'];
const PASSED_ON = ['content-type', 'accept', 'payment-signature', 'x-session-id'];

export async function openHostileHost(honest: () => string): Promise<HostileHost> {
  let rewrite: Rewrite = (_path, text) => text;
  let honestPath = (path: string): string => path;
  let refusal: Refusal | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (refusal !== undefined) {
      response.setHeader('content-type', 'application/json');
      response.statusCode = refusal.status;
      response.end(JSON.stringify(refusal.body));
      return;
    }
    const { method = 'GET', url = '/', headers } = request;
    const passed = Object.entries(headers).filter(
      ([name]) => PASSED_ON.includes(name) || name.startsWith('x-'),
    );
    const reply = await fetch(`${honest()}${honestPath(url)}`, {
      method,
      headers: passed.map(([name, value]) => [name, String(value)]),
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    for (const name of PASSED_BACK) {
      const value = reply.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    const required = reply.headers.get('payment-required');
    if (required !== null) response.setHeader('payment-required', header(required, rewrite));
    response.statusCode = reply.status;
    response.end(body(await reply.text(), rewrite));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    write: (into) => {
      rewrite = into;
    },
    read: (from) => {
      honestPath = from;
    },
    refuse: (reply) => {
      refusal = reply;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** JSON, or a stream of events whose data is JSON; anything else is passed on. */
function body(text: string, rewrite: Rewrite): string {
  if (/^data: /m.test(text)) {
    return text.replace(/^data: (.*)$/gm, (_, data: string) => `data: ${json(data, rewrite)}`);
  }
  return json(text, rewrite);
}

function json(text: string, rewrite: Rewrite): string {
  try {
    return JSON.stringify(rewritten(JSON.parse(text), rewrite));
  } catch {
    return text;
  }
}

function header(text: string, rewrite: Rewrite): string {
  return Buffer.from(json(Buffer.from(text, 'base64').toString(), rewrite)).toString('base64url');
}

function rewritten(value: unknown, rewrite: Rewrite, path = ''): unknown {
  if (typeof value === 'string') return rewrite(path, value);
  if (Array.isArray(value)) return value.map((element) => rewritten(element, rewrite, path));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      rewritten(inner, rewrite, path === '' ? key : `${path}.${key}`),
    ]),
  );
}
