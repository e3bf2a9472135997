/** What is said where a database cannot be used, and how to mend it. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { t } from '../../src/domain/message/message.ts';
import { databaseLabel, openStore } from '../../src/store/open.ts';
import { asScripError } from '../../src/store/postgres-errors.ts';
import { createDatabase, type TestDatabase } from '../support/postgres-server.ts';

const NAMED = t`the variable ${'SHOP'}`;
const failed = (code: string, message = 'failed', syscall = 'connect') =>
  Object.assign(new Error(message), code === '' ? {} : { code, syscall });

describe('an error of connecting', () => {
  it.each([
    [failed('ECONNREFUSED'), 'Start PostgreSQL, or correct host and port in the variable SHOP.'],
    [failed('EAI_AGAIN'), 'Start PostgreSQL, or correct host and port in the variable SHOP.'],
    [failed('ENOENT'), 'Start PostgreSQL, or correct host and port in the variable SHOP.'],
    [failed('', 'timeout expired'), 'Start PostgreSQL, or correct host and port in the'],
    [failed('57P03'), 'Start PostgreSQL, or correct host and port in the variable SHOP.'],
  ])('of a server that is away is told as such: %s', (cause, hint) => {
    const error = asScripError(cause, NAMED);
    expect(error).toMatchObject({ code: 'STORE_UNUSABLE', details: { isAway: true } });
    expect(String(error.hint)).toContain(hint);
  });

  it.each([
    [failed('28P01'), 'Correct the user and password in the variable SHOP.'],
    [failed('', 'SASL: client password must be a string'), 'Correct the user and password in'],
    [failed('3D000'), 'or correct its name in the variable SHOP.'],
    [failed('ENOTFOUND'), 'Correct the host in the variable SHOP.'],
    [failed('ENOENT', 'no such file', 'open'), 'Check PostgreSQL and the variable SHOP.'],
    [failed('', 'The server does not support SSL connections'), 'Turn TLS on in the server'],
    [failed('42501'), 'Make the user the owner of its database'],
  ])('that waiting does not change says what to correct: %s', (cause, hint) => {
    const error = asScripError(cause, NAMED);
    expect(error).toMatchObject({ code: 'STORE_UNUSABLE', details: {} });
    expect(error.details.isAway).toBeUndefined();
    expect(String(error.hint)).toContain(hint);
  });

  it('of several addresses has the words of each', () => {
    const both = new AggregateError([failed('', 'refused one'), failed('', 'refused two')]);
    expect(asScripError(Object.assign(both, { code: 'ECONNREFUSED' })).message).toBe(
      'The store failed: refused one; refused two',
    );
  });
});

describe('an address', () => {
  it.each([
    ['postgres://me:p#ss@127.0.0.1/shop', 'in a password, # is %23'],
    ['mysql://127.0.0.1/shop', 'Write postgres://user:password@host:5432/database, or the path'],
    ['postgres://127.0.0.1:1/shop?sslmode=prefer', 'disable, require, verify-ca, verify-full'],
    ['postgres://127.0.0.1:1/shop?sslmode=on', 'disable, require, verify-ca, verify-full'],
  ])('%s is refused at once, with how to write it', async (address, hint) => {
    const error = await openStore(address, { named: NAMED }).catch((thrown: unknown) => thrown);
    expect(String((error as { hint?: unknown }).hint)).toContain(hint);
    expect(String((error as { hint?: unknown }).hint)).toContain('the variable SHOP');
    expect(String(error)).not.toContain('p#ss');
  });

  it.each([
    [
      'postgres://me:secret@db.example:5433/shop?sslmode=require',
      'postgres://db.example:5433/shop',
    ],
    ['postgresql:///shop?host=/run/postgresql', 'postgres:///run/postgresql/shop'],
    ['postgres://me:p#ss@127.0.0.1/shop', 'postgres://me'],
    ['sqlite:shop.db', 'shop.db'],
    ['data/shop.db', 'data/shop.db'],
  ])('%s is told without user and password', (address, label) => {
    expect(databaseLabel(address)).not.toMatch(/secret|ss@/);
    if (!address.includes('#')) expect(databaseLabel(address)).toBe(label);
  });
});

describe('a user of the database', () => {
  let database: TestDatabase;
  let address: string;
  const user = 'scrip_app';
  beforeAll(async () => {
    database = await createDatabase();
    await database.run(`create role ${user} login`);
    address = database.address.replace('postgres@', `${user}@`);
  });
  afterAll(async () => {
    await database.run(`drop owned by ${user}`);
    await database.run(`drop role ${user}`);
    await database.drop();
  });

  it('without rights is told which it needs', async () => {
    await database.run('revoke create on schema public from public');
    await expect(openStore(address)).rejects.toMatchObject({
      code: 'STORE_UNUSABLE',
      message: expect.stringContaining('permission denied'),
      hint: expect.objectContaining({}),
    });
    await database.run(`grant create on schema public to ${user}`);
  });

  it('who may no longer log in fails a read that waits, by the server’s own word', async () => {
    const store = await openStore(address);
    const locker = new pg.Client({ connectionString: database.address });
    await locker.connect();
    await locker.query('begin; lock table facts in access exclusive mode');
    const read = store.tables.facts.get('any');
    const waits =
      "select pid from pg_stat_activity where usename = 'scrip_app' and wait_event_type = 'Lock'";
    await expect.poll(async () => (await database.run(waits)).length).toBe(1);
    await database.run(`alter role ${user} nologin`);
    await database.run(`select pg_terminate_backend(pid) from (${waits}) as waiting`);
    await expect(read).rejects.toMatchObject({
      code: 'STORE_UNUSABLE',
      message: expect.stringContaining('is not permitted to log in'),
    });
    await locker.end();
    await database.run(`alter role ${user} login`);
    await store.close();
  });
});
