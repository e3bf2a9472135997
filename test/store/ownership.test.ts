/** A database is opened by the program that began it, with its secret, on its chain. */
import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { t } from '../../src/domain/message/message.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { chainIdIn, openBegunShop, openChainStore } from '../../src/sandbox/data-folder.ts';
import { openSandboxAdmin } from '../../src/sandbox/sandbox-admin.ts';
import { keepChain } from '../../src/shop/nodes.ts';
import { openBegunShop as openShopForAdmin, openShopStore } from '../../src/shop/shop-store.ts';
import { openStore } from '../../src/store/open.ts';
import { adoptChain, type ChainAhead } from '../../src/store/ownership.ts';
import { latestVersion, SHOP_SCHEMA } from '../../src/store/schema.ts';
import type { Store } from '../../src/store/store.ts';
import { ENGINES } from '../support/engines.ts';
import { manualClock } from '../support/manual-clock.ts';
import { createDatabase, type TestDatabase } from '../support/postgres-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const BEFORE = latestVersion(SHOP_SCHEMA) - 1;

/** A node with the genesis hash of mainnet; a sandbox's chain tells its own id, others refuse to. */
function node(chain: string | { readonly code: number }) {
  const told = typeof chain === 'string' ? { result: chain } : { error: chain };
  return createSolanaRpc({
    url: 'http://node.invalid',
    clock: manualClock(),
    fetch: async (_url, { body } = {}) => {
      const { id, method } = JSON.parse(String(body));
      const genesis = { result: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' };
      return Response.json({ id, ...(method === 'getGenesisHash' ? genesis : told) });
    },
  });
}

describe.each(ENGINES)('a shop in %s', (engine) => {
  let folder: string;
  let server: TestDatabase | undefined;
  let database: string;
  beforeEach(async () => {
    folder = tempFolder();
    for (const name of ['one', 'two']) mkdirSync(join(folder, name));
    server = engine === 'PostgreSQL' ? await createDatabase() : undefined;
    database = server?.address ?? join(folder, 'shop.db');
  });
  afterEach(async () => {
    await server?.drop();
  });

  const hint = t`Name the right one.`;
  const ON_A: ChainAhead = { where: 'a', id: async () => 'chain a', hint };
  const ON_B: ChainAhead = { where: 'b', id: async () => 'chain b', hint };
  const UNTOLD: ChainAhead = { where: 'c', id: async () => undefined, hint };
  const sandbox = async (name = 'one', chain = ON_A): Promise<void> => {
    const place = { dataDir: join(folder, name), database };
    const { store } = await openBegunShop(place, chain);
    await adoptChain(store, chain).finally(store.close);
  };
  const parts = (seed: string) => ({
    draw: () => (purpose: string) => createHmac('sha256', seed).update(purpose).digest(),
    database: () => ({ address: database, named: t`the variable ${'SHOP'}` }),
  });
  const shop = async (seed = 'seed'): Promise<void> =>
    (await openShopStore(parts(seed))).store.close();
  const operator = () => ({ clock: manualClock(), who: 'me', random: () => new Uint8Array(8) });
  const sandboxAdmin = async () => {
    const dataDir = join(folder, 'one');
    await (await openSandboxAdmin({ dataDir, chainDir: dataDir, database }, operator())).close();
  };
  const shopAdmin = async () => (await openShopForAdmin(parts('seed'))).store.close();
  const facts = async <Result>(work: (store: Store) => Promise<Result>): Promise<Result> => {
    const store = await openStore(database);
    return work(store).finally(store.close);
  };
  const tables = async (): Promise<number> =>
    server
      ? (await server.run("select from pg_tables where schemaname = 'public'")).length
      : Number(existsSync(database));

  it('of scrip sandbox is not opened by scrip serve, and nothing in it changes', async () => {
    await sandbox();
    await downgrade();
    const refused = { code: 'STORE_UNUSABLE', message: expect.stringMatching(/of scrip sandbox/) };
    await expect(shop()).rejects.toMatchObject(refused);
    await expect(shopAdmin()).rejects.toMatchObject(refused);
    expect(await version()).toBe(BEFORE);
  });

  it('of scrip serve is not opened by scrip sandbox, and nothing is made', async () => {
    await shop();
    await downgrade();
    const refused = { code: 'STORE_UNUSABLE', message: expect.stringMatching(/of scrip serve/) };
    await expect(sandbox()).rejects.toMatchObject(refused);
    await expect(sandboxAdmin()).rejects.toMatchObject(refused);
    expect(await version()).toBe(BEFORE);
    expect(readdirSync(join(folder, 'one'))).toEqual([]);
  });

  it('is refused to another secret, and opened with its own', async () => {
    await sandbox();
    await expect(sandbox('two')).rejects.toThrow(/There is no secret.key in .*two/);
    expect(readdirSync(join(folder, 'two'))).toEqual([]);
    await sandbox();
  });

  it('is refused to another seed, and opened with its own', async () => {
    await shop();
    await expect(shop('other')).rejects.toThrow('The master seed does not belong');
    await shop();
    await shopAdmin();
  });

  it('into which an earlier version let both write is of scrip serve', async () => {
    await sandbox();
    const fingerprint = Buffer.from(parts('seed').draw()('fingerprint')).toString('hex');
    await facts(({ tables }) => tables.facts.set('master seed fingerprint', fingerprint));
    await shop();
    await expect(sandbox()).rejects.toThrow(/of scrip serve/);
  });

  it('is begun by one of both, if both find it empty', async () => {
    const ends = await Promise.allSettled([sandbox(), shop()]);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('stays on the chain that it was begun on', async () => {
    await sandbox('one', ON_A);
    await expect(sandbox('one', ON_B)).rejects.toThrow(
      'The shop was begun on another chain than the one at b',
    );
    await expect(sandbox('one', UNTOLD)).rejects.toThrow(/another chain/);
    await sandbox('one', ON_A);
  });

  it('that was begun before chains were remembered adopts the next one that tells', async () => {
    await sandbox('one', UNTOLD);
    await sandbox('one', ON_B);
    await expect(sandbox('one', ON_A)).rejects.toThrow(/another chain/);
  });

  it('of scrip serve stays on mainnet, or on the sandbox chain that has its name', async () => {
    const { store } = await openShopStore(parts('seed'));
    try {
      await expect(keepChain(store, node({ code: 429 }))).rejects.toMatchObject({
        code: 'CHAIN_UNREACHABLE',
      });
      await keepChain(store, node({ code: -32_601 }));
      await expect(keepChain(store, node('test chain'))).rejects.toMatchObject({
        code: 'STORE_UNUSABLE',
        message: 'The shop was begun on another chain than the one at chain.rpc',
      });
      await keepChain(store, node({ code: 403 }));
    } finally {
      await store.close();
    }
  });

  it('has to be there for commands that work on it, which make nothing', async () => {
    const missing = { code: 'INPUT_INVALID', message: 'There is no shop in this database' };
    await expect(sandboxAdmin()).rejects.toMatchObject(missing);
    await expect(shopAdmin()).rejects.toMatchObject(missing);
    expect(await tables()).toBe(0);
  });

  it('is not brought to tables with which an open server cannot go on', async () => {
    const { store } = await openShopStore(parts('seed'));
    await store.write((tables) => store.presence.note(tables));
    const lockedOut = SHOP_SCHEMA.oldestVersion - 1;
    await downgrade(lockedOut);
    const refused = { code: 'STORE_UNUSABLE', message: expect.stringMatching(/^A server of an/) };
    await expect(shop()).rejects.toMatchObject(refused);
    expect(await version()).toBe(lockedOut);
    await store.close();
    // None is open: the steps run, which are in these tables already.
    await expect(shop()).rejects.not.toMatchObject(refused);
  });

  /** As a version before this one left it. */
  const downgrade = async (to = BEFORE) => {
    if (server) return server.run(`update scrip_schema set version = ${to}, latest = null`);
    await withFile('pragma application_id = 0');
    return withFile(`pragma user_version = ${to}`);
  };
  const version = async () => {
    if (server) return (await server.run('select version from scrip_schema'))[0]?.version;
    return (await withFile('pragma user_version'))[0]?.user_version;
  };
  const withFile = async (statement: string) => {
    const { connect } = await import('../../src/store/sqlite-driver.ts');
    const { close, run } = await connect(database);
    return run(statement).finally(() => close());
  };
});

it('a folder without a chain has none, and is not given one', async () => {
  const folder = tempFolder();
  expect(await chainIdIn(folder)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
  await (await openChainStore(folder)).close();
  expect(await chainIdIn(folder)).toBeUndefined();
});
