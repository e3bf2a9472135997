/** Against a proxy on the loopback interface that tunnels, denies, cuts and answers by itself. */
import dns from 'node:dns';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { proxyFor } from '../../src/net/proxy.ts';
import { hostThat, listenOn } from '../support/at-end.ts';
import { openConnectProxy, openTlsFront } from '../support/connect-proxy.ts';
import { failureOf } from '../support/failure.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { createPrivateCa } from '../support/private-ca.ts';
import { tempFolder } from '../support/temp-folder.ts';

const URL_OF_SHOP = 'https://shop.example/hello';
const TARGET = 'shop.example:443';
const CREDENTIALS = 'ada:s3cret/é%';
const WRITTEN = 'ada:s3cret%2F%C3%A9%25';

const ca = createPrivateCa();
const caFile = join(tempFolder(), 'ca.pem');
writeFileSync(caFile, ca.cert);

const heard: string[] = [];
let connections = 0;
const shop = createServer((request, response) => {
  heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
  if (request.url !== '/stream') return void response.end('hello');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('data: 1\n\n');
  shop.once('read', () => response.end('data: 2\n\n'));
});
shop.on('connection', () => {
  connections += 1;
});
const behind = await listenOn(shop);
const front = await openTlsFront(ca.issue('shop.example'), () => behind);
const leads = { [TARGET]: front, 'other.example:443': front };

const withCredentials = (url: string, credentials = WRITTEN) =>
  url.replace('://', `://${credentials}@`);

describe('a request behind a proxy', () => {
  it.each(['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'http_proxy', 'HTTP_PROXY'])(
    'goes through that of %s, with its credentials',
    async (variable) => {
      const proxy = await openConnectProxy({
        leads,
        credentials: CREDENTIALS,
      });
      const fetch = createHttpFetch({ env: { [variable]: withCredentials(proxy.url) }, caFile });
      expect(await (await fetch(URL_OF_SHOP)).text()).toBe('hello');
      // The first time Node's own authorities are tried.
      expect(proxy.asked).toEqual([TARGET, TARGET]);
      expect(heard.at(-1)).not.toContain('proxy');
    },
  );

  it('keeps a connection for reads and opens a fresh one for a payment', async () => {
    const proxy = await openConnectProxy({ leads });
    const fetch = createHttpFetch({ env: { HTTPS_PROXY: proxy.url }, caFile });
    await (await fetch(URL_OF_SHOP)).text();
    await (await fetch(URL_OF_SHOP)).text();
    expect(proxy.asked).toHaveLength(2);
    const before = connections;
    const paid = { method: 'POST', body: '{}', headers: { 'PAYMENT-SIGNATURE': 'x' } };
    await (await fetch(URL_OF_SHOP, paid)).text();
    expect(proxy.asked).toHaveLength(3);
    expect(connections).toBe(before + 1);
    expect(heard.filter((line) => line.includes('payment-signature'))).toHaveLength(1);
  });

  it('streams', async () => {
    const proxy = await openConnectProxy({ leads });
    const fetch = createHttpFetch({ env: { https_proxy: proxy.url }, caFile });
    const { body } = await fetch('https://shop.example/stream');
    const chunks: string[] = [];
    for await (const chunk of body ?? []) {
      chunks.push(Buffer.from(chunk).toString());
      shop.emit('read');
    }
    expect(chunks).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });

  it('goes through an https proxy of a private authority, verified by its own name', async () => {
    const proxy = await openConnectProxy({ leads, certified: ca.issue('127.0.0.1') });
    const fetch = createHttpFetch({ env: { HTTPS_PROXY: proxy.url }, caFile });
    expect(await (await fetch(URL_OF_SHOP)).text()).toBe('hello');
    const other = await openConnectProxy({ leads, certified: ca.issue('shop.example') });
    const posing = createHttpFetch({ env: { HTTPS_PROXY: other.url }, caFile });
    expect((await failureOf(posing(URL_OF_SHOP))).message).toContain(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
    expect(other.asked).toEqual([]);
  });

  it('never goes through it to this machine', async () => {
    const proxy = await openConnectProxy({});
    const env = { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
    const fetch = createHttpFetch({ env, caFile });
    const local = await openTlsFront(ca.issue('localhost', '127.0.0.1'), () => behind);
    const { port } = new URL(local);
    for (const url of [behind, `https://127.0.0.1:${port}`, `https://localhost:${port}`]) {
      expect(await (await fetch(`${url}/hello`)).text()).toBe('hello');
    }
    expect(proxy.asked).toEqual([]);
  });

  it('ends with the reason of the signal while the tunnel is being opened', async () => {
    const server = createServer();
    const opened = new Promise<Duplex>((resolve) =>
      server.once('connect', (_request, socket: Duplex) => resolve(socket)),
    );
    const fetch = createHttpFetch({ env: { HTTPS_PROXY: await listenOn(server) } });
    const controller = new AbortController();
    const reason = new Error('stopped');
    const asked = fetch(URL_OF_SHOP, { signal: controller.signal });
    const socket = await opened;
    const closed = new Promise((resolve) => socket.on('error', resolve).once('end', resolve));
    controller.abort(reason);
    await expect(asked).rejects.toBe(reason);
    socket.resume();
    await closed;
  });

  it.each([
    ['https://[2001:db8::1]/', '[2001:db8::1]:443'],
    ['https://[2001:db8::1]:8443/', '[2001:db8::1]:8443'],
  ])('is asked for %s as %s', async (url, target) => {
    const proxy = await openConnectProxy({});
    await failureOf(createHttpFetch({ env: { HTTPS_PROXY: proxy.url } })(url));
    expect(proxy.asked).toEqual([target]);
  });
});

describe('a proxy that does not connect', () => {
  const to = async (options: Parameters<typeof openConnectProxy>[0], credentials?: string) => {
    const { url, asked } = await openConnectProxy(options);
    const env = { HTTPS_PROXY: credentials ? withCredentials(url, credentials) : url };
    const error = await failureOf(createHttpFetch({ env, caFile })(URL_OF_SHOP));
    return { error, asked, name: new URL(url).host };
  };

  it('is named with its answer, which is not taken for the host’s', async () => {
    const rest = 'payment-required: e30=\r\n';
    const { error, name } = await to({ leads, instead: () => ({ status: 402, rest }) });
    expect(error).toMatchObject({
      code: 'NETWORK_UNREACHABLE',
      message: `The proxy ${name} refused to connect to shop.example (402)`,
    });
    expect(String(error.hint)).toContain('NO_PROXY');
  });

  it('asks for credentials, or does not accept them, and none is printed', async () => {
    const none = await to({ credentials: CREDENTIALS });
    expect(none.error.message).toBe(`The proxy ${none.name} asks for credentials (407)`);
    expect(none.error.retryable).toBe(false);
    expect(String(none.error.hint)).toContain(`HTTPS_PROXY: http://<user>:<password>@${none.name}`);
    const wrong = await to({ credentials: CREDENTIALS }, 'ada:canary');
    expect(String(wrong.error.hint)).toContain('did not accept those in HTTPS_PROXY');
    const { message, hint, details, stack } = wrong.error;
    expect(JSON.stringify([message, String(hint), details, stack])).not.toMatch(/canary|Y2FuYXJ5/);
  });

  it.each([502, 503, 301, 100])('answers %i by itself', async (status) => {
    const { error } = await to({ leads, instead: () => ({ status }) });
    expect(error.code).toBe('NETWORK_UNREACHABLE');
  });

  it('cuts', async () => {
    const { error, name } = await to({ leads, instead: () => 'cut' });
    expect(error.message).toBe(`The proxy ${name} could not be reached (ECONNRESET)`);
  });

  it('is not there', async () => {
    const env = { HTTPS_PROXY: 'http://ada:canary@127.0.0.1:1' };
    const error = await failureOf(createHttpFetch({ env })(URL_OF_SHOP));
    expect(error.message).toBe('The proxy 127.0.0.1:1 could not be reached (ECONNREFUSED)');
  });

  it.each(['socks5://ada:canary@127.0.0.1:1080', 'http://', 'a b'])(
    'is no http proxy: %s',
    async (value) => {
      const error = await failureOf(createHttpFetch({ env: { ALL_PROXY: value } })(URL_OF_SHOP));
      expect(error.code).toBe('INPUT_INVALID');
      expect(error.message).toBe('ALL_PROXY does not name an http or https proxy');
    },
  );

  it('is named where the connection to the host behind it breaks', async () => {
    const { url } = await openConnectProxy({
      leads: { [TARGET]: await hostThat(() => undefined) },
    });
    const error = await failureOf(createHttpFetch({ env: { HTTPS_PROXY: url } })(URL_OF_SHOP));
    expect(error.message).toMatch(
      /^shop\.example could not be reached through the proxy 127\.0\.0\.1:\d+ \(/,
    );
  });
});

describe('NO_PROXY', () => {
  const isDirect = (exempt: string, host: string, port = 443): boolean =>
    proxyFor({ host, port }, { variable: 'HTTPS_PROXY', value: 'proxy:1', exempt }) === undefined;

  it.each([
    ['*', 'shop.example', true],
    ['shop.example', 'shop.example', true],
    ['shop.example', 'a.shop.example', true],
    ['shop.example', 'SHOP.example.', true],
    ['.shop.example', 'a.shop.example', true],
    ['*.shop.example', 'a.shop.example', true],
    ['shop.example', 'myshop.example', false],
    ['localhost, shop.example', 'shop.example', true],
    ['localhost shop.example', 'shop.example', true],
    ['shop.example:443', 'shop.example', true],
    ['shop.example:8443', 'shop.example', false],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3:8443', '10.1.2.3', false],
    ['fd00::/8', 'fd00::1', true],
    ['[fd00::1]:443', 'fd00::1', true],
    ['fd00::1', 'fd00::2', false],
    ['10.0.0.0/99', '10.1.2.3', false],
    ['example', '10.1.2.3', false],
    [',, ,', 'shop.example', false],
    ['', 'shop.example', false],
  ])('%j and %s', (exempt, host, expected) => {
    expect(isDirect(exempt, host)).toBe(expected);
  });

  it('is read whatever it says', () => {
    fc.assert(
      fc.property(fc.string(), fc.domain(), (exempt, host) => {
        expect(typeof isDirect(exempt, host)).toBe('boolean');
      }),
      { numRuns: fuzzRuns(500) },
    );
  });

  it('wins over the variables, in either spelling', async () => {
    const proxy = await openConnectProxy({ leads });
    for (const name of ['no_proxy', 'NO_PROXY']) {
      const env = { HTTPS_PROXY: proxy.url, [name]: '127.0.0.1,.invalid' };
      const error = await failureOf(createHttpFetch({ env })('https://nowhere.invalid/'));
      expect(error.message).toMatch(/^nowhere\.invalid could not be reached \(/);
    }
    expect(proxy.asked).toEqual([]);
  });
});

describe('certificate authorities', () => {
  const through = async (more: object) => {
    const { url } = await openConnectProxy({ leads });
    const { env = {}, ...rest } = more as { env?: object };
    return createHttpFetch({ env: { HTTPS_PROXY: url, ...env }, ...rest })(URL_OF_SHOP);
  };

  it('are those of a file, or of SSL_CERT_FILE', async () => {
    expect((await through({ caFile })).status).toBe(200);
    expect((await through({ env: { SSL_CERT_FILE: caFile } })).status).toBe(200);
  });

  it('no other is trusted, and nothing is sent', async () => {
    const before = heard.length;
    const error = await failureOf(through({}));
    expect(error.message).toContain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(String(error.hint)).toContain('ca_file');
    expect(heard).toHaveLength(before);
  });

  it('vouch for the names in a certificate alone', async () => {
    const { url } = await openConnectProxy({ leads });
    const fetch = createHttpFetch({ env: { HTTPS_PROXY: url }, caFile });
    const error = await failureOf(fetch('https://other.example/hello'));
    expect(error.message).toContain('ERR_TLS_CERT_ALTNAME_INVALID');
  });

  it.each([
    ['is missing', '/nowhere/ca.pem', 'The file of ca_file, /nowhere/ca.pem, cannot be read'],
    [
      'holds none',
      import.meta.filename,
      `The file of ca_file, ${import.meta.filename}, holds no PEM certificate`,
    ],
  ])('a file that %s is named', async (_what, path, message) => {
    const error = await failureOf(through({ caFile: path }));
    expect(error).toMatchObject({ code: 'INPUT_INVALID', message });
  });
});

it('a host with addresses of two families is reached by the one that answers', async () => {
  const { lookup } = dns;
  const both = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ];
  const told = (_host: string, _options: object, done: (...given: unknown[]) => void) =>
    done(null, both);
  Object.assign(dns, { lookup: told });
  try {
    const { port } = new URL(front);
    const reply = await createHttpFetch({ caFile })(`https://shop.example:${port}/hello`);
    expect(await reply.text()).toBe('hello');
  } finally {
    Object.assign(dns, { lookup });
  }
});
