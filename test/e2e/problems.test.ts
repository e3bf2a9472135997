/** Every problem of the partner API, as `scrip validate` tells it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEM_CODES, SUSPENSION_CODES } from '../../src/contract/codes.ts';
import type { WireValidationRequest } from '../../src/contract/partner-orders.ts';
import { PROBLEM_EXAMPLES } from '../../src/sandbox/partner-examples.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';

interface CatalogItem {
  readonly product_id: string;
  readonly denomination_label: string;
  readonly is_range: boolean;
}

interface Command {
  readonly words: string[];
  readonly input: string;
}

let home: Home;
let sandbox: ServedSandbox;

beforeAll(async () => {
  home = makeHome();
  sandbox = await serveSandbox(home);
});
afterAll(async () => {
  await sandbox.stop();
  home.remove();
});

/** The same request as a user would type it: a cart on stdin. */
async function commandFor(request: WireValidationRequest): Promise<Command> {
  const lines = await Promise.all(
    request.deliveries.map(async (delivery) => {
      if ('deliverable' in delivery) throw new Error('the examples are written in the bare form');
      return JSON.stringify({
        product: await productId(delivery.brand_name, delivery.denomination),
        to: delivery.beneficiary_account,
        country: 'us',
        brand: delivery.brand_name,
        ...(delivery.product_value == null ? {} : { value: String(delivery.product_value) }),
      });
    }),
  );
  const { payment } = request;
  const means =
    payment.type === 'via'
      ? ['--network', payment.network, '--payment-via', payment.payment_via]
      : [];
  const words = [
    'validate',
    '--cart',
    '-',
    '--email',
    request.user?.email ?? '',
    '--coin',
    payment.coin,
    ...means,
  ];
  if (request.coupon_code) words.push('--coupon', request.coupon_code);
  return {
    words: [...words, '--api-url', sandbox.url, ...sandbox.flags, '--json'],
    input: `${lines.join('\n')}\n`,
  };
}

async function productId(brand: string, denomination: string): Promise<string> {
  const query = new URLSearchParams({ country_code: 'us', brand_name: brand });
  const items = (await (await fetch(`${sandbox.url}/v1/catalog?${query}`)).json()) as CatalogItem[];
  const found = items.find((item) =>
    denomination === 'range' ? item.is_range : item.denomination_label === denomination,
  );
  if (!found) throw new Error(`${brand} has no ${denomination}`);
  return found.product_id;
}

describe('scrip validate', () => {
  it('has an example for every code', () => {
    const codes = PROBLEM_EXAMPLES.map(({ code }) => code);
    expect(new Set(codes)).toEqual(
      new Set([...Object.keys(PROBLEM_CODES), ...Object.keys(SUSPENSION_CODES)]),
    );
    expect(codes).toHaveLength(31);
  });

  it.each(PROBLEM_EXAMPLES)(
    'tells $code, what it means and what to do',
    async ({ code, request }) => {
      const { words, input } = await commandFor(request);
      const result = await home.run(words, { input });
      expect(result.status, result.stderr).toBe(2);
      const { valid, problems } = JSON.parse(result.stdout);
      expect(valid).toBe(false);
      expect(problems).toContainEqual(
        expect.objectContaining({
          problem: code,
          meaning: expect.stringMatching(/\S/),
          remedy: expect.stringMatching(/\S/),
        }),
      );
      expect(JSON.parse(result.stderr).error).toMatchObject({
        code: 'ORDER_PROBLEMS',
        hint: expect.stringMatching(/\S/),
        funds_at_risk: 'none',
      });
    },
  );
});
