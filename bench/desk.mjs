// P14: what an operator looks for among 100,000 orders in a PostgreSQL, half of each surface, most of them ended.
import { mkdirSync } from 'node:fs';
import { spread } from './measure.mjs';
import { startPostgres } from './postgres.mjs';
import { loadSources } from './sources.mjs';

/** Of each surface. */
const ORDERS = 50_000;
const ROUNDS = Number(process.env.ROUNDS ?? 100);
const DAY = 86_400_000;
/** The orders of a hundred days. */
const BEGUN = Date.parse('2026-08-01T00:00:00Z');
const LAST = BEGUN + 100 * DAY;
const BUDGET_MS = 100;
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';

const word = (name) => `md5('${name} ' || i)`;
const everyMs = `${BEGUN} + i::bigint * ${(100 * DAY) / ORDERS}`;
/** As long as a line is. */
const goods = `'{"product":{"productId":"' || ${word('product')} || '","name":"Brand ' || i % 300 || ' 25 USD","brand":{"brandId":"' ||
  ${word('brand')} || '","name":"Brand ' || i % 300 || '","family":"Gift Cards","category":"other","kind":"giftcard","countryCode":"us",
  "currency":"USD","isOutOfStock":false,"minFaceValue":"5000000","maxFaceValue":"200000000"},"denomination":{"isRange":false,
  "faceValue":"25000000"},"label":"25 USD"},"faceValue":"25000000","priceAtomic":"25250000","beneficiary":"friend@example.com"}'`;
const amount = `(1000000 + i % 9973 * 10000)::text`;
const email = (of) => `'Buyer' || i % 20000 || '@${of}.example'`;
const wide = (length) => `'{"x":"' || repeat(md5(i::text), ${length / 32}) || '"}'`;

const FILL = [
  `insert into partner_orders (order_id, application_id, order_state, payment_state, email, request, lines, quote,
      value_usd, coin, network, decimals, coin_amount_atomic, received_atomic, seen_atomic, wallet_address,
      transactions, idempotency_key, created_at_ms, window_ends_at_ms, updated_at_ms, closed_at_ms, version)
    select gen_random_uuid()::text, 'partner-' || i % 20,
      case when i % 5000 = 0 then 'WaitingForManualAction' when i % 4 = 0 then 'Expired' else 'Done' end,
      case when i % 5000 <> 0 and i % 4 = 0 then 'Expired' else 'PaymentReceived' end,
      ${email('partner')}, ${wide(640)}, ${wide(1024)}, ${wide(512)}, '25000000', 'USDC', 'Solana', 6, ${amount},
      '0', '0', ${word('account')}, '["' || ${word('paid')} || '"]', ${word('reference')}, ${everyMs}, ${everyMs}, ${everyMs},
      ${everyMs}, 3 from generate_series(1, ${ORDERS}) as i`,
  `insert into orders (order_id, session_id, email, status, created_at_ms, updated_at_ms, amount_atomic)
    select 'cr_' || ${word('order')}, ${word('session')}, ${email('checkout')},
      case when i % 5000 = 0 then 'processing' else 'completed' end, ${everyMs}, ${everyMs}, ${amount}
    from generate_series(1, ${ORDERS}) as i`,
  `insert into settlements (message_hash, session_id, order_id, payload, payer, state, "transaction", created_at_ms, network)
    select ${word('message')}, ${word('session')}, 'cr_' || ${word('order')}, ${wide(640)}, md5('payer ' || i % 20000), 'settled',
      ${word('settled')}, ${everyMs}, case when i % 2 = 0 then '${SOLANA}' else 'eip155:8453' end
    from generate_series(1, ${ORDERS}) as i`,
  `insert into sessions (session_id, body_hash, body, pay_to, destination, amount_atomic, requirement, lines, created_at_ms, expires_at_ms)
    select ${word('session')}, ${word('body')}, ${wide(320)}, 'treasury', ${word('destination')}, ${amount}, ${wide(640)},
      '[]', ${everyMs}, ${everyMs} from generate_series(1, ${ORDERS}) as i`,
  ...['partner_orders', 'orders'].map(
    (
      table,
    ) => `insert into deliveries (delivery_id, order_id, line, beneficiary, goods, state, attempts, next_attempt_at_ms, code_digest)
      select 'cd_' || md5(order_id), order_id, 0, 'friend' || i % 20000 || '@example.com', ${goods}, 'completed', 1, 0, md5('code ' || order_id)
      from (select order_id, row_number() over () as i from ${table}) as made`,
  ),
  `insert into refunds (refund_id, order_id, kind, coin, amount_atomic, decimals, reason, created_at_ms)
    select order_id || ' late', order_id, 'refund', 'USDC', '1000000', 6, 'late', created_at_ms from partner_orders
    where created_at_ms % 50 = 0`,
  `insert into payouts (refund_id, state, "transaction", attempts, updated_at_ms, version)
    select refund_id, 'sent', md5('refund ' || refund_id), 1, 0, 1 from refunds`,
];

/** Each is asked with another value in each round. */
const SEARCHES = {
  'order: e-mail of a buyer': (at) => `buyer${at}@PARTNER.example`,
  'order: e-mail of a recipient': (at) => `friend${at}@example.com`,
  'order: transaction on Solana': (_, rows) => rows.solana,
  'order: transaction on Base': (_, rows) => rows.base,
  'order: transaction, partner API': (_, rows) => rows.paid,
  'order: transaction of a refund': (_, rows) => rows.refund,
  'order: payer': (_, rows) => rows.payer,
  'order: receiving account': (_, rows) => rows.wallet_address,
  'order: digest of a code': (_, rows) => rows.code_digest,
  "order: partner's reference": (_, rows) => rows.idempotency_key,
  'order: part of an id': (_, rows) => rows.order_id.slice(9, 18),
};
const day = (at) => BEGUN + (at % 100) * DAY;
const LISTS = {
  'orders: under way': () => ({}),
  'orders: any state': () => ({ state: 'any' }),
  'orders: any, newest first, a later page': (_, rows) => ({
    ...{ state: 'any', isNewestFirst: true, after: rows.order_id },
  }),
  'orders: state, surface': () => ({ state: 'Expired', surface: 'partner' }),
  'orders: time': (at) => ({ state: 'any', sinceMs: day(at), untilMs: day(at) + DAY }),
  'orders: partner': (at) => ({
    state: 'any',
    partnerId: `partner-${at % 20}`,
    isNewestFirst: true,
  }),
  'orders: unknown partner': () => ({ state: 'any', partnerId: 'nobody' }),
  'orders: amount': (at) => ({ state: 'any', amount: exactly(`${1 + at}.01`) }),
  'orders: amounts that none has': () => ({ state: 'any', amount: { least: '5000' } }),
  'orders: text, a brand': (at) => ({ state: 'any', text: `brand ${at}` }),
  'orders: text, a part of an e-mail': (at) => ({ state: 'any', text: `r${19_000 + at}@` }),
  'orders: text that none has': () => ({ state: 'any', text: 'no such text' }),
  'orders: all filters': (at) => ({
    ...{ state: 'Done', surface: 'partner', partnerId: `partner-${at % 20}`, text: 'brand' },
    ...{ sinceMs: BEGUN, untilMs: LAST, amount: { least: '2', most: '90' }, isNewestFirst: true },
  }),
};
const exactly = (text) => ({ least: text, most: text });

/** A command is a process of its own: no plan is kept, as the server does once it has made five. */
const KEPT = 4;

async function timesOf({ address, openPostgresStore }, work) {
  const times = [];
  while (times.length < ROUNDS) {
    const store = await openPostgresStore(address);
    await Promise.all(Array.from({ length: KEPT }, () => store.tables.facts.get('none')));
    for (let turn = 0; turn < KEPT; turn += 1) {
      const started = performance.now();
      await work(store, times.length);
      times.push(performance.now() - started);
    }
    await store.close();
  }
  return spread(times);
}

async function measure(address, fact) {
  const { findOrders, listOrders, openPostgresStore } = await loadSources(`
    export { findOrders, listOrders } from './src/service/operator/order-search.ts';
    export { openPostgresStore } from './src/store/postgres.ts';`);
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  await (await openPostgresStore(address)).close();
  for (const statement of FILL) await client.query(statement);
  // As the server does by itself within a minute.
  await client.query('vacuum analyze');
  const { rows } =
    await client.query(`select partner_orders.*, code_digest, transactions::json ->> 0 as paid, payer,
      (select "transaction" from payouts offset n limit 1) as refund,
      (select "transaction" from settlements where network = '${SOLANA}' offset n limit 1) as solana,
      (select "transaction" from settlements where network <> '${SOLANA}' offset n limit 1) as base
    from (select *, row_number() over () as n from partner_orders tablesample system (1) limit 100) as partner_orders
    inner join deliveries using (order_id), lateral (select payer from settlements offset n limit 1) as paid`);
  await client.end();
  const tell = (name, { p50, p99 }) => {
    const [half, most] = [p50, p99].map((value) => `${value.toFixed(1)} ms`);
    fact(`${name}: p50, p99`, half, most, `${BUDGET_MS} ms`, p99 > BUDGET_MS);
  };
  for (const [name, textOf] of Object.entries(SEARCHES)) {
    const work = (store, at) => findOrders(store.tables, textOf(at, rows[at % 100]), 100);
    tell(name, await timesOf({ address, openPostgresStore }, work));
  }
  for (const [name, askedOf] of Object.entries(LISTS)) {
    const work = (store, at) => listOrders(store, { limit: 100, ...askedOf(at, rows[at % 100]) });
    tell(name, await timesOf({ address, openPostgresStore }, work));
  }
}

export async function measureDesk({ folder, fact }) {
  mkdirSync(folder, { recursive: true });
  const server = await startPostgres(folder);
  try {
    await measure(server.address, fact);
  } finally {
    server.stop();
  }
}
