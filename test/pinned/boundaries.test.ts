/**
 * Where the fail points lie: a process that dies at one leaves the same records, of the same fields, and the
 * same rows at the shop as the version did whose homes are kept (test/kept). A point that moved before or
 * after a write, a send or a commit leaves something else. `SCRIP_FULL=1` tries the shop's points as well.
 */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SERVICE_POINTS } from '../../src/domain/journal/fail-points.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { IS_FULL } from '../support/fuzz.ts';
import { keptStates } from '../support/kept-states.ts';
import { amazonProducts, fundedWallet, type OrderDocument, orderOf } from '../support/shop.ts';

const SANDBOX = '.local/state/scrip/sandbox';
/** The version whose homes are kept had the chain in the first. */
const DATABASES = ['sandbox.db', 'chain.db'];
/**
 * Rows that that version did not write: how far the news of payments were read, on which chain the shop was begun, the state that an order has
 * once its payment is heard of and not final yet, which that version read only when it was final; the SOL that
 * an order's address holds.
 */
const NEWER_ROWS: ReadonlyMap<unknown, string> = new Map([
  ['facts', "name in ('payments heard', 'chain id')"],
  ['chain_accounts', "lamports = '890880'"],
  ['order_events', 'body like \'%"PaymentStarted"%\''],
]);
/**
 * Tables that that version did not have: of a shop on a live chain, payment pages, refunds, settlements that
 * their first request left undecided, and payments on Base. They stay empty here.
 */
const NEWER_TABLES = [
  'receiving_accounts',
  'payment_requests',
  'payouts',
  'tries',
  'partners',
  'catalogs',
  'operator_actions',
  'rates',
  'evm_blocks',
  'evm_state',
  'fee_transactions',
  'sales',
  'order_transactions',
  'purchase_costs',
];
/** Servers that lease work and have not closed, by their process: the one that died is among them. */
const NEWER_NOTES = 'servers';
/** What that version did not keep: the host's signatures, and its key. */
const NEWER_FIELDS = ['offer', 'receipt'];
const NEWER_RECORD = /fact-1-key\.rec$/;
const JOURNAL = '.local/state/scrip/journal';
/** A purchase without trouble does not come by, or not at the embedded shop. */
const TROUBLED = ['payment-sent', 'dead-recorded', 'landed-recorded', 'attention-recorded'];

const [oldest] = keptStates();
const CASES = (oldest?.states ?? [])
  .filter(({ point }) => !TROUBLED.includes(point))
  .filter(({ point }) => IS_FULL || !(SERVICE_POINTS as readonly string[]).includes(point))
  .map((state) => [state.surface, state.point, state] as const);

const base = makeHome();
beforeAll(async () => {
  await fundedWallet(base);
});
/** As this version names a file that was begun, and as earlier ones did. */
const TEMPORARY = /(?:tmp-[^/]*|\.[^/]*\.tmp)$/;

describe('a process that dies', () => {
  it.each(CASES)(
    'buying by %s at %s leaves what it always left',
    async (_surface, point, state) => {
      const kept = makeHome();
      oldest?.unpack(state, kept.dir);
      const home = makeHome();
      cpSync(base.dir, home.dir, { recursive: true });
      const env = { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point };
      expect((await home.run(state.order, { env })).signal).toBe('SIGKILL');
      expect(recordsIn(home)).toEqual(recordsIn(kept));
      expect(await rowsIn(home)).toEqual(await rowsIn(kept));
    },
  );

  it('leaves tables that are as they were, but for columns that were added', async () => {
    const kept = makeHome();
    const [state] = oldest?.states ?? [];
    if (state !== undefined) oldest?.unpack(state, kept.dir);
    const tables = await tablesIn(base);
    const gone = (await tablesIn(kept)).filter((part) => !tables.includes(part));
    // Older servers go on where a column is unique no more, and without an index.
    const needed = gone.filter(
      (part) => !part.startsWith('CREATE INDEX "partner_orders_by_email"'),
    );
    expect(needed.filter((part) => !tables.includes(part.replace(' unique', '')))).toEqual([]);
  });
});

/** What the shop has of a payment on Base when it dies: its claim, the transaction of it, and that one on the chain. */
const ON_BASE = [
  ['attempt-written', 'no claim'],
  ['order-committed', 'no claim'],
  ['claim-written', 'a claim'],
  ['fee-transaction-stored', 'a claim and its transaction'],
  ['broadcast', 'a claim and its transaction, which is on the chain'],
  ['submitted', 'a claim and its transaction, which is on the chain'],
] as const;

describe('a process that dies, buying on Base', () => {
  const funded = makeHome();
  beforeAll(async () => {
    await funded.json(['wallet', 'new']);
    await funded.json(['wallet', 'fund', '--network', 'base', '--usdc', '200']);
  });
  const { card25 } = amazonProducts();
  const words = orderOf(card25.product_id, ['--network', 'base', '--idempotency-key', 'key']);

  it.each(ON_BASE)('at %s leaves %s, and pays once', async (point, left) => {
    const home = makeHome();
    cpSync(funded.dir, home.dir, { recursive: true });
    const env = { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point };
    expect((await home.run(words, { env })).signal).toBe('SIGKILL');
    expect(await claimIn(home)).toBe(left);
    const order = await home.json<OrderDocument>(words);
    expect(order).toMatchObject({ status: 'completed', network: 'eip155:8453' });
    const { others } = await home.json<{ readonly others: readonly { readonly usdc: string }[] }>([
      ...['wallet', 'balance'],
    ]);
    expect(others.map(({ usdc }) => usdc)).toEqual([(200 - Number(order.amount)).toFixed(2)]);
  });
});

async function claimIn(home: Home): Promise<string> {
  const tables = ['claims', 'fee_transactions', 'evm_blocks'] as const;
  const found = await inDatabases(home, async (run) => {
    const known = await run("select name from sqlite_master where type = 'table'");
    const here = tables.filter((table) => known.some(({ name }) => name === table));
    return Promise.all(
      here.map(async (table) => [table, await run(`select * from ${table}`)] as const),
    );
  });
  const { claims, fee_transactions: stored, evm_blocks: blocks } = Object.fromEntries(found.flat());
  if (claims?.length === 0) return 'no claim';
  const [own] = stored ?? [];
  if (own === undefined) return 'a claim';
  const isSent = blocks?.some(({ transaction }) => transaction === own.transaction);
  return `a claim and its transaction${isSent ? ', which is on the chain' : ''}`;
}

/** Names of the records, without what a run draws, and their fields. */
function recordsIn({ dir }: Home): Readonly<Record<string, string>> {
  const folder = join(dir, JOURNAL);
  const paths = readFolder(folder)
    .filter((path) => path.endsWith('.rec') || TEMPORARY.test(path))
    .filter((path) => !NEWER_RECORD.test(path));
  return Object.fromEntries(
    paths.map((path) => {
      const [line = ''] = readFileSync(join(folder, path), 'utf8').split('\n');
      return [
        path.replace(/^[^/]+/, 'wallet').replace(TEMPORARY, 'tmp'),
        fieldsOf(JSON.parse(line)),
      ];
    }),
  );
}

function readFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  } catch {
    return [];
  }
}

function fieldsOf(value: object): string {
  return Object.entries(value)
    .filter(([name]) => !NEWER_FIELDS.includes(name))
    .map(([name, field]) => {
      const isObject = typeof field === 'object' && field !== null && !Array.isArray(field);
      return isObject ? `${name}{${fieldsOf(field)}}` : name;
    })
    .join(' ');
}

async function tablesIn(home: Home): Promise<readonly string[]> {
  const sql = 'select sql from sqlite_master where sql is not null order by name';
  const found = await inDatabases(home, async (run) =>
    (await run(sql)).flatMap((row) => partsOf(String(row.sql))),
  );
  return found.flat();
}

/** Each column and constraint of a table with the table's name; an index is one part. */
function partsOf(sql: string): readonly string[] {
  const [, name, columns] = /^(CREATE TABLE "\w+") \((.*)\)$/s.exec(sql) ?? [];
  if (columns === undefined) return [sql];
  return columns.split(/, (?=["a-z])/).map((part) => `${name}: ${part}`);
}

/** Of both databases together. */
async function rowsIn(home: Home): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  await inDatabases(home, async (run) => {
    const tables = await run("select name from sqlite_master where type = 'table' order by name");
    for (const { name } of tables) {
      const newer = NEWER_ROWS.get(name);
      const which = newer === undefined ? '' : ` where not (${newer})`;
      const rows = Number((await run(`select count(*) as n from "${name}"${which}`))[0]?.n);
      if (name === NEWER_NOTES) continue;
      if (NEWER_TABLES.includes(String(name)) && rows === 0) continue;
      counts[String(name)] = (counts[String(name)] ?? 0) + rows;
    }
  });
  return counts;
}

type Run = Awaited<ReturnType<typeof connect>>['run'];

async function inDatabases<T>({ dir }: Home, look: (run: Run) => Promise<T>): Promise<T[]> {
  const files = DATABASES.map((name) => join(dir, SANDBOX, name)).filter(existsSync);
  const found: T[] = [];
  for (const file of files) found.push(await look((await connect(file)).run));
  return found;
}
