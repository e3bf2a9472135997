/** The tables of a new database, version included: one that was made before goes on with the same. */
import { expect, it } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { openSqliteChain, openSqliteStore } from '../../src/store/sqlite.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import { makeHome } from '../support/cli.ts';
import { createDatabase } from '../support/postgres-server.ts';

type Rows = readonly Record<string, unknown>[];
const lines = (rows: Rows): string => rows.map((row) => Object.values(row).join(' ')).join('\n');

it.each([
  ['shop', openSqliteStore],
  ['chain', openSqliteChain],
])('of a %s on SQLite', async (name, open) => {
  const home = makeHome();
  const path = `${home.dir}/${name}.db`;
  await (await open(path)).close();
  const { close, run } = await connect(path);
  const tables = await run(
    `select coalesce(sql, 'automatic ' || name) from sqlite_schema order by tbl_name, type desc, name`,
  );
  const versions = [await run('pragma user_version'), await run('pragma application_id')];
  const text = `${versions.map(lines).join(' ')}\n${lines(tables)}\n`;
  await expect(text).toMatchFileSnapshot(`schema-sqlite-${name}.sql`);
  await close();
});

it('of a shop on PostgreSQL', async () => {
  const { address, run, drop } = await createDatabase();
  await (await openPostgresStore(address)).close();
  const version = await run('select version, latest from scrip_schema');
  const columns = await run(
    `select table_name, column_name, data_type, is_nullable, column_default
     from information_schema.columns where table_schema = 'public'
     order by table_name, ordinal_position`,
  );
  const indexes = await run(
    `select indexdef from pg_indexes where schemaname = 'public' order by indexname`,
  );
  const constraints = await run(
    `select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
     where connamespace = 'public'::regnamespace and contype <> 'n' order by 1, 2`,
  );
  const sequences = await run(`select sequencename from pg_sequences`);
  const text = [version, columns, indexes, constraints, sequences].map(lines).join('\n\n');
  await expect(`${text}\n`).toMatchFileSnapshot('schema-postgres.txt');
  await drop();
});
