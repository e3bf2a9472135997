/** Surface C as the interface has it: its tools, their hints, and what each status requires. */
import { describe, expect, it } from 'vitest';
import { elicitationResponse, purchaseElicitation, TOOLS } from '../../src/contract/agent.ts';

const READ = { readOnly: true, idempotent: true, destructive: false };
const ORDER = { readOnly: false, idempotent: false, destructive: true };

it('the tools, where they are and what may be assumed of them', () => {
  const table = TOOLS.map(({ name, method, path, hints }) => [name, `${method} ${path}`, hints]);
  expect(table).toEqual([
    ['purchaseElicitation', 'POST /mcp/purchase_elicitation', ORDER],
    ['getCurrencies', 'GET /v3/currencies', READ],
    ['listBrands', 'GET /v2/brands', READ],
    ['listProductsForCountry', 'GET /v5/products/country/{country_code}', READ],
    ['getPaymentViasWithCurrencies', 'GET /v3/payment_vias', READ],
    ['getProductPrice', 'GET /v4/products/price', READ],
    ['validateOrder', 'POST /v5/orders/validations', READ],
    ['createOrder', 'POST /v5/orders', ORDER],
    ['getOrderStatus', 'GET /v5/orders/{order_id}', READ],
    ['searchProducts', 'GET /v2/search/{country_code}', READ],
  ]);
});

const payment_details = {
  walletAddress: 'address',
  coinSymbol: 'USDC',
  coinAmount: '25.25',
  network: 'Solana',
};
const WHOLE = {
  continue: { session_token: 't', question: 'q', expected_format: 'f', previous_answers: {} },
  complete: { next_step: 'pay', payment_details },
  error: { error: 'e', fix: 'f' },
} as const;

describe.each(Object.entries(WHOLE))('a response of status %s', (status, fields) => {
  it('is read with what it requires', () => {
    expect(elicitationResponse().safeParse({ status, ...fields }).success).toBe(true);
  });

  it.each(Object.keys(fields))('is refused without %s', (field) => {
    const broken = { status, ...fields, [field]: undefined };
    expect(elicitationResponse().safeParse(broken).error?.issues[0]?.path).toEqual([field]);
  });
});

it('the first call is an empty object, and the one action is back', () => {
  const input = purchaseElicitation.input();
  expect(input.safeParse({}).success).toBe(true);
  expect(input.safeParse({ session_token: 't', action: 'back' }).success).toBe(true);
  expect(input.safeParse({ session_token: 't', action: 'next' }).success).toBe(false);
});
