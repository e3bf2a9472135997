/** Whether a store takes writes, as monitors are told. */
import { afterEach, describe, expect, it } from 'vitest';
import { watchWrites } from '../../src/service/http/health.ts';
import { openPostgresStore } from '../../src/store/postgres.ts';
import type { Store } from '../../src/store/store.ts';
import { manualClock } from '../support/manual-clock.ts';
import { createDatabase, type TestDatabase } from '../support/postgres-server.ts';

let database: TestDatabase;
let opened: Store;
afterEach(async () => {
  await opened.close();
  await database.drop();
});

/** A disk on which a table cannot grow, while a row of another is still changed in its place. */
const FULL = `
create function full_disk() returns trigger language plpgsql as
  $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
create trigger full_disk before insert on payment_leases for each row execute function full_disk();
`;

describe('a store that is watched', () => {
  it('cannot be written for a while once it refused a write, although a small one succeeds', async () => {
    database = await createDatabase();
    opened = await openPostgresStore(database.address);
    const clock = manualClock();
    const { store, check } = watchWrites(opened, clock);
    await check();
    await database.run(FULL);
    const lease = { orderId: 'o', holder: 'h', endsAtMs: 0, passedOn: 0 };
    await expect(
      store.write(({ paymentLeases }) => paymentLeases.put(lease)),
    ).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
    await store.write(({ facts }) => facts.set('small', 'one'));
    await expect(check()).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
    clock.advance(30_000);
    await check();
  });
});
