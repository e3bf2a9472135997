/** Each named place of the service is passed by a plain order, and in the order of the table. */

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/contract/fetch.ts';
import { SERVICE_POINTS, type ServicePoint } from '../../src/domain/journal/fail-points.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { buyerTools, quotedRequest } from '../support/buyer.ts';
import { skippingClock } from '../support/manual-clock.ts';
import { purchase } from '../support/purchase.ts';
import { random } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';

const reached: ServicePoint[] = [];
const dir = tempFolder();

beforeAll(async () => {
  await buyOnce((point) => reached.push(point));
});

async function buyOnce(failPoint: (point: ServicePoint) => void): Promise<void> {
  const clock = skippingClock();
  const signer = signerFromSeed(new Uint8Array(32).fill(9));
  const baseUrl = 'http://sandbox.example';
  const dataDir = join(dir, 'sandbox');
  const sandbox = await openSandbox({ dataDir, clock, random, baseUrl, failPoint });
  await sandbox.fund(signer.address, { usdcAtomic: 100_000_000n, lamports: 0n });
  const fetch: Fetch = async (url, init) => {
    const reply = await sandbox.fetch(url, init);
    await sandbox.tick();
    return reply;
  };
  const buyer = { fetch, baseUrl, clock, signer, random, journalDir: join(dir, 'journal') };
  const request = await quotedRequest(buyer, { key: 'key', email: 'a@example.com' });
  expect(await purchase(await buyerTools(buyer), request)).toMatchObject({ kind: 'delivered' });
  await sandbox.close();
}

describe('fail points of the service', () => {
  it.each(SERVICE_POINTS)('%s is reached', (point) => {
    expect(reached).toContain(point);
  });

  it('are passed in the order of the table', () => {
    const firsts = SERVICE_POINTS.map((point) => reached.indexOf(point));
    expect(firsts).toEqual(firsts.toSorted((left, right) => left - right));
  });
});
