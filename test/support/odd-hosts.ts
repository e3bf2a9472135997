/** Two manners of a host that keeps to the interface: it sends no more than it must, or it adds oddities. */
import { decodeHeader, encodeHeader } from '../../src/contract/x402.ts';
import type { FrontReply, Manners } from './front-host.ts';
import { fieldsOf, leastOf, nulledOf } from './interface-fields.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
type Body = any;
type Reply = FrontReply & { readonly body: Body };

/** What a test gets wrong on purpose, in the body of a reply or of a streamed order as it is written. */
export type Spoil = (asked: string, body: Body) => Body;

/** How replies and the orders of streams are written. */
interface Writing {
  body(asked: string, reply: Reply): Body;
  headers(reply: Reply, written: Body): Readonly<Record<string, string>>;
  /** The lines of a stream's event that are sent with the order in it. */
  event(data: string): string;
}

/** Search and countries have no form in the interface: bare lists of names. */
const UNSHOWN: readonly (readonly [asked: RegExp, least: (body: Body) => Body])[] = [
  [/^GET \/v2\/search\//, ({ brands }) => brands.map((row: Body) => ({ brand: row.brand }))],
  [
    /^GET \/api\/available-countries$/,
    (rows) => rows.map(({ code, name }: Body) => ({ code, name })),
  ],
];

/** Fields that must be sent, and may be empty. */
const EMPTY: Body = {
  logo_url: '',
  logo_base_url: '',
  categories: [],
  last_user_purchases: [],
  suggestions: [],
  additional_categories: [],
  redeem_method: [],
  product_tc: '',
  payment_fee: {},
};

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url');

const minimal: Writing = {
  body(asked, { status, body }) {
    const fields = fieldsOf(asked, status);
    if (fields !== undefined) return emptied(leastOf(fields, untilDelivered(body)));
    return UNSHOWN.find(([known]) => known.test(asked))?.[1](body) ?? body;
  },
  headers: ({ status, headers }, written) => ({
    'content-type': streamType(headers) ?? 'application/json',
    ...(status === 402
      ? { 'payment-required': base64url(written), 'x-session-id': headers['x-session-id'] ?? '' }
      : {}),
    ...(status === 503 ? { 'retry-after': headers['retry-after'] ?? '1' } : {}),
  }),
  event: (data) => `data: ${data}`,
};

/** What is delivered is said once it is. */
function untilDelivered(body: Body): Body {
  const state = body.order_state ?? body.status;
  const isOrder = typeof state === 'string' && body.order_id !== undefined;
  return isOrder && !/^(Done|completed)$/.test(state) ? { ...body, deliveries: undefined } : body;
}

function emptied(body: Body): Body {
  if (Array.isArray(body)) return body.map(emptied);
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      Object.hasOwn(EMPTY, name) ? EMPTY[name] : emptied(value),
    ]),
  );
}

/** Fields that nobody asked for; `__proto__` is one of its own, as JSON makes it. */
const EXTRAS: readonly (readonly [name: string, value: unknown])[] = [
  ['x_text', '\u001b[2Jgold\u0000\u202e\r\n'],
  ['x_number', 1e300],
  ['x_nested', { list: [1, null, { deep: true }], none: null }],
  ['__proto__', { order_state: 'Done', status: 'completed', voucher_code: 'POLLUTED' }],
  ['constructor', { prototype: { is_range: true } }],
  ['toString', null],
  ['', 'no name'],
];

function withExtras(value: Body): Body {
  if (Array.isArray(value)) return value.map(withExtras);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, withExtras(inner)] as const);
  return Object.fromEntries([...fields, ...EXTRAS]);
}

const inIso = (seconds: number): string => new Date(seconds * 1_000).toISOString();
const STATE = /^(status|(order|payment|delivery)_state)$/;

/** Other forms of what a reply says, which say the same. */
const OTHERWISE: readonly (readonly [asked: RegExp, write: (body: Body, honest: Body) => Body])[] =
  [
    [
      /^GET \/v1\/catalog$/,
      (rows) =>
        rows.map((row: Body) => ({
          ...row,
          is_range: String(row.is_range),
          price_usdc: row.is_range ? row.price_usdc : Number(row.price_usdc),
        })),
    ],
    [/^GET \/v1\/price$/, (price) => ({ ...price, price_usdc: Number(price.price_usdc) })],
    [
      /^POST \/v1\/orders$/,
      (receipt) => ({ ...receipt, poll_url: new URL(receipt.poll_url).pathname }),
    ],
    [/^GET \/v1\/orders\//, alone],
    [/^GET \/v2\/search\//, ({ brands }) => ({ data: { results: brands } })],
    [/^GET \/api\/available-countries$/, (rows) => ({ countries: rows })],
    [
      /^GET \/v5\/products\//,
      (brands) =>
        brands.map((brand: Body) => ({
          ...brand,
          is_out_of_stock: 'false',
          products: brand.products.map(product),
        })),
    ],
    [/^GET \/v4\/products\/price$/, product],
    [
      /^(GET|POST) \/v5\/orders(\/[0-9a-f-]{36}(\/subscribe)?)?$/,
      (order, { payment_requested_at }) => ({
        ...alone(order),
        created_at: inIso(order.created_at),
        payment_requested_at: payment_requested_at && inIso(payment_requested_at),
        ...(order.coin_amount === null ? {} : { coin_amount: Number(order.coin_amount) }),
      }),
    ],
  ];

/** A delivery that is the only one stands without its list. */
function alone(order: Body): Body {
  return order.deliveries?.length === 1 ? { ...order, deliveries: order.deliveries[0] } : order;
}

function product(one: Body): Body {
  const { coin_amount, range } = one;
  return {
    ...one,
    coin_amount: coin_amount === null ? null : Number(coin_amount),
    points: Number(one.points),
    ...(range === undefined
      ? { range: null }
      : { range: { ...range, min: String(range.min), step_size: String(range.step_size) } }),
  };
}

const odd: Writing = {
  body(asked, { status, body }) {
    const fields = fieldsOf(asked, status);
    const nulled = fields === undefined ? body : nulledOf(fields, body);
    if (status === 402) {
      const expiresAt = inIso(Math.floor(Date.now() / 1_000) + 90);
      return withExtras({ ...nulled, expiresAt });
    }
    if (status !== 200) return withExtras(nulled);
    const write = OTHERWISE.find(([known]) => known.test(asked))?.[1];
    return withExtras(inCapitals(write?.(nulled, body) ?? nulled));
  },
  headers: ({ headers }, written) => {
    const settled = headers['payment-response'];
    const { success, transaction, network } = Object(decodeHeader(settled ?? ''));
    return {
      ...headers,
      'content-type': `${streamType(headers) ?? 'application/json'};charset=UTF-8; q="a;b"`,
      'x-powered-by': 'shop/9',
      'set-cookie': 'a=b',
      link: '</v1/orders>; rel="self"',
      ...(headers['payment-required'] === undefined
        ? {}
        : { 'payment-required': encodeHeader(written) }),
      ...(settled === undefined
        ? {}
        : {
            'payment-response': encodeHeader(
              withExtras({ success, transaction, network, payer: null, errorReason: null }),
            ),
          }),
    };
  },
  event: (data) => `: hello\nid: \u00e9\nretry: 1\nx-line: 1\ndata: ${data}`,
};

/** The words of states in capitals. */
function inCapitals(value: Body): Body {
  if (Array.isArray(value)) return value.map(inCapitals);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      STATE.test(name) && typeof inner === 'string' ? inner.toUpperCase() : inCapitals(inner),
    ]),
  );
}

export const WRITINGS: Readonly<Record<'minimal' | 'odd', Writing>> = { minimal, odd };

/** @param spoiled what is wrong at the moment */
export function mannersOf(writing: Writing, spoiled: () => Spoil | undefined): Manners {
  const spoil = (asked: string, body: Body) => spoiled()?.(asked, body) ?? body;
  return {
    answer({ path, method }, { status, body: honest, headers }) {
      const asked = `${method} ${path}`;
      // A tool server is no surface of these hosts' own.
      if (/^\/mcp/.test(path)) return { status, body: honest, headers };
      const reply = { status, headers, body: honest };
      const isText = typeof honest === 'string';
      const body = isText ? honest : spoil(asked, writing.body(asked, reply));
      return { status, body, headers: writing.headers(reply, body) };
    },
    event({ path }, lines) {
      const data = /^data: (\{.*)$/m.exec(lines)?.[1];
      if (data === undefined) return /^event: stop/m.test(lines) ? lines : ': nothing';
      const asked = `GET ${path}`;
      const reply = { status: 200, headers: {}, body: JSON.parse(data) };
      return writing.event(JSON.stringify(spoil(asked, writing.body(asked, reply))));
    },
  };
}

function streamType(headers: Readonly<Record<string, string>>): string | undefined {
  return /event-stream/.test(headers['content-type'] ?? '') ? 'text/event-stream' : undefined;
}
