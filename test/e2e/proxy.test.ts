/** Buying behind a company's proxy: it asks for credentials, and the certificate is of its own authority. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createScrip } from '../../src/library.ts';
import { createKeyFile } from '../../src/wallet/key-file.ts';
import { makeHome, type RunOptions } from '../support/cli.ts';
import {
  COMPANY_HOST,
  joinCompany,
  openCompanyNetwork,
  PROXY_PASSWORD,
} from '../support/company-network.ts';
import { openFrontHost } from '../support/front-host.ts';
import { ledgerAt } from '../support/ledger.ts';
import { newKey } from '../support/new-key.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, buy, fundAt, orderOf } from '../support/shop.ts';

const home = makeHome();
const sandbox = await serveHere(makeHome(), true);
const host = await openFrontHost(sandbox.url);
const company = await openCompanyNetwork(() => host.url);
const caFile = joinCompany(home.dir, company);
const keypair = join(home.dir, 'live.json');
const key = newKey();
createKeyFile(keypair, key);
await fundAt(sandbox.url, key.address, '500', '1');
const ledger = ledgerAt(`${sandbox.url}/rpc`);
const product = amazonProducts().fixed.product_id;
const place = ['--checkout-url', company.url, '--rpc-url', `${company.url}/rpc`];
const mine = [...place, '--keypair', keypair];
const env = { HTTPS_PROXY: company.proxyUrl, SCRIP_CA_FILE: caFile };

describe('a purchase', () => {
  it.each([
    ['https_proxy', 'SCRIP_CA_FILE'],
    ['HTTPS_PROXY', 'SSL_CERT_FILE'],
    ['all_proxy', 'NODE_EXTRA_CA_CERTS'],
    ['ALL_PROXY', 'SCRIP_CA_FILE'],
    ['http_proxy', 'SSL_CERT_FILE'],
    ['HTTP_PROXY', 'SCRIP_CA_FILE'],
  ])('through the proxy of %s, and with the authority of %s, is paid once', async (proxy, ca) => {
    const before = await ledger.payments(key.address);
    const options: RunOptions = { env: { [proxy]: company.proxyUrl, [ca]: caFile } };
    const words = [...mine, '--idempotency-key', `by-${proxy}-${ca}`];
    const order = await buy(home, product, words, options);
    expect(order.status).toBe('completed');
    expect(await buy(home, product, words, options)).toMatchObject({ order_id: order.order_id });
    expect(await ledger.payments(key.address)).toHaveLength(before.length + 1);
    expect(new Set(company.proxy.asked)).toEqual(new Set([`${COMPANY_HOST}:443`]));
  });

  it('with the authority of a setting is followed by its stream while it is paid', async () => {
    const flags = ['--rpc-url', `${company.url}/rpc`, '--keypair', keypair];
    await home.json(['profile', 'add', 'company', '--checkout-url', company.url, ...flags]);
    await home.json(['config', 'set', 'ca_file', 'company.pem', '--profile', 'company']);
    const own = { env: { https_proxy: company.proxyUrl } };
    const at = [
      '--profile',
      'company',
      '--via',
      'partner',
      '--coin',
      'USDC',
      '--network',
      'Solana',
    ];
    const words = [...at, '--idempotency-key', 'streamed'];
    const order = await buy(home, product, words, own);
    const track = ['track', order.order_id, '--profile', 'company', '--follow', 'sse'];
    const tracking = home.run([...track, '--json'], own);
    await expect
      .poll(() => host.asked.filter((line) => line.includes('/subscribe')))
      .not.toEqual([]);
    const pay = ['pay', order.order_id, '--profile', 'company', '--yes', '--max-amount', '60'];
    await home.json(pay, own);
    const { status, stdout } = await tracking;
    expect({ status, last: stdout.trim().split('\n').at(-1) }).toEqual({
      status: 0,
      last: expect.stringContaining('"Done"'),
    });
  });

  it('without the authority, or without credentials, is not begun, and nothing secret is said', async () => {
    const before = { asked: host.asked.length, paid: await ledger.payments(key.address) };
    const words = orderOf(product, [...mine, '--idempotency-key', 'refused']);
    const untrusted = await home.failure(words, { env: { HTTPS_PROXY: company.proxyUrl } });
    expect(untrusted).toMatchObject({ code: 'NETWORK_UNREACHABLE', status: 4 });
    expect(untrusted.hint).toContain('ca_file');
    const wrong = company.proxyUrl.replace('ada:', 'eve:');
    for (const proxy of [company.proxy.url, wrong]) {
      const { stdout, stderr, status } = await home.run([...words, '--verbose'], {
        env: { ...env, HTTPS_PROXY: proxy },
      });
      expect({ status, stdout }).toEqual({ status: 4, stdout: '' });
      expect(stderr).toContain(new URL(proxy).host);
      expect(stderr).toContain('(407)');
      expect(stderr).not.toContain(PROXY_PASSWORD);
    }
    expect(host.asked).toHaveLength(before.asked);
    expect(await ledger.payments(key.address)).toEqual(before.paid);
  });

  it('at a host that the proxy denies says so', async () => {
    const other = ['--checkout-url', 'https://denied.example', ...mine.slice(2)];
    const refused = await home.failure(['brands', '--country', 'us', ...other], { env });
    expect(refused.message).toContain('refused to connect to denied.example (403)');
  });
});

it('a program names proxy and authority in its options', async () => {
  const options = { checkoutUrl: company.url, rpcUrl: `${company.url}/rpc`, caFile };
  const asked = company.proxy.asked.length;
  const scrip = await createScrip({ ...options, proxyEnv: { HTTPS_PROXY: company.proxyUrl } });
  const [found] = await scrip.find('amazon', { country: 'us', value: '25' });
  expect(found?.brand).toBe('Amazon.com');
  await scrip.close();
  expect(company.proxy.asked.length).toBeGreaterThan(asked);
});

describe('doctor', () => {
  interface Report {
    readonly checks: readonly {
      readonly check: string;
      readonly state: string;
      readonly detail: string;
    }[];
  }
  const asked = async (given: Readonly<Record<string, string>>) => {
    const { stdout } = await home.run(['doctor', '--json', ...mine], { env: given });
    expect(stdout).not.toContain(PROXY_PASSWORD);
    const { checks } = JSON.parse(stdout) as Report;
    return checks.filter(({ check }) =>
      ['proxy', 'certificates', 'service', 'rpc'].includes(check),
    );
  };

  it('says which proxy connects, and whose certificates are trusted', async () => {
    const found = await asked(env);
    const name = new URL(company.proxy.url).host;
    expect(found.map(({ check, state }) => [check, state])).toEqual([
      ['proxy', 'ok'],
      ['certificates', 'ok'],
      ['service', 'ok'],
      ['rpc', 'ok'],
    ]);
    expect(found[0]?.detail).toBe(`${name} (HTTPS_PROXY) connects to ${COMPANY_HOST}`);
    expect(found[1]?.detail).toContain(caFile);
  });

  it('tries the proxy, and reads the file', async () => {
    const wrong = { HTTPS_PROXY: company.proxy.url, SCRIP_CA_FILE: '/nowhere.pem' };
    expect((await asked(wrong)).map(({ check, state }) => [check, state])).toEqual([
      ['proxy', 'fail'],
      ['certificates', 'fail'],
      ['service', 'fail'],
      ['rpc', 'fail'],
    ]);
  });

  it('names a proxy that is away once, before all that it hides', async () => {
    const own = makeHome();
    await own.json(['wallet', 'new']);
    const hosts = ['--checkout-url', 'https://one.example', '--rpc-url', 'https://two.example'];
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9' };
    const failure = await own.failure(['doctor', ...hosts], { env });
    expect(failure.code).toBe('NETWORK_UNREACHABLE');
    expect(failure.hint).toContain('HTTPS_PROXY');
    // The wallet is the sandbox's: a finding of its own.
    expect(failure.details.failed).toEqual(['proxy', 'service', 'wallet', 'rpc']);
  });

  it('says where none is used', async () => {
    const [proxy] = await asked({ ...env, NO_PROXY: 'example' });
    expect(proxy).toMatchObject({ state: 'ok', detail: `none for ${COMPANY_HOST}` });
  });
});

it('the embedded sandbox asks no proxy, and no other address at all', async () => {
  const own = makeHome();
  const before = company.proxy.asked.length;
  const recorder = join(own.dir, 'recorder.cjs');
  const record = join(own.dir, 'connections');
  writeFileSync(record, '');
  writeFileSync(recorder, RECORDER);
  const given = { ...env, NODE_OPTIONS: `--require "${recorder}"`, CONNECTIONS: record };
  await own.json(['wallet', 'new'], { env: given });
  await own.json(['wallet', 'fund', '--usdc', '50'], { env: given });
  await own.json(orderOf(product), { env: given });
  await own.run(['doctor'], { env: given });
  await own.json(['orders', 'list'], { env: given });
  expect(readFileSync(record, 'utf8')).toBe('');
  expect(company.proxy.asked).toHaveLength(before);
  // The recorder does record; behind a proxy, a remote host's name is not even resolved.
  await own.run(['brands', '--country', 'us', ...place], { env: given });
  const { host: proxyHost } = new URL(company.proxy.url);
  const connections = readFileSync(record, 'utf8').trim().split('\n');
  expect(new Set(connections)).toEqual(new Set([proxyHost]));
});

/** Preloaded into a process: writes every address that is connected to. */
const RECORDER = `
const { appendFileSync } = require('node:fs');
const record = (what) => appendFileSync(process.env.CONNECTIONS, what + '\\n');
const { Socket } = require('node:net');
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...given) {
  const [options] = Array.isArray(given[0]) ? given[0] : given;
  record(options.path ? 'path ' + options.path : options.host + ':' + options.port);
  return connect.apply(this, given);
};
const dgram = require('node:dgram');
const { send } = dgram.Socket.prototype;
dgram.Socket.prototype.send = function (...given) {
  record('datagram');
  return send.apply(this, given);
};
`;
