/** A host that takes no idempotency key: a proxy before the sandbox that takes every name of one away. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  decodeHeader,
  encodeHeader,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_SIGNATURE_HEADER,
} from '../../src/contract/x402.ts';

export interface KeylessHost {
  readonly url: string;
  close(): Promise<void>;
}

/** @param target address of the sandbox */
export async function keylessHost(target: string): Promise<KeylessHost> {
  const server = createServer((incoming, response) => {
    carry(target, incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function carry(
  target: string,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const path = incoming.url ?? '/';
  if (path.endsWith('/payment_lease')) {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not_found"}');
    return;
  }
  const method = incoming.method ?? 'GET';
  const reply = await fetch(`${target}${path}`, {
    method,
    headers: keylessHeaders(incoming),
    ...(method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
  });
  const text = await reply.text();
  response.writeHead(reply.status, replyHeaders(reply.headers));
  response.end(reply.status === 402 ? withoutExtensions(text) : text);
}

function keylessHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !HOP.has(name) ? [[name, value]] : [],
    ),
  );
  const name = PAYMENT_SIGNATURE_HEADER.toLowerCase();
  const payment = headers[name];
  return payment === undefined ? headers : { ...headers, [name]: stripped(payment) };
}

const HOP = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'idempotency-key',
]);

function replyHeaders(headers: Headers): Record<string, string> {
  const kept = Object.fromEntries(
    [...headers].filter(([name]) => !HOP.has(name) && name !== 'content-encoding'),
  );
  const name = PAYMENT_REQUIRED_HEADER.toLowerCase();
  const required = kept[name];
  return required === undefined ? kept : { ...kept, [name]: stripped(required) };
}

function stripped(header: string): string {
  return encodeHeader(withoutField(decodeHeader(header)));
}

function withoutExtensions(text: string): string {
  return JSON.stringify(withoutField(JSON.parse(text)));
}

function withoutField(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { extensions: _, ...rest } = value as Readonly<Record<string, unknown>>;
  return rest;
}
