import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Atomic } from '../../src/domain/money/money.ts';
import type { Product } from '../../src/domain/product/product.ts';
import { createGeneratedCatalog } from '../../src/sandbox/catalog/generated.ts';
import { SCENARIOS, SETUP_SCENARIOS, scenarioFor } from '../../src/sandbox/scenarios.ts';
import { createSandboxSupplier } from '../../src/sandbox/supplier.ts';
import {
  goodsIn,
  type Supplier,
  type SupplyOutcome,
  type SupplyRequest,
} from '../../src/service/delivery/supplier.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

const catalog = createGeneratedCatalog({ seed: 'scrip' });
const CODE = /^TEST(-[2-9A-HJ-NP-Z]{4}){3}$/;
const ACTIVATION = /^LPA:1\$sandbox\.example\$TEST(-[2-9A-HJ-NP-Z]{4}){3}$/;
const seed = new Uint8Array(32).fill(7);

function goods(countryCode: string, brandName: string): Product {
  const [product] = catalog.products(countryCode, { brandName });
  if (!product) throw new Error(`no ${brandName} in ${countryCode}`);
  return product;
}

function request(beneficiary: string, product = goods('us', 'Amazon.com')): SupplyRequest {
  return { product, faceValue: 10_000_000n as Atomic, beneficiary };
}

function voucherOf(outcome: SupplyOutcome) {
  if (outcome.outcome !== 'fulfilled') throw new Error(`not fulfilled but ${outcome.outcome}`);
  return outcome.voucher;
}

let store: Store;
let clock: ManualClock;
let supplier: Supplier;

beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  clock = manualClock();
  supplier = createSandboxSupplier({ store, clock, seed });
});
afterEach(() => store.close());

/** Asks until there is an outcome that is not pending, counting the answers that are lost. */
async function fulfilPatiently(reference: string, asked: SupplyRequest, calls = 5) {
  let lost = 0;
  let waitedMs = 0;
  for (let call = 0; call < calls; call += 1) {
    const outcome = await supplier.fulfil(reference, asked).catch(() => undefined);
    if (outcome === undefined) lost += 1;
    else if (outcome.outcome !== 'pending') return { outcome: outcome.outcome, lost, waitedMs };
    else {
      waitedMs += outcome.retryAfterMs;
      clock.advance(outcome.retryAfterMs);
    }
  }
  return { outcome: 'none', lost, waitedMs };
}

describe('a scenario', () => {
  const accounts = SCENARIOS.flatMap((scenario) => [
    { scenario, account: `ann+${scenario.name}@example.com` },
    { scenario, account: `+551191234${scenario.phoneEnding}` },
  ]);

  it.each(accounts)('$scenario.name is what $account gets', async ({ scenario, account }) => {
    expect(scenarioFor(account)).toBe(scenario);
    const asked = request(account);
    if (scenario.check === 'unreachable') {
      await expect(supplier.check(asked)).rejects.toMatchObject({ code: 'MERCHANT_ERROR' });
      await expect(supplier.fulfil('r', asked)).rejects.toMatchObject({ code: 'MERCHANT_ERROR' });
      expect(await store.tables.purchases.count()).toBe(0);
      return;
    }
    expect(await supplier.check(asked)).toBe(scenario.check);
    const isAnswered = scenario.lostAnswers < 5;
    expect(await fulfilPatiently('r', asked)).toEqual({
      outcome: !isAnswered ? 'none' : scenario.refusal ? 'refused' : 'fulfilled',
      lost: Math.min(5, scenario.lostAnswers),
      waitedMs: scenario.pendingMs,
    });
    expect(await store.tables.purchases.count()).toBe(1);
  });

  it('is documented as the code has it', () => {
    const text = readFileSync(new URL('../../docs/operate/scenarios.md', import.meta.url), 'utf8');
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows).toEqual([
      ...SCENARIOS.map(
        ({ name, phoneEnding, meaning }) =>
          `| \`${name}\` | \`ann+${name}@example.com\` | ends in \`${phoneEnding}\` | ${meaning} |`,
      ),
      ...SETUP_SCENARIOS.map(
        ({ name, meaning }) => `| \`${name}\` | \`ann+${name}@example.com\` | ${meaning} |`,
      ),
    ]);
  });

  it('is chosen by the last tag alone, whatever its case, and by nothing that only looks like it', () => {
    const nameFor = (account: string) => scenarioFor(account).name;
    expect(nameFor('ann+news+FAILING@example.com')).toBe('failing');
    for (const account of ['failing@example.com', 'ann+x@failing.example', 'ann9903@example.com']) {
      expect(nameFor(account)).toBe('instant');
    }
  });
});

describe('a reference', () => {
  it('is bought under once, and gives the same voucher at every call', async () => {
    const asked = request('ann@example.com');
    const first = await supplier.fulfil('r', asked);
    clock.advance(86_400_000);
    expect(await supplier.fulfil('r', asked)).toEqual(first);
    const row = await store.tables.purchases.byReference('r');
    expect(row).toMatchObject({ attempts: 2, outcome: 'fulfilled', voucher: null });
    expect(await store.tables.purchases.count()).toBe(1);
  });

  it('is bought under once by twenty calls at a time', async () => {
    const asked = request('ann@example.com');
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => supplier.fulfil('r', asked)),
    );
    expect(new Set(outcomes.map((outcome) => voucherOf(outcome).voucherCode)).size).toBe(1);
    expect(await store.tables.purchases.count()).toBe(1);
  });

  it('is on record before an answer is lost, and the next answers are of that purchase', async () => {
    const asked = request('ann+unknown@example.com');
    await expect(supplier.fulfil('r', asked)).rejects.toMatchObject({ code: 'MERCHANT_ERROR' });
    const recorded = await store.tables.purchases.byReference('r');
    expect(recorded).toMatchObject({ attempts: 1, outcome: 'fulfilled' });
    await expect(supplier.fulfil('r', asked)).rejects.toMatchObject({ retryable: true });
    const restarted = createSandboxSupplier({ store, clock, seed });
    expect(voucherOf(await restarted.fulfil('r', asked)).voucherCode).toMatch(CODE);
    expect(await store.tables.purchases.count()).toBe(1);
  });

  it('stands for one request: another one under it is a broken rule', async () => {
    await supplier.fulfil('r', request('ann@example.com'));
    await expect(supplier.fulfil('r', request('bob@example.com'))).rejects.toThrow(/used before/);
    expect(await store.tables.purchases.byReference('r')).toMatchObject({ attempts: 1 });
  });

  it('gives another code than the next one, and than another sandbox', async () => {
    const asked = request('ann@example.com');
    const other = createSandboxSupplier({ store, clock, seed: new Uint8Array(32).fill(8) });
    const codes = [
      voucherOf(await supplier.fulfil('a', asked)).voucherCode,
      voucherOf(await supplier.fulfil('b', asked)).voucherCode,
      voucherOf(await other.fulfil('a', asked)).voucherCode,
    ];
    expect(new Set(codes).size).toBe(3);
  });

  it('leaves no code in the ledger', async () => {
    const { voucherCode = '' } = voucherOf(await supplier.fulfil('r', request('ann@example.com')));
    const row = await store.tables.purchases.byReference('r');
    expect(JSON.stringify(row)).not.toContain(voucherCode);
  });
});

describe('a voucher', () => {
  const buy = async (product: Product, beneficiary = 'ann@example.com') =>
    voucherOf(await supplier.fulfil(product.productId, request(beneficiary, product)));

  it('of a gift card is a code and another serial, shown in the order', async () => {
    const voucher = await buy(goods('us', 'Amazon.com'));
    expect(voucher.pinSerial).not.toBe(voucher.voucherCode);
    expect(voucher.redeemInstructions).toContain('Amazon.com');
  });

  it.each([
    ['a gift card', 'us', 'Amazon.com', { voucherCode: CODE, pinSerial: CODE }],
    ['electronic money', 'de', 'paysafecard', { securityCode: CODE }],
    ['an eSIM', 'us', 'eSIM', { voucherCode: ACTIVATION }],
    ['a donation', 'us', 'UNICEF', { voucherCode: CODE }],
  ])('of %s has its codes', async (_kind, country, brand, codes) => {
    const voucher = await buy(goods(country, brand));
    expect(voucher.deliveryType).toBe('inline');
    for (const [name, form] of Object.entries(codes)) {
      expect(voucher[name as keyof typeof codes]).toMatch(form);
    }
  });

  it('of a top-up is a confirmation without a code', async () => {
    const voucher = await buy(goods('br', 'Claro Credits'), '+5511912345678');
    expect(voucher).not.toHaveProperty('voucherCode');
    expect(voucher).toMatchObject({
      pinSerial: expect.stringMatching(CODE),
      deliveryType: 'by_sms',
    });
    expect(voucher.redeemInstructions).toContain('10 BRL');
  });
});

it('a brand that is out of stock is, whatever the beneficiary', async () => {
  const brand = { ...goods('us', 'Amazon.com').brand, isOutOfStock: true };
  const product = { ...goods('us', 'Amazon.com'), brand };
  expect(await supplier.check(request('ann@example.com', product))).toBe('out_of_stock');
});

it('sells goods of every kind that a shop takes, other ones under each reference', async () => {
  const products = catalog.countries.flatMap(({ code }) => catalog.products(code));
  const kinds = new Map(products.map((product) => [product.brand.kind, product]));
  expect([...kinds.keys()].sort()).toEqual(['esim', 'giftcard', 'mobile_topup', 'other']);
  for (const [kind, product] of kinds) {
    const asked = request(kind === 'mobile_topup' ? '+15005550006' : 'ann@example.com', product);
    const sold = await Promise.all(
      ['one', 'two'].map(async (reference) => {
        const outcome = await supplier.fulfil(`${kind} ${reference}`, asked);
        return goodsIn(voucherOf(outcome), asked)?.redeems;
      }),
    );
    expect(sold).not.toContain(undefined);
    if (kind !== 'mobile_topup') expect(new Set(sold).size).toBe(2);
  }
});
