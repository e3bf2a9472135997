/** Each named place of the service is passed by a plain order, and in the order of the table. */

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/contract/fetch.ts';
import { BASE } from '../../src/contract/usdc.ts';
import {
  FEE_POINTS,
  SERVICE_POINTS,
  type ServicePoint,
} from '../../src/domain/journal/fail-points.ts';
import { evmSigner } from '../../src/rails/evm/secp256k1.ts';
import { fundByFaucet } from '../../src/rails/faucet.ts';
import type { PayerRail, Signer } from '../../src/rails/rail.ts';
import { openPayerRail } from '../../src/rails/registry.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { buyerTools, quotedRequest } from '../support/buyer.ts';
import { skippingClock } from '../support/manual-clock.ts';
import { purchase } from '../support/purchase.ts';
import { random } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';

const reached: ServicePoint[] = [];
const reachedOnBase: ServicePoint[] = [];

beforeAll(async () => {
  await buyOnce((point) => reached.push(point));
  await buyOnce((point) => reachedOnBase.push(point), 'on Base');
});

async function buyOnce(failPoint: (point: ServicePoint) => void, where?: 'on Base'): Promise<void> {
  const dir = tempFolder();
  const clock = skippingClock();
  const signer = signerFromSeed(new Uint8Array(32).fill(9));
  const baseUrl = 'http://127.0.0.1';
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
  const tools = await buyerTools(buyer);
  const means = where === undefined ? {} : await openBase(buyer);
  expect(await purchase({ ...tools, ...means }, request)).toMatchObject({ kind: 'delivered' });
  await sandbox.close();
}

/** The rail and a key with money on it. */
async function openBase({ baseUrl, ...parts }: Parameters<typeof buyerTools>[0]): Promise<{
  readonly rail: PayerRail;
  readonly signer: Signer;
}> {
  const signer = evmSigner(new Uint8Array(32).fill(9));
  const { fetch, clock } = parts;
  const chain = { url: `${baseUrl}/rpc/base`, fetch, clock };
  await fundByFaucet(chain, signer.address, { usdcAtomic: 100_000_000n, lamports: 0n });
  return { rail: await openPayerRail(BASE, chain), signer };
}

describe('fail points of the service', () => {
  it.each(SERVICE_POINTS)('%s is reached', (point) => {
    expect(reached).toContain(point);
  });

  it.each([...SERVICE_POINTS, ...FEE_POINTS])('%s is reached on Base', (point) => {
    expect(reachedOnBase).toContain(point);
  });

  it('are passed in the order of the table', () => {
    const broadcast = SERVICE_POINTS.indexOf('broadcast');
    const onBase = [
      ...SERVICE_POINTS.slice(0, broadcast),
      ...FEE_POINTS,
      ...SERVICE_POINTS.slice(broadcast),
    ];
    for (const [points, passed] of [
      [SERVICE_POINTS, reached],
      [onBase, reachedOnBase],
    ] as const) {
      const firsts = points.map((point) => passed.indexOf(point));
      expect(firsts).toEqual(firsts.toSorted((left, right) => left - right));
    }
  });
});
