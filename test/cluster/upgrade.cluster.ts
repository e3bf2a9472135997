/** Two versions on one PostgreSQL: servers are upgraded one after another, and back, while buyers buy. */
import { expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { startOwnPostgres } from '../support/postgres-server.ts';
import { drawPlans, runPurchases } from './campaign.ts';
import { buildEarlier, hasCommit } from './earlier.ts';
import { UNFINISHED_ROWS, verdictOf } from './verdict.ts';
import { openWorld } from './world.ts';

/** The oldest version that the present one shares a database with: `oldestVersion` of store/schema.ts. */
const EARLIER = 'c1752266';
const SERVERS = 2;
/** Purchases between two changes. */
const BETWEEN = 6;
type Version = 'earlier' | 'present';
/** Upgraded one after another, then back: each change is of one server. */
const CHANGES: readonly (readonly [server: number, to: Version])[] = [
  [0, 'present'],
  [1, 'present'],
  [1, 'earlier'],
  [0, 'earlier'],
  [1, 'present'],
];

it('an earlier version and the present one sell side by side, in each order', async ({ skip }) => {
  if (!hasCommit(EARLIER)) skip(`this clone has no commit ${EARLIER}`);
  const earlier = buildEarlier(EARLIER);
  const postgres = await startOwnPostgres();
  const homes: Readonly<Record<Version, Home>> = {
    earlier: makeHome(earlier.words),
    present: makeHome(),
  };
  const versions: Version[] = ['earlier', 'earlier'];
  const programOf = (index: number): Home => homes[versions[index] ?? 'present'];
  const world = await openWorld(postgres.address, { count: SERVERS, programOf });
  try {
    const { servers, receiver } = world;
    const query = postgres.run;
    const changed: string[] = [];
    const change = async (): Promise<void> => {
      const [server, to] = CHANGES[changed.length] ?? [0, 'present'];
      versions[server] = to;
      await servers.all[server]?.replace();
      const [found] = await query('select version, latest from scrip_schema');
      changed.push(`server ${server} ${to}: ${JSON.stringify(found)}`);
      if (changed.length === 1) await addLater(query);
    };
    const plans = drawPlans(1, BETWEEN * (CHANGES.length + 1), SERVERS).map((plan) => ({
      ...{ ...plan, buyerDiesAt: undefined, strike: undefined },
    }));
    let changing = Promise.resolve();
    const purchases = await runPurchases({
      ...{ servers, receiver, plans, lanes: 3, database: { query } },
      told: (done) => {
        if (done % BETWEEN === 0 && done < plans.length) changing = changing.then(change);
      },
    });
    await changing;
    const pending = () => query(UNFINISHED_ROWS.webhooks ?? '');
    await expect.poll(pending, { timeout: 120_000, interval: 1_000 }).toEqual([{ n: '0' }]);
    const verdict = await verdictOf({ servers, query, receiver, purchases, databaseCrashes: 0 });
    console.log([...changed, ...verdict.lines, ...verdict.faults].join('\n'));
    expect(changed).toHaveLength(CHANGES.length);
    expect(verdict.faults).toEqual([]);
    expect(purchases.filter(({ vouchers }) => vouchers.length !== 1)).toEqual([]);
    expect(await world.home.json(servers.audit)).toMatchObject({ agrees: true, mismatches: [] });
  } finally {
    await world.close();
    await postgres.remove();
    earlier.remove();
  }
});

/** What a step of a later version may do: a column in each table, in which servers have statements open. */
async function addLater(query: (sql: string) => Promise<unknown>): Promise<void> {
  const tables = ['partner_orders', 'orders', 'sessions', 'settlements', 'deliveries', 'outbox'];
  for (const table of tables) await query(`alter table ${table} add column later text default 'x'`);
}
