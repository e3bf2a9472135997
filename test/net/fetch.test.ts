/** Against servers on the loopback interface that behave well and badly. */

import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { listenOn } from '../support/at-end.ts';
import { failureOf } from '../support/failure.ts';

const LONG = 'x'.repeat(100_000);

const ROUTES: Readonly<Record<string, RequestListener>> = {
  '/hello': (_request, response) => {
    response.setHeader('X-Session-Id', 'abc').end('hello');
  },
  '/echo': async (request, response) => {
    response.end(
      JSON.stringify({
        method: request.method,
        headers: request.headers,
        body: await bodyOf(request),
      }),
    );
  },
  '/teapot': (_request, response) => {
    response.writeHead(418).end('short and stout');
  },
  '/gzip': (_request, response) => {
    response.setHeader('content-encoding', 'gzip').end(gzipSync(LONG));
  },
  '/br': (_request, response) => {
    response.setHeader('content-encoding', 'br').end(brotliCompressSync(LONG));
  },
  '/deflate': (_request, response) => {
    response.setHeader('content-encoding', 'deflate').end(deflateSync(LONG));
  },
  '/bomb': (_request, response) => {
    response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(50 * 1024 * 1024)));
  },
  '/not-gzip': (_request, response) => {
    response.setHeader('content-encoding', 'gzip').end('plain text');
  },
  '/zstd': (_request, response) => {
    response.setHeader('content-encoding', 'zstd').end('x');
  },
  '/endless': (_request, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(LONG));
    };
    response.on('drain', more);
    more();
  },
  '/silent': () => undefined,
  '/stalls': (_request, response) => {
    response.write('first');
  },
  '/cut': (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('only this', () => response.destroy());
  },
  '/empty': (_request, response) => {
    response.writeHead(304).end();
  },
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

let connections = 0;

const server = createServer((request, response) => {
  const path = request.url ?? '';
  const redirect = /^\/redirect\/(\d+)$/.exec(path);
  if (redirect) {
    response
      .writeHead(Number(redirect[1]), { location: 'https://elsewhere.example/v1?secret=1' })
      .end('moved');
    return;
  }
  ROUTES[path]?.(request, response);
});
server.on('connection', () => {
  connections += 1;
});
const base = await listenOn(server);

describe('the network', () => {
  const fetch = createHttpFetch();

  it('gives status, headers in any case, and body', async () => {
    const reply = await fetch(`${base}/hello`);
    expect(reply.status).toBe(200);
    expect(reply.headers.get('x-SESSION-id')).toBe('abc');
    expect(reply.headers.get('payment-required')).toBeNull();
    expect(await reply.text()).toBe('hello');
  });

  it('streams the body', async () => {
    const reply = await fetch(`${base}/gzip`);
    let bytes = 0;
    for await (const chunk of reply.body ?? []) bytes += chunk.length;
    expect(bytes).toBe(LONG.length);
  });

  it('sends method, headers and body as they were given', async () => {
    const body = '{"name":"Zoé"}';
    const reply = await fetch(`${base}/echo`, {
      method: 'POST',
      headers: { 'X-Session-Id': 's' },
      body,
    });
    expect(JSON.parse(await reply.text())).toMatchObject({
      method: 'POST',
      body,
      headers: { 'x-session-id': 's', 'content-length': '15' },
    });
  });

  it('returns what is not 200 as it is', async () => {
    const reply = await fetch(`${base}/teapot`);
    expect(reply.status).toBe(418);
    expect(await reply.text()).toBe('short and stout');
  });

  it.each(['gzip', 'br', 'deflate'])('unpacks %s', async (encoding) => {
    expect(await (await fetch(`${base}/${encoding}`)).text()).toBe(LONG);
  });

  it.each(['not-gzip', 'zstd'])('refuses a body that is %s', async (path) => {
    const reply = await fetch(`${base}/${path}`);
    expect((await failureOf(reply.text())).code).toBe('MERCHANT_REPLY_INVALID');
  });

  it.each(['bomb', 'endless'])('stops at the limit of a body that is %s', async (path) => {
    const reply = await createHttpFetch({ maxBodyBytes: 1024 * 1024 })(`${base}/${path}`);
    expect((await failureOf(reply.text())).message).toContain('longer than 1048576 bytes');
  });

  it.each([301, 302, 303, 307, 308])('refuses a redirect of a money call: %i', async (status) => {
    const error = await failureOf(
      fetch(`${base}/redirect/${status}`, { method: 'POST', body: '{}', redirect: 'error' }),
    );
    expect(error.code).toBe('REDIRECT_REFUSED');
    expect(error.details).toMatchObject({ target: 'https://elsewhere.example' });
    expect(error.message).not.toContain('secret');
  });

  it('never follows a redirect', async () => {
    const reply = await fetch(`${base}/redirect/302`);
    expect(reply.status).toBe(302);
    expect(await reply.text()).toBe('moved');
  });

  it('does not take 304 for a redirect', async () => {
    expect((await fetch(`${base}/empty`, { redirect: 'error' })).status).toBe(304);
  });

  it('names the host and the cause when nobody listens', async () => {
    const free = createTcpServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => free.once('listening', resolve));
    const { port } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const error = await failureOf(fetch(`http://127.0.0.1:${port}/v1/orders/cr_secret`));
    expect(error.code).toBe('NETWORK_UNREACHABLE');
    expect(error.message).toBe(`127.0.0.1:${port} could not be reached (ECONNREFUSED)`);
  });

  it('says so when the connection ends within the body', async () => {
    const reply = await fetch(`${base}/cut`);
    expect((await failureOf(reply.text())).code).toBe('NETWORK_UNREACHABLE');
  });

  it.each(['silent', 'stalls'])(
    'ends with the reason of the signal when the host %s',
    async (path) => {
      const controller = new AbortController();
      const reason = new ScripError('INTERRUPTED', t`stopped`);
      const asked = fetch(`${base}/${path}`, { signal: controller.signal }).then((reply) =>
        reply.text(),
      );
      await new Promise((resolve) => server.once('request', resolve));
      controller.abort(reason);
      await expect(asked).rejects.toBe(reason);
    },
  );

  it('sends nothing when the signal was aborted before', async () => {
    const before = connections;
    const reason = new Error('gone');
    await expect(
      createHttpFetch()(`${base}/hello`, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
    expect(connections).toBe(before);
  });

  it('keeps a connection for reads and opens a fresh one for a payment', async () => {
    const own = createHttpFetch();
    await (await own(`${base}/hello`)).text();
    const before = connections;
    await (await own(`${base}/hello`)).text();
    expect(connections).toBe(before);
    const paid = { method: 'POST', body: '{}', headers: { 'PAYMENT-SIGNATURE': 'x' } };
    await (await own(`${base}/echo`, paid)).text();
    expect(connections).toBe(before + 1);
  });

  it.each(['http://shop.example/', 'ftp://127.0.0.1/', 'file:///etc/passwd', 'nonsense'])(
    'does not go to %s',
    async (url) => {
      expect((await failureOf(fetch(url))).code).toBe('INPUT_INVALID');
    },
  );

  it('posts nothing over https while certificates are not checked', async () => {
    const unsafe = createHttpFetch({ isTlsUnverified: true });
    const error = await failureOf(unsafe('https://127.0.0.1:1/', { method: 'POST', body: '{}' }));
    expect(error.message).toContain('NODE_TLS_REJECT_UNAUTHORIZED');
  });

  it('refuses a header that would start another one', async () => {
    const error = await failureOf(
      fetch(`${base}/hello`, { headers: { 'X-Session-Id': 'a\r\nb: c' } }),
    );
    expect(error.code).toBe('INPUT_INVALID');
  });
});
