/** Payments on Base whose gas a facilitator elsewhere pays: the logs of our own nodes alone decide. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Fetch } from '../../../src/contract/fetch.ts';
import type { SettleResponse } from '../../../src/contract/x402.ts';
import { evmSigner } from '../../../src/rails/evm/secp256k1.ts';
import { createFacilitatorClient } from '../../../src/rails/facilitator-http.ts';
import type { Facilitator } from '../../../src/rails/merchant-rail.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { EVM_AMOUNT, EVM_PAYER, evmRequirement, secretOf } from '../../support/evm-payment.ts';
import { evmShop } from '../../support/evm-shop.ts';
import { type EvmWorld, evmWorld } from '../../support/evm-world.ts';

const ELSEWHERE = evmSigner(secretOf('fees elsewhere'));
const FINAL_MS = 30 * 60_000;

let world: EvmWorld;
/** Ours, and the one of the facilitator elsewhere. */
let [store, other]: Store[] = [];
let shop: ReturnType<typeof evmShop>;
let reports: string[];
/** What the facilitator says in place of what it did; undefined answers nothing. */
let says: (told: SettleResponse) => SettleResponse | undefined;
let isAway: boolean;
let settles: boolean;
beforeAll(async () => {
  world = await evmWorld();
  await world.evm.chain.fund(EVM_PAYER.address, { usdcAtomic: 10_000_000_000n, wei: 0n });
  await world.evm.chain.fund(ELSEWHERE.address, { usdcAtomic: 0n, wei: 10n ** 18n });
  world.evm.clock.advance(60_000);
  shop = evmShop(world, () => store as Store);
});
afterAll(() => world.evm.close());
beforeEach(async () => {
  [store, other] = [await openSqliteStore(':memory:'), await openSqliteStore(':memory:')];
  [reports, isAway, settles, says] = [[], false, true, (told) => told];
  return async () => {
    await store?.close();
    await other?.close();
  };
});

/** A facilitator of another operator, with a fee account and records of its own. */
function elsewhere(): Fetch {
  const facilitator = evmShop(world, () => other as Store).facilitator(
    {},
    { feeAccount: ELSEWHERE },
  );
  const answer = async (path: string, body: string): Promise<unknown> => {
    if (path === '/supported') return facilitator.supported();
    const { paymentPayload, paymentRequirements } = JSON.parse(body);
    const network = paymentRequirements.network;
    const unsettled = {
      success: false,
      transaction: '',
      network,
      errorReason: 'settlement_pending',
    };
    return says(
      settles ? await facilitator.settle(paymentPayload, paymentRequirements) : unsettled,
    );
  };
  return async (url, init) => {
    if (isAway) throw new TypeError('fetch failed');
    const told = await answer(new URL(url).pathname, String(init?.body ?? ''));
    if (told === undefined) throw new TypeError('the reply was lost');
    return Response.json(told);
  };
}

/** A process of the shop: its own fee account has no ETH. */
function facilitator(): Facilitator {
  const { clock } = world.evm;
  return shop.facilitator(
    {},
    {
      client: createFacilitatorClient({
        url: 'https://elsewhere.example',
        fetch: elsewhere(),
        clock,
      }),
      report: (error) => reports.push(String(error)),
    },
  );
}

const requirement = evmRequirement();

it('settles a payment, whose gas our fee account does not pay', async () => {
  const before = await shop.received();
  const payload = await shop.good();
  const made = facilitator();
  await made.checkFunds();
  expect(await made.verify(payload, requirement)).toMatchObject({ isValid: true });
  const settled = await made.settle(payload, requirement);
  expect(settled).toMatchObject({ success: true, payer: EVM_PAYER.address });
  expect(settled.transaction).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await made.settle(payload, requirement)).toEqual(settled);
  expect([(await shop.received()) - before, await shop.sent()]).toEqual([EVM_AMOUNT, 0]);
});

it('a lost reply, and a no that is a lie, change nothing: the logs show the payment', async () => {
  for (const lie of [
    () => undefined,
    (told: SettleResponse) => ({ ...told, success: false, errorReason: 'invalid_payload' }),
    (told: SettleResponse) => ({ ...told, transaction: `0x${'ab'.repeat(32)}` }),
  ]) {
    says = lie;
    const before = await shop.received();
    const settled = await facilitator().settle(await shop.good(), requirement);
    expect(settled.success).toBe(true);
    expect(settled.transaction).not.toContain('abab');
    expect((await shop.received()) - before).toBe(EVM_AMOUNT);
  }
  expect(reports.join()).toContain('refused a payment that we accepted');
});

it('a yes without a payment is pending, and expires once its death is proven', async () => {
  settles = false;
  says = (told) => ({ ...told, success: true, transaction: `0x${'cd'.repeat(32)}` });
  const payload = await shop.good();
  const pending = await facilitator().settle(payload, requirement);
  expect(pending).toMatchObject({ success: false, errorReason: 'settlement_pending' });
  world.evm.clock.advance(FINAL_MS);
  expect(await facilitator().settle(payload, requirement)).toMatchObject({
    ...{ success: false, errorReason: 'invalid_exact_evm_authorization_expired' },
  });
});

it('away, nothing is asked for; what was handed over is settled when it is back', async () => {
  const payload = await shop.good();
  const made = facilitator();
  await made.verify(payload, requirement);
  isAway = true;
  expect(await made.settle(payload, requirement)).toMatchObject({
    errorReason: 'settlement_pending',
  });
  await expect(facilitator().checkFunds()).rejects.toMatchObject({
    code: 'FACILITATOR_UNAVAILABLE',
  });
  isAway = false;
  expect(await facilitator().settle(payload, requirement)).toMatchObject({ success: true });
});
