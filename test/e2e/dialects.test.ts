/** Our client against hosts that speak only one of the two dialects of x402 v2. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { amazonProducts, buy, fundedWallet } from '../support/shop.ts';

interface Envelope {
  accepts: Record<string, unknown>[];
  [key: string]: unknown;
}

interface Dialect {
  readonly name: string;
  readonly encoding: 'base64' | 'base64url';
  readonly hasSession: boolean;
  rewrite(envelope: Envelope): Envelope;
  /** What phase 2 must look like for such a host. */
  accepts(payment: Record<string, unknown>): boolean;
}

const DIALECTS: readonly Dialect[] = [
  {
    name: 'the interface: maxAmountRequired, flat payload, session header',
    encoding: 'base64url',
    hasSession: true,
    rewrite: (envelope) => ({
      x402Version: 2,
      resource: 'https://shop.example/v1/orders',
      expiresAt: envelope.expiresAt,
      accepts: envelope.accepts.map(
        ({ amount: _amount, maxTimeoutSeconds: _window, ...kept }) => kept,
      ),
    }),
    accepts: (payment) => payment.scheme === 'exact' && typeof payment.network === 'string',
  },
  {
    name: 'the public standard: amount, accepted echoed whole, no session',
    encoding: 'base64',
    hasSession: false,
    rewrite: (envelope) => ({
      x402Version: 2,
      resource: envelope.resource,
      accepts: envelope.accepts.map(({ maxAmountRequired: _amount, ...kept }) => ({
        ...kept,
        unknownField: { kept: true },
      })),
    }),
    accepts: (payment) =>
      JSON.stringify((payment.accepted as Record<string, unknown>)?.unknownField) ===
      '{"kept":true}',
  },
];

let home: Home;
let sandbox: ServedHere;
let payer: string;

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveHere(home);
  payer = await fundedWallet(home, sandbox.flags);
});
afterAll(async () => {
  await sandbox.stop();
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

/** A host of one dialect: passes everything on, rewrites the 402, and checks the payment's form. */
function hostOf(
  dialect: Dialect,
): Promise<{ readonly url: string; readonly server: Server; readonly payments: boolean[] }> {
  const payments: boolean[] = [];
  const server = createServer(async (request, response) => {
    const payment = request.headers['payment-signature'];
    const session = request.headers['x-session-id'];
    if (typeof payment === 'string') {
      payments.push(dialect.accepts(JSON.parse(Buffer.from(payment, dialect.encoding).toString())));
    }
    const method = request.method ?? 'GET';
    const passed = await fetch(sandbox.url + request.url, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(typeof payment === 'string' ? { 'payment-signature': payment } : {}),
        ...(typeof session === 'string' ? { 'x-session-id': session } : {}),
      },
      ...(method === 'POST' ? { body: await bodyOf(request) } : {}),
    });
    const text = await passed.text();
    if (passed.status !== 402) {
      const settled = passed.headers.get('payment-response');
      response.writeHead(passed.status, {
        'content-type': 'application/json',
        ...(settled ? { 'payment-response': settled } : {}),
      });
      response.end(text);
      return;
    }
    const envelope = JSON.stringify(dialect.rewrite(JSON.parse(text)));
    response.writeHead(402, {
      'payment-required': Buffer.from(envelope).toString(dialect.encoding),
      ...(dialect.hasSession ? { 'x-session-id': passed.headers.get('x-session-id') ?? '' } : {}),
    });
    response.end('{}');
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        server,
        payments,
      });
    });
  });
}

describe('our client pays a host that speaks', () => {
  it.each(DIALECTS)('$name', async (dialect) => {
    const host = await hostOf(dialect);
    try {
      const flags = ['--checkout-url', host.url, '--rpc-url', `${sandbox.url}/rpc`];
      const { fixed } = amazonProducts();
      const order = await buy(home, fixed.product_id, flags);
      expect(order.status).toBe('completed');
      expect(host.payments.length).toBeGreaterThan(0);
      expect(host.payments).not.toContain(false);
      expect(await ledgerAt(`${sandbox.url}/rpc`).payments(payer)).toContain(order.transaction);
    } finally {
      host.server.close();
    }
  });
});
