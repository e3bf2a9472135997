/**
 * Parses `--fault`: `fault[=value][@probability][,xcount][,endpoint]`, such as
 * `drop-reply@0.3,x3,payment`. docs/operate/faults.md explains it.
 */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';

/** Faults without a value. Those of the supplier apply to calls to it, not to requests. */
const BARE = [
  'drop-request',
  'drop-reply',
  'cut-reply',
  'duplicate',
  'supplier=timeout',
  'supplier=error',
  'supplier=unknown',
  'supplier=refused',
  'supplier=unreachable',
] as const;

export type Fault =
  | { readonly kind: 'latency'; readonly fromMs: number; readonly toMs: number }
  | ({ readonly kind: 'status' } & StatusReply)
  | ({ readonly kind: 'late-status' } & StatusReply)
  | { readonly kind: 'stream-cut'; readonly afterMs: number }
  | { [Kind in Bare]: { readonly kind: Kind } }[Bare];
type Bare = (typeof BARE)[number];

export interface StatusReply {
  readonly status: number;
  readonly retryAfterSeconds?: number;
}

interface Conditions {
  /** Per request that it could hit: above 0, at most 1. */
  readonly probability: number;
  /** Maximum number of hits; Infinity if not given. */
  readonly count: number;
  readonly endpoint: Endpoint;
}

export interface FaultSpec extends Conditions {
  /** The text as the operator wrote it. */
  readonly text: string;
  readonly fault: Fault;
}

const MAX_TEXT = 200;
const LONGEST_MS = 3_600_000;
const MOST_TIMES = 1_000_000;

/**
 * Parses one fault.
 * @throws {ScripError} INPUT_INVALID, naming the wrong word and what is allowed
 */
export function parseFault(text: string): FaultSpec {
  if (text.length > MAX_TEXT) throw wrong(text, `it is longer than ${MAX_TEXT} characters`);
  // A probability needs no comma before it.
  const [head = '', ...words] = text
    .split(/,|(?=@)/)
    .map((word) => word.trim())
    .filter((word, index) => index === 0 || word !== '');
  const fault = readFault(text, head);
  let given: Partial<Conditions> = {};
  for (const word of words) {
    const read = readCondition(text, word);
    const isRepeated = Object.keys(read).some((name) => name in given);
    if (isRepeated) throw wrong(text, `"${word}" repeats a condition`);
    given = { ...given, ...read };
  }
  if (fault.kind.startsWith('supplier') && given.endpoint) {
    throw wrong(text, 'a supplier fault takes no endpoint: the supplier is behind the service');
  }
  const byDefault = fault.kind === 'stream-cut' ? endpointNamed('stream') : undefined;
  const endpoint = byDefault ?? ANY_ENDPOINT;
  return { text, fault, probability: 1, count: Number.POSITIVE_INFINITY, endpoint, ...given };
}

/** Parsers of a fault's value, by its name. */
const READERS: Readonly<Record<string, (text: string, value: string) => Fault>> = {
  latency: readLatency,
  status: (text, value) => ({ kind: 'status', ...readStatus(text, value) }),
  'late-status': (text, value) => ({ kind: 'late-status', ...readStatus(text, value) }),
  'stream-cut': (text, value) => ({ kind: 'stream-cut', afterMs: readTime(text, value || '1s') }),
};

/** Names of all faults, for documentation and messages. */
export const FAULT_KINDS: readonly string[] = [...Object.keys(READERS), ...BARE];

/** Completions of a fault: after one that ends with `=`, a value follows. */
export const FAULT_BEGINNINGS = FAULT_KINDS.map((kind) =>
  Object.hasOwn(READERS, kind) && kind !== 'stream-cut' ? `${kind}=` : kind,
);

function readFault(text: string, head: string): Fault {
  const bare = BARE.find((kind) => kind === head);
  if (bare !== undefined) return { kind: bare };
  const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(head) ?? [];
  const reader = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
  if (reader !== undefined) return reader(text, value);
  throw wrong(text, `"${head}" is not a fault; faults are ${FAULT_KINDS.join(', ')}`);
}

function readLatency(text: string, value: string): Fault {
  const [from, to = from, ...rest] = value.split('..');
  if (!from || !to || rest.length > 0) {
    throw wrong(text, 'latency needs a time or two, such as latency=200ms or latency=100ms..2s');
  }
  const [fromMs, toMs] = [readTime(text, from), readTime(text, to)];
  if (fromMs > toMs) throw wrong(text, `${from} is longer than ${to}`);
  return { kind: 'latency', fromMs, toMs };
}

function readStatus(text: string, value: string): StatusReply {
  const [, status, retryAfter] = /^([3-5]\d\d)(?::(\d{1,5}))?$/.exec(value) ?? [];
  if (status === undefined) {
    throw wrong(
      text,
      'a status is 300 to 599, with seconds to wait after a colon: status=503 or status=503:2',
    );
  }
  return {
    status: Number(status),
    ...(retryAfter === undefined ? {} : { retryAfterSeconds: Number(retryAfter) }),
  };
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

function readTime(text: string, value: string): number {
  const [, digits, unit = ''] = /^(\d{1,7})(ms|s|m)$/.exec(value) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? Number.NaN);
  if (ms <= LONGEST_MS) return ms;
  throw wrong(text, `"${value}" is not a time up to an hour, such as 250ms, 2s or 1m`);
}

function readCondition(text: string, word: string): Partial<Conditions> {
  if (word.startsWith('@')) {
    const probability = /^@(0?\.\d{1,6}|0|1|1\.0{1,6})$/.test(word) ? Number(word.slice(1)) : 0;
    if (probability > 0) return { probability };
    throw wrong(text, `"${word}" is not a probability above 0 and up to 1, such as @0.3`);
  }
  if (/^x\d/.test(word)) {
    const count = /^x\d{1,7}$/.test(word) ? Number(word.slice(1)) : 0;
    if (count >= 1 && count <= MOST_TIMES) return { count };
    throw wrong(text, `"${word}" is not a count from x1 to x${MOST_TIMES}`);
  }
  const endpoint = endpointNamed(word);
  if (endpoint) return { endpoint };
  const names = ENDPOINTS.map(({ name }) => name).join(', ');
  throw wrong(
    text,
    `"${word}" is not a condition: @0.3 is a probability, x3 a count, /v1/orders a path; endpoints are ${names}`,
  );
}

function wrong(text: string, why: string): ScripError {
  const shown = JSON.stringify(text.slice(0, MAX_TEXT));
  return new ScripError('INPUT_INVALID', t`--fault ${shown}: ${why}`, {
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
  /** Of the method, a space and the path. */
  readonly pattern: RegExp;
  /** Whether it is for paid or for unpaid requests alone. */
  readonly isPaid?: boolean;
}

/** docs/operate/faults.md shows this table. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    name: 'challenge',
    meaning: '`POST /v1/orders` without a payment',
    pattern: /^POST \/v1\/orders$/,
    isPaid: false,
  },
  {
    name: 'payment',
    meaning: '`POST /v1/orders` with a payment',
    pattern: /^POST \/v1\/orders$/,
    isPaid: true,
  },
  { name: 'order', meaning: '`GET /v1/orders/{order_id}`', pattern: /^GET \/v1\/orders\// },
  {
    name: 'browse',
    meaning: 'brands, catalog, price, search, countries',
    pattern: /^GET \/(v1\/(?!orders)|api\/)/,
  },
  { name: 'partner', meaning: 'the partner API, streams included', pattern: / \/v[2-5]\// },
  { name: 'stream', meaning: 'streams of an order', pattern: /^GET .*\/subscribe$/ },
  {
    name: 'facilitator',
    meaning: '`/supported`, `/verify`, `/settle`',
    pattern: / \/(supported|verify|settle)$/,
  },
  {
    name: 'rpc',
    meaning: 'the chains, `POST /rpc`, `POST /rpc/base`',
    pattern: / \/rpc(\/base)?$/,
  },
];

/** Ours: the chain is not the shop, so a fault applies to `/rpc` and `/rpc/base` only if it names them. */
const ANY_ENDPOINT: Endpoint = {
  name: 'any',
  meaning: 'every request but those to `/rpc` and `/rpc/base`',
  pattern: / (?!\/rpc(\/base)?$)/,
};

export function isAt({ pattern, isPaid }: Endpoint, request: RequestInfo): boolean {
  const isMeant = isPaid === undefined || isPaid === request.isPaid;
  return isMeant && pattern.test(`${request.method} ${request.path}`);
}

const PATH = /^(?:(GET|POST|PUT|DELETE|HEAD|OPTIONS) ?)?(\/[!-~]*)$/;

/**
 * Returns the endpoint for a name of `ENDPOINTS`, for `any`, or for a path in which `*` matches
 * anything, optionally after a method. Undefined for any other text.
 */
export function endpointNamed(text: string): Endpoint | undefined {
  const named = [ANY_ENDPOINT, ...ENDPOINTS].find(({ name }) => name === text);
  if (named) return named;
  const [, method = '\\w+', path] = PATH.exec(text) ?? [];
  if (path === undefined) return undefined;
  const parts = path.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return { name: text, meaning: text, pattern: new RegExp(`^${method} ${parts.join('.*')}$`) };
}
