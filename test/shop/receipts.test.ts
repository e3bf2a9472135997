/** Receipt numbers of several servers on one PostgreSQL. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { recordSales } from '../../src/shop/sales.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';
import { bundleProgram } from '../support/bundle.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ORDERS = 12;

it('have no gap and no duplicate while three servers sell and one is killed within its write', async () => {
  const database = await createDatabase();
  await (await openPostgresStore(database.address)).close();
  const program = await bundleProgram('selling-process', tempFolder());
  const ended = ['one', 'two', 'three'].map(async (name, index) => {
    const dieAt = index === 2 ? ['5'] : [];
    const words = [program, database.address, name, String(ORDERS), ...dieAt];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'inherit', 'inherit'] });
    const [code, signal] = await once(child, 'exit');
    return code ?? signal;
  });
  expect(await Promise.all(ended)).toEqual([0, 0, 'SIGKILL']);
  const store = await openPostgresStore(database.address);
  await recordSales(store);
  await store.close();
  const rows = await database.run('select receipt, order_id from sales order by receipt');
  const paid = await database.run(
    `select order_id from partner_orders where payment_state = 'PaymentReceived'`,
  );
  expect(rows.map(({ receipt }) => Number(receipt))).toEqual(paid.map((_, at) => at + 1));
  const ids = (of: typeof rows) => of.map(({ order_id: id }) => id).toSorted();
  expect(ids(rows)).toEqual(ids(paid));
  expect(paid).toHaveLength(2 * ORDERS + 5);
});
