import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../../src/domain/message/errors.ts';
import {
  ENDPOINTS,
  endpointNamed,
  FAULT_BEGINNINGS,
  FAULT_KINDS,
  isAt,
  parseFault,
} from '../../../src/sandbox/faults/fault-spec.ts';

describe('a fault as it is written', () => {
  it.each(FAULT_BEGINNINGS)('may begin as completions offer it: %s', (beginning) => {
    const value = beginning.startsWith('latency') ? '1s' : '503';
    const isWhole = !beginning.endsWith('=');
    const { fault } = parseFault(isWhole ? beginning : `${beginning}${value}`);
    expect(beginning.replace(/=$/, '')).toBe(fault.kind);
    if (!isWhole) expect(() => parseFault(beginning.slice(0, -1))).toThrow(ScripError);
  });

  it('needs no more than its name', () => {
    expect(parseFault('drop-reply')).toMatchObject({
      fault: { kind: 'drop-reply' },
      probability: 1,
      count: Number.POSITIVE_INFINITY,
      endpoint: { name: 'any' },
    });
  });

  it('takes a value and, in any order, a probability, a count and an endpoint', () => {
    const wanted = {
      fault: { kind: 'status', status: 503, retryAfterSeconds: 2 },
      probability: 0.3,
      count: 3,
      endpoint: { name: 'payment' },
    };
    for (const text of [
      'status=503:2@0.3,x3,payment',
      'status=503:2,payment,x3,@0.3',
      'status=503:2, payment, @.3, x3',
    ]) {
      expect(parseFault(text)).toMatchObject(wanted);
    }
  });

  it.each([
    ['latency=200ms', { kind: 'latency', fromMs: 200, toMs: 200 }],
    ['latency=100ms..2s', { kind: 'latency', fromMs: 100, toMs: 2_000 }],
    ['latency=1m', { kind: 'latency', fromMs: 60_000, toMs: 60_000 }],
    ['status=500', { kind: 'status', status: 500 }],
    ['late-status=502', { kind: 'late-status', status: 502 }],
    ['stream-cut', { kind: 'stream-cut', afterMs: 1_000 }],
    ['stream-cut=3s', { kind: 'stream-cut', afterMs: 3_000 }],
    ['supplier=unknown', { kind: 'supplier=unknown' }],
  ])('%s', (text, fault) => {
    expect(parseFault(text).fault).toEqual(fault);
  });

  it.each([
    ['', '"" is not a fault'],
    ['drop', '"drop" is not a fault; faults are latency, status'],
    ['constructor', '"constructor" is not a fault'],
    ['drop-reply=1', '"drop-reply=1" is not a fault'],
    ['latency', 'latency needs a time or two'],
    ['latency=..', 'latency needs a time or two'],
    ['latency=2s..1s', '2s is longer than 1s'],
    ['latency=2h', '"2h" is not a time up to an hour'],
    ['latency=61m', '"61m" is not a time up to an hour'],
    ['status', 'a status is 300 to 599'],
    ['status=200', 'a status is 300 to 599'],
    ['status=503:x', 'a status is 300 to 599'],
    ['supplier', 'faults are latency, status, late-status'],
    ['supplier=error,payment', 'a supplier fault takes no endpoint'],
    ['drop-reply@0', '"@0" is not a probability'],
    ['drop-reply@1.5', '"@1.5" is not a probability'],
    ['drop-reply@0.3@0.4', '"@0.4" repeats a condition'],
    ['drop-reply,x0', '"x0" is not a count'],
    ['drop-reply,x3,x4', '"x4" repeats a condition'],
    ['drop-reply,pay', '"pay" is not a condition'],
    [`drop-reply,/${'a'.repeat(300)}`, 'it is longer than 200 characters'],
  ])('"%s" is refused, and the word that is wrong is named', (text, why) => {
    expect(() => parseFault(text)).toThrow(
      expect.objectContaining({
        code: 'INPUT_INVALID',
        message: expect.stringContaining(why) as string,
      }) as Error,
    );
  });
});

describe('an endpoint of a fault', () => {
  const request = (method: string, path: string, isPaid = false) => ({ method, path, isPaid });

  it.each([
    ['challenge', request('POST', '/v1/orders'), request('POST', '/v1/orders', true)],
    ['payment', request('POST', '/v1/orders', true), request('POST', '/v1/orders')],
    ['order', request('GET', '/v1/orders/cr_1'), request('POST', '/v1/orders')],
    ['browse', request('GET', '/v1/brands'), request('GET', '/v1/orders/cr_1')],
    ['partner', request('POST', '/v5/orders'), request('POST', '/v1/orders')],
    ['stream', request('GET', '/v5/orders/1/subscribe'), request('GET', '/v5/orders/1')],
    ['facilitator', request('POST', '/settle'), request('POST', '/v1/orders')],
    ['rpc', request('POST', '/rpc'), request('GET', '/v1/brands')],
    ['any', request('GET', '/v1/brands'), request('POST', '/rpc')],
    ['/v1/*', request('GET', '/v1/brands'), request('GET', '/v2/brands')],
    ['POST/v1/orders', request('POST', '/v1/orders'), request('GET', '/v1/orders')],
    ['GET /a.b', request('GET', '/a.b'), request('GET', '/axb')],
  ])('%s', (name, inside, outside) => {
    const endpoint = endpointNamed(name) ?? expect.fail();
    expect([isAt(endpoint, inside), isAt(endpoint, outside)]).toEqual([true, false]);
  });
});

describe('docs/operate/faults.md', () => {
  const page = readFileSync(new URL('../../../docs/operate/faults.md', import.meta.url), 'utf8');

  it('shows every fault and every endpoint', () => {
    for (const kind of FAULT_KINDS) expect(page).toContain(`| \`${kind}`);
    for (const { name, meaning } of ENDPOINTS)
      expect(page).toContain(`| \`${name}\` | ${meaning} |`);
  });

  it('has examples that are taken as they stand', () => {
    const written = [...page.matchAll(/--fault ([^\s`]+)/g)].map(([, spec = '']) => spec);
    expect(written.length).toBeGreaterThanOrEqual(5);
    for (const spec of written) expect(parseFault(spec).text).toBe(spec);
  });
});
