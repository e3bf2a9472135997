/** The merchants of this program, and a scripted one that is neither of them, behind the one port. */

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { type CatalogReader, NOTHING_SAID } from '../../src/api/catalog-reader.ts';
import { checkoutMerchant } from '../../src/api/checkout/merchant.ts';
import { call } from '../../src/api/http/call.ts';
import type { Merchant, OrderInput, OrderTerms, Placed, Quote } from '../../src/api/merchant.ts';
import { partnerMerchant } from '../../src/api/partner/merchant.ts';
import { openPaying } from '../../src/api/paying.ts';
import { openIntent } from '../../src/api/payment/intent.ts';
import { type Receipt, receiptFrom } from '../../src/api/receipt.ts';
import { recipientOf } from '../../src/api/recipient.ts';
import type { ScripDeps } from '../../src/api/scrip.ts';
import { getCatalog } from '../../src/contract/checkout.ts';
import type { Fetch } from '../../src/contract/fetch.ts';
import { SOLANA_MAINNET } from '../../src/contract/usdc.ts';
import { EMBEDDED_URL } from '../../src/domain/address/loopback.ts';
import { once } from '../../src/domain/attempt.ts';
import { canonicalJson } from '../../src/domain/canonical-json.ts';
import { type Entry, eventOf } from '../../src/domain/journal/journal.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { capFor } from '../../src/domain/money/cap.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { composeParts, type Means, policyFileAt } from '../../src/run/compose.ts';
import { type MerchantWorld, merchantSuite } from '../support/merchant-suite.ts';
import { APPLICATION, BASE, partnerSandbox } from '../support/partner-sandbox.ts';
import { random } from '../support/random.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** One shop for all: each case has a wallet, a state folder and so keys of its own. */
const host = await partnerSandbox();
afterAll(host.close);

merchantSuite('the checkout host', () => openWorld(checkoutMerchant));
merchantSuite('the partner API', () => openWorld(partnerMerchant));
merchantSuite('a merchant of the test', openScripted);

/** The embedded shop, and a wallet with 1,000 USDC. */
async function openWorld(sellerFor: (deps: ScripDeps) => Merchant): Promise<MerchantWorld> {
  const signer = signerFromSeed(new Uint8Array(randomBytes(32)));
  await host.current().fund(signer.address, {
    usdcAtomic: 1_000_000_000n,
    lamports: 10_000_000_000n,
  });
  const home = tempFolder();
  const fetch: Fetch = async (url, init) => {
    // What a server does by itself, beside the requests.
    await host.current().tick();
    return host.current().fetch(url.replace(EMBEDDED_URL, BASE), init);
  };
  const deps = depsOf(home, { fetch, clock: host.clock, signer: async () => signer });
  const productId = await amazon25(deps);
  const orderInput: OrderInput = {
    items: [{ productId, country: 'us', brand: 'Amazon.com', quantity: 1, to: 'a@example.com' }],
    email: 'a@example.com',
  };
  const { price } = await sellerFor(deps).quote(orderInput);
  const held = async () => (await (await deps.rail()).balances(signer.address)).usdcAtomic;
  const before = await held();
  return {
    orderInput,
    buyer: async (more) => {
      const own = { ...deps, ...more };
      return { deps: own, merchant: sellerFor(own) };
    },
    payments: async () => Number(((before ?? 0n) - ((await held()) ?? 0n)) / (price?.atomic ?? 1n)),
  };
}

function depsOf(home: string, own: Pick<Means, 'clock' | 'fetch' | 'signer'>): ScripDeps {
  const rpcs = { [SOLANA_MAINNET]: { url: `${EMBEDDED_URL}/rpc`, isNamed: false } };
  return {
    ...composeParts(
      { journalDir: home, rpcs },
      {
        ...own,
        signerOn: own.signer,
        namespaces: async () => ['solana'],
        signal: new AbortController().signal,
        random,
        playMarks: {
          has: async () => true,
          add: async () => undefined,
          remove: async () => undefined,
        },
        policyFile: policyFileAt(join(home, 'policy.json')),
      },
    ),
    place: {
      profile: 'test',
      isEmbedded: true,
      checkoutUrl: EMBEDDED_URL,
      apiUrl: EMBEDDED_URL,
      siteUrl: EMBEDDED_URL,
      rpcs,
      partnerId: APPLICATION,
      countryCode: 'us',
      isSandboxKey: true,
    },
    version: '1.0',
    channel: 'terminal',
    progress: { step: () => undefined, done: () => undefined },
    notify: () => undefined,
    toldIn: 'en',
    spokenLanguage: undefined,
  };
}

async function amazon25({ fetch, place, clock }: ScripDeps): Promise<string> {
  const wanted = { country_code: 'us', brand_name: 'Amazon.com' };
  const items = await call(fetch, place.checkoutUrl, getCatalog, wanted, { clock });
  const item = items.find(({ face_value_usd }) => Number(face_value_usd) === 25);
  if (item === undefined) throw new Error('the catalog has no Amazon.com for 25 USD');
  return item.product_id;
}

/** A shop of one thing, which is paid by a count: it has no order before it is paid, and no wire. */
async function openScripted(): Promise<MerchantWorld> {
  const world = await openWorld(checkoutMerchant);
  const shop = { payments: 0, goods: new Map<string, string>() };
  return {
    ...world,
    orderInput: {
      items: [
        { productId: 'song', country: 'us', brand: 'Songs', quantity: 1, to: 'a@example.com' },
      ],
      email: 'a@example.com',
    },
    buyer: async (more) => {
      const { deps } = await world.buyer(more);
      return { deps, merchant: scripted(deps, shop) };
    },
    payments: async () => shop.payments,
  };
}

const HOST = 'https://songs.example';
const PRICE = atomic(2_000_000n);

const BRAND = { brand_name: 'Songs', family: 'Music', category: 'other_products' };
const SONG = {
  product_id: 'song',
  brand_name: 'Songs',
  is_range: false,
  price_usdc: '2.00',
  country_code: 'us',
};

/** Its lists have no wire either. */
const SONGS: CatalogReader = {
  brands: async (country) => {
    inUs(country);
    const { brand_name: name, family, category } = BRAND;
    const facets = { name, category, kind: undefined, values: undefined };
    const none = { min: undefined, max: undefined, isOutOfStock: undefined };
    return [{ name, family, category, ...none, facets: () => facets, document: BRAND }];
  },
  products: async ({ country, brand = 'Songs' }) => {
    inUs(country);
    if (brand !== 'Songs') throw new ScripError('BRAND_UNKNOWN', t`there are only songs`);
    const none = { kind: undefined, currency: undefined, values: undefined };
    const facets = { name: 'Yesterday', category: '', ...none };
    const price = { price: SONG.price_usdc, coin: 'USDC', valueText: '' };
    const names = { id: 'song', name: 'Yesterday', brand, countryCode: 'us', isRange: false };
    return [{ ...names, ...none, ...price, facets: () => facets, document: SONG }];
  },
  price: async ({ productId, brand, country }) => {
    inUs(country);
    if (productId !== 'song') throw new ScripError('PRODUCT_UNKNOWN', t`there is no such song`);
    const document = { ...SONG, currency: 'USD', quote_expires_at: '2026-01-01T00:00:00Z' };
    const none = { value: undefined, currency: undefined, bounds: undefined, expiresAt: undefined };
    const names = { productId, name: 'Yesterday', title: 'Yesterday', brand, faceValue: '' };
    return { ...names, ...none, price: SONG.price_usdc, coin: 'USDC', document };
  },
  details: async () => NOTHING_SAID,
};

function inUs(country: string): void {
  if (country.toLowerCase() === 'us') return;
  throw new ScripError('COUNTRY_UNKNOWN', t`songs are sold in the US alone`);
}

function scripted(
  deps: ScripDeps,
  shop: { payments: number; readonly goods: Map<string, string> },
): Merchant {
  const paying = once(() => openPaying(deps, EMBEDDED_URL));
  const receiptFor = (entry: Entry): Receipt => {
    const code = shop.goods.get(entry.intent.key) ?? '';
    const deliveries = [{ delivery_state: 'completed', voucher_code: code } as const];
    return { ...receiptFrom(entry), orderId: entry.intent.key, deliveries };
  };
  return {
    ordersFirst: false,
    takes: new Set(),
    needs: [],
    host: HOST,
    url: EMBEDDED_URL,
    catalog: SONGS,
    paying,
    sells: ({ host }) => host === HOST,
    refunds: async () => undefined,
    quote: async ({ items: [item], email, maxAmount }): Promise<Quote> => {
      const over = { message: t`the song is dearer` };
      const capAtomic = capFor({ priceAtomic: PRICE, decimals: 6 }, maxAmount, () => over);
      const to = item?.to ?? '';
      return {
        body: { items: [{ product_id: 'song', beneficiary_account: to }] },
        summary: {
          productId: 'song',
          productName: 'Yesterday',
          brandName: 'Songs',
          countryCode: 'us',
          faceValue: '',
          currency: '',
          beneficiary: to,
        },
        kinds: undefined,
        lines: [
          {
            name: 'Yesterday',
            faceValue: '',
            quantity: 1,
            recipient: await recipientOf(deps, to, 'us'),
          },
        ],
        email,
        coin: 'USDC',
        network: 'Solana',
        price: { text: '2', atomic: PRICE, capAtomic, decimals: 6 },
        expiresAt: undefined,
        isSendable: true,
        refundsTo: undefined,
        problems: [],
      };
    },
    place: async ({ body, summary }: Quote, { key, allowsDuplicate }: OrderTerms) => {
      const { journal, signer, rail } = await paying();
      const { clock, random } = deps;
      const own = { journal, clock, random, host: HOST };
      const opening = { ...own, payer: signer.address, network: rail.network };
      const input = { key, allowsDuplicate, summary, quotedAtomic: PRICE, capAtomic: PRICE };
      const terms = async () => ({});
      return { entry: await openIntent(opening, input, { body: canonicalJson(body), terms }) };
    },
    pay: async ({ entry }: Placed) => {
      const { key } = entry.intent;
      const { journal } = await paying();
      const isBoughtBefore = eventOf(entry, 'goods') !== undefined;
      if (!isBoughtBefore) {
        deps.failPoint('attempt-written');
        if (deps.signal.aborted) {
          throw new ScripError('INTERRUPTED', t`stopped`, { fundsAtRisk: 'possible' });
        }
        shop.payments += 1;
        shop.goods.set(key, `song ${shop.payments}`);
        await journal.addFact(entry.intent, {
          fact: 'goods',
          attempt: 0,
          status: 'completed',
          sealed: 'song',
        });
      }
      const receipt = receiptFor((await journal.byKey(key)) ?? entry);
      return { document: { form: 'receipt', receipt }, error: undefined, isBoughtBefore };
    },
    follow: async (orderId) => {
      if (!shop.goods.has(orderId)) throw new ScripError('ORDER_UNKNOWN', t`there is no such song`);
      const order = { order_id: orderId, status: 'completed' } as const;
      const document = { form: 'checkout', order } as const;
      const status = 'completed';
      return { document, status, paymentState: null, isOver: true, error: undefined };
    },
    finish: async (entry) => ({ receipt: receiptFor(entry), error: undefined }),
  };
}
