/** What every merchant behind the port must do. */

import { beforeEach, describe, expect, it } from 'vitest';
import { findProducts } from '../../src/api/find.ts';
import type { Bought, Merchant, OrderInput } from '../../src/api/merchant.ts';
import { type Consent, type OrderRequest, order } from '../../src/api/order.ts';
import { rehearse } from '../../src/api/order-checks.ts';
import type { ScripDeps } from '../../src/api/scrip.ts';
import type { FailPoint } from '../../src/domain/journal/fail-points.ts';
import type { Entry } from '../../src/domain/journal/journal.ts';
import { ownText } from '../../src/domain/message/command-text.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { parseDecimal } from '../../src/domain/money/money.ts';

/** Somebody who buys, with a state folder of their own. */
export interface Buyer {
  readonly deps: ScripDeps;
  readonly merchant: Merchant;
}

export interface MerchantWorld {
  /** @param more in place of the usual parts */
  buyer(more?: Partial<ScripDeps>): Promise<Buyer>;
  /** Something that is sold there. */
  readonly orderInput: OrderInput;
  /** What was paid to the merchant so far: payments, not tries. */
  payments(): Promise<number>;
}

const yes: Consent = { purchase: async () => true };

export function merchantSuite(name: string, open: () => Promise<MerchantWorld>): void {
  describe(name, () => {
    let world: MerchantWorld;
    let buyer: Buyer;
    beforeEach(async () => {
      world = await open();
      buyer = await world.buyer();
    });

    const requestOf = (more: Partial<OrderRequest>): OrderRequest => ({
      key: 'gift-1',
      allowsDuplicate: false,
      allowsOtherCountry: false,
      opensAccount: false,
      isWaiting: true,
      isPaid: true,
      timeouts: { waitMs: 600_000, settleMs: undefined },
      consent: yes,
      ...more,
    });
    const buy = (more: Partial<OrderRequest> = {}, { deps, merchant } = buyer): Promise<Bought> =>
      order(deps, merchant, { orderInput: world.orderInput, request: requestOf(more) });

    /** What is chosen for, as the merchant lists it. */
    const listed = async () => {
      const [{ productId, brand: name = '' } = { productId: '' }] = world.orderInput.items;
      const { catalog } = buyer.merchant;
      const brand = (await catalog.brands('US')).find((one) => one.name === name);
      const products = await catalog.products({ country: 'us', brand: name });
      const product = products.find(({ id }) => id === productId);
      if (brand === undefined || product === undefined) throw new Error('it is not listed');
      return { brand, product };
    };

    it('says what an order would cost, and for whom, and takes nothing for it', async () => {
      const { offer, money } = await rehearse(buyer.deps, buyer.merchant, {
        orderInput: world.orderInput,
        isPaid: true,
        allowsOtherCountry: false,
      });
      expect(offer.problems).toEqual([]);
      expect(offer.lines.map(({ recipient }) => recipient.account)).toEqual([
        world.orderInput.items[0]?.to,
      ]);
      expect(offer.price?.atomic).toBeGreaterThan(0n);
      expect(offer.price?.capAtomic).toBeGreaterThanOrEqual(offer.price?.atomic ?? 0n);
      expect(money?.balanceAtomic).toBeGreaterThan(offer.price?.atomic ?? 0n);
      expect(await world.payments()).toBe(0);
      expect(await entriesOf(buyer)).toEqual([]);
    });

    it('lists what it sells, by brand and by family', async () => {
      const { catalog } = buyer.merchant;
      const { product, brand } = await listed();
      expect(product).toMatchObject({ brand: brand.name, countryCode: 'us' });
      expect(brand.facets().name).toBe(brand.name);
      const ofFamily = await catalog.products({ country: 'us', family: brand.family });
      expect(ofFamily.map(({ document }) => document)).toContainEqual(product.document);
      const [found] = await findProducts(catalog, { words: brand.name, country: 'us' });
      expect(found).toMatchObject({ isExact: true, product: { brand: brand.name } });
    });

    it('prices a product as it sells it', async () => {
      const { catalog, quote } = buyer.merchant;
      const { product, brand } = await listed();
      const wanted = { productId: product.id, country: 'US', brand: brand.name };
      const priced = await catalog.price(wanted);
      const { price } = await quote(world.orderInput);
      expect(priced).toMatchObject({ productId: product.id, brand: brand.name, coin: 'USDC' });
      const asked = parseDecimal(priced.price ?? '', price?.decimals ?? 0);
      expect([asked, parseDecimal(product.price ?? '', 6)]).toEqual([price?.atomic, price?.atomic]);
      await expect(catalog.price({ ...wanted, productId: 'nothing' })).rejects.toMatchObject({
        code: 'PRODUCT_UNKNOWN',
      });
    });

    it('knows no country and no brand that it does not sell', async () => {
      const { catalog } = buyer.merchant;
      await expect(catalog.brands('zz')).rejects.toMatchObject({ code: 'COUNTRY_UNKNOWN' });
      await expect(catalog.brands('Nowhere')).rejects.toMatchObject({ code: 'COUNTRY_UNKNOWN' });
      const strange = catalog.products({ country: 'us', brand: 'Nobody Sells This' });
      await expect(strange).rejects.toMatchObject({ code: 'BRAND_UNKNOWN' });
    });

    it('is paid once for a key, however often it is asked', async () => {
      const first = await buy();
      const again = await buy();
      expect([first.error, again.error]).toEqual([undefined, undefined]);
      expect([first.isBoughtBefore, again.isBoughtBefore]).toEqual([false, true]);
      expect(goodsOf(again)).toEqual(goodsOf(first));
      expect(goodsOf(first)).toHaveLength(1);
      expect(await world.payments()).toBe(1);
    });

    it('is told of what it sells in one agreement, and paid nothing without a yes', async () => {
      const asked: string[] = [];
      const consent: Consent = {
        purchase: async ({ offer, price, merchant, isPaid }) => {
          asked.push(`${offer.lines[0]?.name} for ${price.text} at ${merchant.host}, ${isPaid}`);
          return false;
        },
      };
      await expect(buy({ consent })).rejects.toMatchObject({
        code: 'DECLINED',
        fundsAtRisk: 'none',
      });
      expect(asked).toEqual([
        expect.stringMatching(
          new RegExp(`^.+ for [0-9.]+ at ${escaped(buyer.merchant.host)}, true$`),
        ),
      ]);
      expect(await world.payments()).toBe(0);
    });

    it('is paid nothing above what was named', async () => {
      const orderInput = { ...world.orderInput, maxAmount: '0.01' };
      const tried = order(buyer.deps, buyer.merchant, { orderInput, request: requestOf({}) });
      await expect(tried).rejects.toMatchObject({ code: 'AMOUNT_OVER_CAP' });
      expect(await world.payments()).toBe(0);
      expect(await entriesOf(buyer)).toEqual([]);
    });

    it('is not paid for the same goods again a moment later, unless that is meant', async () => {
      await buy();
      await expect(buy({ key: 'gift-2' })).rejects.toMatchObject({ code: 'DUPLICATE_PURCHASE' });
      const no = { ...yes, isAsking: true, purchase: async () => false };
      await expect(buy({ key: 'gift-2', consent: no })).rejects.toMatchObject({ code: 'DECLINED' });
      expect(await world.payments()).toBe(1);
      const meant = { ...yes, isAsking: true };
      expect((await buy({ key: 'gift-2', consent: meant })).error).toBeUndefined();
      expect((await buy({ key: 'gift-3', allowsDuplicate: true })).error).toBeUndefined();
      expect(await world.payments()).toBe(3);
    });

    it('says what is at risk when it is left, and is finished without a second payment', async () => {
      const stopped = new AbortController();
      const failPoint = (point: FailPoint) => {
        if (point === 'attempt-written') stopped.abort(interruption());
      };
      const leaving = await world.buyer({ signal: stopped.signal, failPoint });
      const left: unknown = await buy({}, leaving).catch((error: unknown) => error);
      expect(left).toMatchObject({ code: 'INTERRUPTED' });
      expect((left as ScripError).fundsAtRisk).not.toBe('none');
      const [entry] = await entriesOf(buyer);
      if (entry === undefined) throw new Error('nothing was written down');
      const timeouts = { waitMs: 600_000, settleMs: undefined };
      const { receipt, error } = await buyer.merchant.finish(entry, timeouts);
      // What never went out is proven dead or sent by whoever finishes it: nothing is signed for it.
      expect(['completed', 'unpaid']).toContain(receipt.status);
      expect(error?.fundsAtRisk ?? 'none').toBe('none');
      const { error: last } = await buy();
      expect(last).toBeUndefined();
      expect(await world.payments()).toBe(1);
    });

    it('tells how an order stands, and knows no order of others', async () => {
      const { document } = await buy();
      const standing = await buyer.merchant.follow(orderIdOf(document), {
        mode: 'auto',
        timeoutMs: 0,
      });
      expect(standing).toMatchObject({ isOver: true, error: undefined });
      const strange = '00000000-0000-4000-8000-000000000000';
      const asked = buyer.merchant.follow(strange, { mode: 'poll', timeoutMs: 0 });
      await expect(asked).rejects.toMatchObject({ code: 'ORDER_UNKNOWN' });
    });

    it('knows its own purchases in the journal', async () => {
      await buy();
      const entries = await entriesOf(buyer);
      expect(entries.map(({ intent }) => buyer.merchant.sells(intent))).toEqual([true]);
      const [entry] = entries;
      const strange = { ...entry?.intent, host: 'https://other.example' } as Entry['intent'];
      expect(buyer.merchant.sells(strange)).toBe(false);
    });

    it('makes an order that is paid later where it says so, and pays none otherwise', async () => {
      const { merchant } = buyer;
      expect(merchant.payPlaced !== undefined).toBe(merchant.ordersFirst);
      if (merchant.payPlaced === undefined) return;
      const { document } = await buy({ isPaid: false });
      expect(await world.payments()).toBe(0);
      const paid = await merchant.payPlaced(orderIdOf(document), {
        agree: async () => undefined,
        isWaiting: true,
        waitMs: 600_000,
        goOn: ownText('scrip pay'),
      });
      expect(paid.error).toBeUndefined();
      expect(goodsOf(paid)).toHaveLength(1);
      expect(await world.payments()).toBe(1);
    });
  });
}

function interruption(): ScripError {
  return new ScripError('INTERRUPTED', t`stopped`);
}

async function entriesOf({ merchant }: Buyer): Promise<readonly Entry[]> {
  return (await merchant.paying()).journal.all();
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function goodsOf({ document }: Bought): readonly unknown[] {
  return document.form === 'receipt'
    ? document.receipt.deliveries
    : (document.order.deliveries ?? []);
}

function orderIdOf(document: Bought['document']): string {
  return document.form === 'receipt' ? (document.receipt.orderId ?? '') : document.order.order_id;
}
