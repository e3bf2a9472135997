/**
 * Parses `--fault`: `fault[=value][@probability][,xcount][,endpoint]`, such as
 * `drop-reply@0.3,x3,payment`. docs/operate/faults.md explains it.
 */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';

export type Fault =
  | { readonly kind: 'latency'; readonly fromMs: number; readonly toMs: number }
  | ({ readonly kind: 'status' } & StatusReply)
  | ({ readonly kind: 'late-status' } & StatusReply)
  | { readonly kind: 'drop-request' }
  | { readonly kind: 'drop-reply' }
  | { readonly kind: 'cut-reply' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'stream-cut'; readonly afterMs: number }
  | { readonly kind: 'supplier'; readonly trouble: SupplierTrouble };

export interface StatusReply {
  readonly status: number;
  readonly retryAfterSeconds?: number;
}

export const SUPPLIER_TROUBLES = ['timeout', 'error', 'unknown', 'refused', 'unreachable'] as const;
type SupplierTrouble = (typeof SUPPLIER_TROUBLES)[number];

export interface FaultSpec {
  /** The text as the operator wrote it. */
  readonly text: string;
  readonly fault: Fault;
  /** Per request that it could hit: above 0, at most 1. */
  readonly probability: number;
  /** Maximum number of hits; Infinity if not given. */
  readonly count: number;
  readonly endpoint: Endpoint;
}

const MAX_TEXT = 200;
const LONGEST_MS = 3_600_000;
const MOST_TIMES = 1_000_000;

/**
 * Parses one fault.
 * @throws {ScripError} INPUT_INVALID, naming the wrong word and what is allowed
 */
export function parseFault(text: string): FaultSpec {
  const where: Where = { text: text.slice(0, MAX_TEXT) };
  if (text.length > MAX_TEXT) throw wrong(where, `it is longer than ${MAX_TEXT} characters`);
  // A probability needs no comma before it.
  const [head = '', ...conditions] = text
    .split(/,|(?=@)/)
    .map((word) => word.trim())
    .filter((word, index) => index === 0 || word !== '');
  const [name = '', ...values] = head.split('=');
  const fault = readFault(where, name, values.length === 0 ? undefined : values.join('='));
  const read: Partial<Record<Name, Reading>> = {};
  for (const word of conditions) {
    const reading = readCondition(where, word);
    if (read[reading.name]) throw wrong(where, `"${word}" repeats a condition`);
    read[reading.name] = reading;
  }
  const { probability, count, endpoint } = read;
  return {
    text,
    fault,
    probability: probability?.name === 'probability' ? probability.value : 1,
    count: count?.name === 'count' ? count.value : Number.POSITIVE_INFINITY,
    endpoint: endpointOf(where, fault, endpoint?.name === 'endpoint' ? endpoint.value : undefined),
  };
}

interface Where {
  readonly text: string;
}

type Reading =
  | { readonly name: 'probability' | 'count'; readonly value: number }
  | { readonly name: 'endpoint'; readonly value: Endpoint };
type Name = Reading['name'];

type ValueReader = (where: Where, value: string | undefined) => Fault;

/** Parsers of a fault's value, by its name. */
const READERS: Readonly<Record<Fault['kind'], ValueReader>> = {
  latency: readLatency,
  status: (where, value) => ({ kind: 'status', ...readStatus(where, value) }),
  'late-status': (where, value) => ({ kind: 'late-status', ...readStatus(where, value) }),
  'drop-request': bare('drop-request'),
  'drop-reply': bare('drop-reply'),
  'cut-reply': bare('cut-reply'),
  duplicate: bare('duplicate'),
  'stream-cut': (where, value) => ({
    kind: 'stream-cut',
    afterMs: value === undefined ? 1_000 : readTime(where, value),
  }),
  supplier: readSupplier,
};

/** Names of all faults, for documentation and messages. */
export const FAULT_KINDS = Object.keys(READERS);

/** Faults completed as `name=`; `supplier` needs a value too, but its values are listed. */
const WITH_VALUE: readonly string[] = ['latency', 'status', 'late-status'];

/** Completions of a fault: after one that ends with `=`, a value follows. */
export const FAULT_BEGINNINGS = FAULT_KINDS.flatMap((kind) => {
  if (kind === 'supplier') return SUPPLIER_TROUBLES.map((trouble) => `${kind}=${trouble}`);
  return WITH_VALUE.includes(kind) ? [`${kind}=`] : [kind];
});

function readFault(where: Where, name: string, value: string | undefined): Fault {
  const reader = Object.entries(READERS).find(([kind]) => kind === name)?.[1];
  if (reader === undefined) {
    throw wrong(where, `"${name}" is not a fault; faults are ${FAULT_KINDS.join(', ')}`);
  }
  return reader(where, value);
}

function bare(kind: 'drop-request' | 'drop-reply' | 'cut-reply' | 'duplicate'): ValueReader {
  return (where, value) => {
    if (value !== undefined) throw wrong(where, `${kind} takes no value, but "${value}" is given`);
    return { kind };
  };
}

function readLatency(where: Where, value: string | undefined): Fault {
  const [from, to = from, ...rest] = (value ?? '').split('..');
  if (!from || !to || rest.length > 0) {
    throw wrong(where, 'latency needs a time or two, such as latency=200ms or latency=100ms..2s');
  }
  const [fromMs, toMs] = [readTime(where, from), readTime(where, to)];
  if (fromMs > toMs) throw wrong(where, `${from} is longer than ${to}`);
  return { kind: 'latency', fromMs, toMs };
}

function readStatus(where: Where, value: string | undefined): StatusReply {
  const [, status, retryAfter] = /^([3-5]\d\d)(?::(\d{1,5}))?$/.exec(value ?? '') ?? [];
  if (status === undefined) {
    throw wrong(
      where,
      'a status is 300 to 599, with seconds to wait after a colon: status=503 or status=503:2',
    );
  }
  return {
    status: Number(status),
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
  };
}

function readSupplier(where: Where, value: string | undefined): Fault {
  const trouble = SUPPLIER_TROUBLES.find((known) => known === value);
  if (trouble) return { kind: 'supplier', trouble };
  throw wrong(where, `supplier= takes ${SUPPLIER_TROUBLES.join(', ')}`);
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

function readTime(where: Where, text: string): number {
  const [, digits, unit = ''] = /^(\d{1,7})(ms|s|m)$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? Number.NaN);
  if (ms <= LONGEST_MS) return ms;
  throw wrong(where, `"${text}" is not a time up to an hour, such as 250ms, 2s or 1m`);
}

function readCondition(where: Where, word: string): Reading {
  if (word.startsWith('@')) return { name: 'probability', value: readProbability(where, word) };
  if (/^x\d/.test(word)) return { name: 'count', value: readCount(where, word) };
  const endpoint = endpointNamed(word);
  if (endpoint) return { name: 'endpoint', value: endpoint };
  const names = ENDPOINTS.map(({ name }) => name).join(', ');
  throw wrong(
    where,
    `"${word}" is not a condition: @0.3 is a probability, x3 a count, /v1/orders a path; endpoints are ${names}`,
  );
}

function readProbability(where: Where, word: string): number {
  const probability = /^@(0?\.\d{1,6}|0|1|1\.0{1,6}|0\.\d{1,6})$/.test(word)
    ? Number(word.slice(1))
    : 0;
  if (probability > 0) return probability;
  throw wrong(where, `"${word}" is not a probability above 0 and up to 1, such as @0.3`);
}

function readCount(where: Where, word: string): number {
  const count = /^x\d{1,7}$/.test(word) ? Number(word.slice(1)) : 0;
  if (count >= 1 && count <= MOST_TIMES) return count;
  throw wrong(where, `"${word}" is not a count from x1 to x${MOST_TIMES}`);
}

function endpointOf(where: Where, fault: Fault, named: Endpoint | undefined): Endpoint {
  if (fault.kind === 'supplier' && named) {
    throw wrong(where, 'a supplier fault takes no endpoint: the supplier is behind the service');
  }
  if (fault.kind === 'stream-cut' && !named) return endpointNamed('stream') ?? ANY_ENDPOINT;
  return named ?? ANY_ENDPOINT;
}

function wrong({ text }: Where, why: string): ScripError {
  return new ScripError('INPUT_INVALID', t`--fault ${JSON.stringify(text)}: ${why}`, {
    hint: t`Write faults as --fault drop-reply@0.3,x3,payment; docs/operate/faults.md lists them.`,
  });
}

// Selects the requests that a fault applies to: by the name of a group, or by method and path.

/** What a fault can know of a request before it is handled. */
export interface RequestInfo {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Whether it carries a signed payment. */
  readonly isPaid: boolean;
}

interface Endpoint {
  readonly name: string;
  readonly meaning: string;
  matches(request: RequestInfo): boolean;
}

const isOrderPost = ({ method, path }: RequestInfo): boolean =>
  method === 'POST' && path === '/v1/orders';

/** docs/operate/faults.md shows this table. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    name: 'challenge',
    meaning: '`POST /v1/orders` without a payment',
    matches: (request) => isOrderPost(request) && !request.isPaid,
  },
  {
    name: 'payment',
    meaning: '`POST /v1/orders` with a payment',
    matches: (request) => isOrderPost(request) && request.isPaid,
  },
  {
    name: 'order',
    meaning: '`GET /v1/orders/{order_id}`',
    matches: ({ method, path }) => method === 'GET' && path.startsWith('/v1/orders/'),
  },
  {
    name: 'browse',
    meaning: 'brands, catalog, price, search, countries',
    matches: ({ method, path }) => method === 'GET' && /^\/(v1\/(?!orders)|api\/)/.test(path),
  },
  {
    name: 'partner',
    meaning: 'the partner API, streams included',
    matches: ({ path }) => /^\/v[2-5]\//.test(path),
  },
  {
    name: 'stream',
    meaning: 'streams of an order',
    matches: ({ method, path }) => method === 'GET' && path.endsWith('/subscribe'),
  },
  {
    name: 'facilitator',
    meaning: '`/supported`, `/verify`, `/settle`',
    matches: ({ path }) => /^\/(supported|verify|settle)$/.test(path),
  },
  { name: 'rpc', meaning: 'the chain, `POST /rpc`', matches: ({ path }) => path === '/rpc' },
];

/** Ours: the chain is not the shop, so a fault applies to `/rpc` only if it names it. */
const ANY_ENDPOINT: Endpoint = {
  name: 'any',
  meaning: 'every request but those to `/rpc`',
  matches: ({ path }) => path !== '/rpc',
};

const PATH = /^(?:(GET|POST|PUT|DELETE|HEAD|OPTIONS) ?)?(\/[!-~]*)$/;

/**
 * Returns the endpoint for a name of `ENDPOINTS`, for `any`, or for a path in which `*` matches
 * anything, optionally after a method. Undefined for any other text.
 */
export function endpointNamed(text: string): Endpoint | undefined {
  const named = [ANY_ENDPOINT, ...ENDPOINTS].find(({ name }) => name === text);
  if (named) return named;
  const [, method, path] = PATH.exec(text) ?? [];
  if (path === undefined) return undefined;
  const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.*')}$`);
  return {
    name: text,
    meaning: text,
    matches: (request) =>
      (method === undefined || request.method === method) && pattern.test(request.path),
  };
}
