/** A process of its own: `counting-process <database> <times>` counts a fact up in write transactions. */
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { increment } from './increment.ts';

const [path = '', times = '0'] = process.argv.slice(2);
const store = await openSqliteStore(path);
for (let index = 0; index < Number(times); index += 1) {
  await store.write(({ facts }) => increment(facts));
}
await store.close();
