/** Fifty hostile texts in whatever a merchant may write: they are told as data, and move nothing. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/contract/fetch.ts';
import { localTools } from '../../src/mcp/local-tools.ts';
import { failureResult } from '../../src/mcp/server.ts';
import { makeHome } from '../support/cli.ts';
import { INJECTIONS } from '../support/injections.ts';
import { stdioClient } from '../support/mcp-client.ts';
import { orderBody } from '../support/partner-sandbox.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { fundedWallet } from '../support/shop.ts';
import { backendOver, runTool } from '../support/tool-world.ts';

const TOOLS = localTools({ mayPay: true, areCodesShown: true });
const ORDER_ID = '6f1f2f0e-5a0b-4f6e-9c39-0d2f4c1b7a10';
/** Around each text, so that its place is known whatever is made of the rest. */
const MARK = 'qzxjvq';
const hostile = (text: string): string => `${MARK} ${text} ${MARK}`;

/** Texts with the mark that stand anywhere but under `untrusted_text`, keys among them. */
function strayTexts(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'string') {
    return key !== 'untrusted_text' && value.includes(MARK) ? [value] : [];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(name.includes(MARK) ? [name] : []),
    ...strayTexts(inner, name),
  ]);
}

/** A merchant that writes one text wherever its schemas let it. */
function merchantOf(text: string): Fetch {
  const brand = {
    family: text,
    brand_id: text,
    brand: text,
    logo_url: 'https://shop.example/x.webp',
    category: text,
    is_out_of_stock: false,
    country_code: text,
    product_type: text,
    bg_color: text,
    additional_categories: [text],
    promotion: { [text]: text, note: { deep: [text] } },
  };
  const order = {
    order_id: ORDER_ID,
    created_at: 1,
    payment_state: 'PaymentReceived',
    order_state: 'Done',
    is_payment_processor_external: false,
    wallet_address: text,
    coin: text,
    network: text,
    coin_amount: text,
    qr_text: text,
    payment_transactions: [text],
    deliveries: [
      {
        id: text,
        delivery_state: text,
        kind: text,
        deliverable: {
          denomination: text,
          brand_name: text,
          beneficiary_account: 'a@example.com',
          country_code: 'US',
          pin_code: text,
          redeem_instructions: text,
          failure_reason: text,
        },
      },
    ],
  };
  const BODIES: Readonly<Record<string, unknown>> = {
    '/v2/brands': {
      country_code: text,
      categories: [{ kind: text, category: text, brands: [brand], popular_brands: [] }],
      all_brands: [brand],
      last_user_purchases: [],
      suggestions: [],
    },
    '/v2/search/us': { country_code: text, query: text, brands: [brand] },
    [`/v5/orders/${ORDER_ID}`]: order,
    '/v5/orders/validations': {
      coin: text,
      coin_amount: text,
      original_coin_amount: text,
      deliveries: [],
      payment_fee: { [text]: text },
      points: {},
      summary: {
        coin_amount_before_discount: text,
        coin_amount_after_discount: text,
        coin_amount_to_pay_in_crypto: text,
        coin_amount_to_pay_via_nft: text,
        coin_amount_to_pay_via_coupon: text,
      },
      is_payment_processor_external: false,
      problems: [{ problem: text, moreDetails: { [text]: [text] }, [text]: text }],
    },
    '/mcp/purchase_elicitation': {
      status: 'error',
      session_token: text.slice(0, 200),
      question: text,
      expected_format: text,
      options: [text],
      previous_answers: { brand: text, [text]: text },
      error: text,
      fix: text,
    },
  };
  return async (url) => {
    const body = BODIES[new URL(url).pathname];
    const failed = { status: 400, detail: text, moreDetails: { message: text, [text]: text } };
    return new Response(JSON.stringify(body ?? failed), { status: body === undefined ? 400 : 200 });
  };
}

const CALLS: readonly (readonly [name: string, args: unknown])[] = [
  ['listBrands', { country_code: 'us' }],
  ['searchProducts', { country_code: 'us', q: 'a' }],
  ['getOrderStatus', { order_id: ORDER_ID }],
  ['validateOrder', orderBody()],
  ['purchaseElicitation', {}],
];
const FAILING: readonly (readonly [name: string, args: unknown])[] = [
  ['getCurrencies', {}],
  ['createOrder', orderBody()],
];

describe.each(INJECTIONS.map((text, at) => [at, text] as const))('text %i', (_at, text) => {
  const backend = backendOver(merchantOf(hostile(text)));

  it.each(CALLS)('stays data in a result of %s', async (name, args) => {
    const result = await runTool(TOOLS, backend, name, args);
    expect(strayTexts(result)).toEqual([]);
    expect(JSON.stringify(result)).toContain(MARK);
  });

  it.each(FAILING)('stays data in a failure of %s', async (name, args) => {
    const error: unknown = await runTool(TOOLS, backend, name, args).catch((caught) => caught);
    const [content] = failureResult(error, true).content;
    const told: unknown = JSON.parse(content?.type === 'text' ? content.text : '');
    expect(strayTexts(told)).toEqual([]);
    expect(JSON.stringify(told)).toContain(MARK);
  });
});

describe('a shop that is full of them', () => {
  const home = makeHome();

  it('is looked through without a payment, an order or a change on this machine', async () => {
    const brands = INJECTIONS.flatMap((text, at) => {
      // What the catalog's own rules refuse never gets as far as an agent.
      if (/[\p{C}\p{Z}<>]/u.test(text.replaceAll(' ', '')) || text.length > 80) return [];
      const product = {
        product_id: `0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c${String(at).padStart(4, '0')}`,
        face_value: '25',
      };
      const brand_name = `${MARK} ${text}`;
      return [{ brand_name, country_code: 'us', category: 'retail', products: [product] }];
    });
    expect(brands.length).toBeGreaterThan(20);
    const catalog = join(home.dir, 'goods.json');
    writeFileSync(catalog, JSON.stringify({ brands }));
    const served = await serveSandbox(home, ['--catalog', catalog]);
    try {
      await fundedWallet(home, served.flags);
      const before = await home.json(['wallet', 'balance', ...served.flags]);
      const state = () => readdirSync(home.dir, { recursive: true }).map(String).toSorted();
      const files = state();
      const client = await stdioClient(home, ['--allow-pay', ...served.flags], () => {
        throw new Error('nobody is to be asked');
      });
      const listed = await client.call('listBrands', { country_code: 'us' });
      expect(listed.text.split(MARK).length).toBeGreaterThan(brands.length);
      expect(strayTexts(listed.result)).toEqual([]);
      for (const { brand_name } of brands.slice(0, 5)) {
        const args = { country_code: 'us', brand_name };
        const { result } = await client.call('listProductsForCountry', args);
        expect(strayTexts(result)).toEqual([]);
      }
      await client.close();
      expect(client.asked).toEqual([]);
      expect(state().filter((file) => !file.includes('sandbox'))).toEqual(
        files.filter((file) => !file.includes('sandbox')),
      );
      expect(await home.json(['wallet', 'balance', ...served.flags])).toEqual(before);
      expect(await home.json(['orders', ...served.flags])).toEqual([]);
    } finally {
      await served.stop();
    }
  });
});
