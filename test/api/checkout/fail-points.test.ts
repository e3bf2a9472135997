/** Each named place of a purchase is passed by some purchase: a point that none reaches tests nothing. */

import { beforeAll, describe, expect, it } from 'vitest';
import type { PurchaseDeps } from '../../../src/api/checkout/purchase-deps.ts';
import { watchedDisk } from '../../../src/disk/files.ts';
import {
  CLIENT_POINTS,
  type ClientPoint,
  countHits,
} from '../../../src/domain/journal/fail-points.ts';
import { createHttpFetch } from '../../../src/net/fetch.ts';
import { openJournal } from '../../../src/records/journal-files.ts';
import { hostThat } from '../../support/at-end.ts';
import { purchase } from '../../support/purchase.ts';
import { aRequest, type Fault, makeWorld, type World } from '../../support/purchase-world.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const reached: ClientPoint[] = [];
const reach = (point: ClientPoint): void => {
  reached.push(point);
};

const dir = tempFolder();

function watching(world: World, over: Partial<PurchaseDeps> = {}): PurchaseDeps {
  const journal = openJournal({ dir, payer: world.signer.address, disk: watchedDisk(reach) });
  return world.deps({ failPoint: reach, journal, ...over });
}

async function buy(key: string, faults: readonly Fault[], prepare = (_: World) => {}) {
  const world = await makeWorld();
  world.faults.push(...faults);
  prepare(world);
  await purchase(watching(world), aRequest({ key, allowsDuplicate: true }));
}

describe('fail points of a purchase', () => {
  beforeAll(async () => {
    await buy('plain', []);
    await buy('expired', Array<Fault>(30).fill('request lost'));
    await buy('landed late', [], (world) => {
      world.delivery.afterMs = 40_000;
    });
    const world = await makeWorld();
    world.faults.push('settled, order forgotten', ...Array<Fault>(40).fill('refused'));
    await purchase(watching(world), aRequest({ key: 'forgotten', allowsDuplicate: true }));
    // A payment is dated by the chain, which may be ahead of this clock.
    world.clock.advance(2 * DAY_MS);
    world.faults.push(...Array<Fault>(40).fill('refused'));
    await purchase(watching(world), aRequest({ key: 'forgotten', allowsDuplicate: true }));
    await paidOverHttp();
  });

  it.each(CLIENT_POINTS)('%s is reached', (point) => {
    expect(reached).toContain(point);
  });

  it('are passed in the order of the table', () => {
    const firsts = CLIENT_POINTS.map((point) => reached.indexOf(point));
    const plain = firsts.filter((_, index) => !LATE.has(CLIENT_POINTS[index] ?? 'signed'));
    expect(plain).toEqual(plain.toSorted((left, right) => left - right));
  });
});

/** Not passed by a purchase without trouble, or not by one in this process. */
const LATE: ReadonlySet<ClientPoint> = new Set([
  'payment-sent',
  'dead-recorded',
  'landed-recorded',
  'attention-recorded',
]);

async function paidOverHttp(): Promise<void> {
  const url = await hostThat((_request, response) => response.end());
  const fetch = createHttpFetch({ paymentSent: () => reach('payment-sent') });
  const init = { method: 'POST', headers: { 'PAYMENT-SIGNATURE': 'x' }, body: '{}' };
  await (await fetch(url, init)).text();
}

describe('a named fail point', () => {
  it('is hit the first time by default, and the n-th time on demand', () => {
    const first = countHits('submitted');
    expect(['submitted', 'signed', 'submitted'].map((name) => first(name as ClientPoint))).toEqual([
      true,
      false,
      false,
    ]);
    const third = countHits('submitted:3');
    expect([1, 2, 3, 4].map(() => third('submitted'))).toEqual([false, false, true, false]);
  });

  it.each(['', 'nowhere', 'submitted:0', 'submitted:x', 'submitted:1:2', ':1'])(
    'is refused when it is "%s"',
    (spec) => {
      expect(() => countHits(spec)).toThrow(
        expect.objectContaining({ code: 'INPUT_INVALID' }) as Error,
      );
    },
  );
});
