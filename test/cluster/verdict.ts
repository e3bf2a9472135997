/** What a campaign came to, by the chain, the supplier, the database, the buyers and a receiver of webhooks. */

import { FUNDED_ATOMIC, wantedAt } from '../faults/harness.ts';
import { openJudge, type Query, type Violation, violations } from '../faults/judge.ts';
import { type Purchase, payerOf } from './campaign.ts';
import type { Ends, Servers } from './servers.ts';
import { judgeWebhooks, type WebhookFindings, type WebhookReceiver } from './webhook-receiver.ts';

export interface Verdict {
  readonly counts: Readonly<Record<Violation, number>>;
  readonly webhooks: WebhookFindings;
  /** Everything that is wrong, in words. */
  readonly faults: readonly string[];
  readonly lines: readonly string[];
}

interface Evidence {
  readonly servers: Servers;
  readonly query: Query;
  readonly receiver: WebhookReceiver;
  readonly purchases: readonly Purchase[];
  readonly databaseCrashes: number;
}

/** Rows that are left in the middle once every purchase is over and every webhook was sent. */
export const UNFINISHED_ROWS: Readonly<Record<string, string>> = {
  settlements: "select count(*) as n from settlements where state = 'submitting'",
  claims: "select count(*) as n from claims where state = 'submitting'",
  deliveries: `select count(*) as n from deliveries where state not in ('completed', 'failed', 'waiting')`,
  webhooks: "select count(*) as n from outbox where state = 'pending'",
};

export async function verdictOf(evidence: Evidence): Promise<Verdict> {
  const { servers, query, receiver, purchases } = evidence;
  const counts = { 'double payment': 0, 'lost order': 0, 'extra delivery': 0, unfinished: 0 };
  const faults: string[] = [];
  const { priceAtomic } = await wantedAt(servers.balancer.url);
  const judge = openJudge(() => servers.chainUrl, query);
  for (const { email, way, vouchers, end } of purchases) {
    const books = await judge.books(payerOf(email, way), email, FUNDED_ATOMIC);
    const expected = { priceAtomic, vouchers: vouchers.length, isProvenUnpaid: false };
    const found = new Set(violations(books, expected));
    if (vouchers.length > 1) found.add('extra delivery');
    for (const violation of found) counts[violation] += 1;
    if (found.size > 0) {
      const { landed, spentAtomic, sold, completed } = books;
      faults.push(
        `${[...found].join(', ')}: ${email} by ${way}; landed ${landed}, spent ${spentAtomic}, sold ${sold}, completed ${completed}; ${end}`,
      );
    }
  }
  const webhooks = judgeWebhooks(receiver.taken, await eventsWithWebhooks(query));
  faults.push(
    ...webhooks.missing.map((name) => `webhook missing: ${name}`),
    ...webhooks.outOfOrder.map((name) => `webhook out of order: ${name}`),
    ...(await brokenStreams(query, purchases)),
    ...servers.all.flatMap(({ ends }) => ends.surprises.map((text) => `a server ended: ${text}`)),
  );
  for (const [rows, sql] of Object.entries(UNFINISHED_ROWS)) {
    const left = Number((await query(sql))[0]?.n);
    if (left > 0) faults.push(`${left} ${rows} left in the middle`);
  }
  return { counts, webhooks, faults, lines: table(evidence, counts, webhooks) };
}

/** Each event of an order that has an address for them. */
async function eventsWithWebhooks(query: Query) {
  const rows = await query(`
    select order_events.order_id, order_events.seq from order_events
    where order_events.order_id in (
      select order_id from orders where callback_url is not null
      union select order_id from partner_orders where notification_url is not null
    )`);
  return rows.map(({ order_id, seq }) => ({ orderId: String(order_id), seq: Number(seq) }));
}

/** Each event once, in order, to the last. */
async function brokenStreams(
  query: Query,
  purchases: readonly Purchase[],
): Promise<readonly string[]> {
  const rows = await query('select order_id, max(seq) as last from order_events group by order_id');
  const lastOf = new Map(rows.map(({ order_id, last }) => [String(order_id), Number(last)]));
  return purchases.flatMap(({ program }) => {
    if (program === undefined) return [];
    const { seqs, orderId } = program;
    const first = seqs[0] ?? 0;
    const isWhole = seqs.every((seq, index) => seq === first + index);
    return isWhole && seqs.at(-1) === lastOf.get(orderId)
      ? []
      : [`stream of ${orderId}: ${seqs.join(' ')} of ${lastOf.get(orderId)}`];
  });
}

function table(
  { servers, purchases, databaseCrashes }: Evidence,
  counts: Verdict['counts'],
  webhooks: WebhookFindings,
): readonly string[] {
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const ofServers = (read: (ends: Ends) => number) =>
    sum(servers.all.map(({ ends }) => read(ends)));
  const programs = purchases.flatMap(({ program }) => program ?? []);
  const by = (way: string) => purchases.filter((purchase) => purchase.way === way).length;
  const rows: readonly (readonly [string, number | string])[] = [
    ['purchases', purchases.length],
    [
      '  x402 on Solana, Base, partner API, program',
      `${by('checkout')}, ${by('base')}, ${by('partner')}, ${by('program')}`,
    ],
    ['servers killed', ofServers(({ kills }) => kills)],
    ['servers that died at a point', ofServers(({ points }) => points.length)],
    ['database crashes', databaseCrashes],
    ['buyers killed', sum(purchases.map(({ buyerDeaths }) => buyerDeaths))],
    ['connections reset', servers.balancer.cuts()],
    [
      'runs of the command line',
      sum(purchases.map(({ runs, way }) => (way === 'program' ? 0 : runs))),
    ],
    ['calls of programs made again', sum(programs.map(({ repeats }) => repeats))],
    ['double payments', counts['double payment']],
    ['lost orders', counts['lost order']],
    ['extra deliveries', counts['extra delivery']],
    ['unfinished', counts.unfinished],
    ['events with a webhook', webhooks.events],
    ['  webhooks taken, of them repeated', `${webhooks.taken}, ${webhooks.repeated}`],
    ['  missing, out of order', `${webhooks.missing.length}, ${webhooks.outOfOrder.length}`],
    [
      'streams followed, times opened',
      `${programs.length}, ${sum(programs.map(({ streams }) => streams))}`,
    ],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(42)}${String(value).padStart(12)}`);
}
