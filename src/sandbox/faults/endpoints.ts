/** Selects the requests that a fault applies to: by the name of a group, or by method and path. */

/** What a fault can know of a request before it is handled. */
export interface RequestInfo {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Whether it carries a signed payment. */
  readonly isPaid: boolean;
}

export interface Endpoint {
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
export const ANY_ENDPOINT: Endpoint = {
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
