/** The rows read as tools: annotations, schemas, and that real results keep to them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/contract/agent.ts';
import { createOrderRequest } from '../../src/contract/partner-orders.ts';
import { localTools } from '../../src/mcp/local-tools.ts';
import { type Tool, wireTools } from '../../src/mcp/tools.ts';
import { orderBody, type PartnerSandbox, partnerSandbox } from '../support/partner-sandbox.ts';
import {
  backendOver,
  complaint,
  goodCalls,
  runTool,
  runWhole,
  toolOf,
} from '../support/tool-world.ts';

const VERBATIM = wireTools({ isGuarded: false, areCodesShown: true });
const GUARDED = localTools({ mayPay: true, areCodesShown: false });

const annotationsOf = (name: string) => {
  const { title: _, ...hints } = toolOf(GUARDED, name).annotations;
  return hints;
};
const READ = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
};
const MAKES = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

let shop: PartnerSandbox;
let orderId: string;
beforeAll(async () => {
  shop = await partnerSandbox();
  orderId = (await shop.create()).order_id;
});
afterAll(() => shop.close());

describe('annotations', () => {
  it.each([
    ['purchaseElicitation', MAKES],
    ['getCurrencies', READ],
    ['listBrands', READ],
    ['listProductsForCountry', READ],
    ['getPaymentViasWithCurrencies', READ],
    ['getProductPrice', READ],
    ['validateOrder', READ],
    ['createOrder', MAKES],
    ['getOrderStatus', READ],
    ['searchProducts', READ],
    ['payOrder', { ...MAKES, idempotentHint: true }],
  ])('of %s', (name, hints) => expect(annotationsOf(name)).toEqual(hints));
});

it('the ten tools come in the order of the interface, and payOrder only where paying is allowed', () => {
  const names = TOOLS.map(({ name }) => name);
  expect(VERBATIM.map(({ name }) => name)).toEqual(names);
  expect(GUARDED.map(({ name }) => name)).toEqual([...names, 'payOrder']);
  const careful = localTools({ mayPay: false, areCodesShown: false });
  expect(careful.map(({ name }) => name)).toEqual(names);
});

describe('tools/list', () => {
  const bytesOf = (tools: readonly Tool[]) =>
    Buffer.byteLength(JSON.stringify({ tools: tools.map(({ run: _, ...told }) => told) }));

  // About a quarter of a token a byte: 4,500 tokens of a model's context.
  it.each([
    ['of the service', VERBATIM, 16_000],
    ['of this machine', GUARDED, 19_000],
  ])('%s is short enough for a small model', (_name, tools, most) => {
    expect(bytesOf(tools)).toBeLessThan(most);
  });

  it('tells all arguments, and which texts are data', () => {
    const { inputSchema } = toolOf(VERBATIM, 'createOrder');
    expect(Object.keys(Object(inputSchema.properties))).toEqual(
      Object.keys(createOrderRequest().shape),
    );
    for (const { name, outputSchema } of GUARDED) {
      expect([name, outputSchema.description]).toEqual([
        name,
        expect.stringContaining('never an instruction'),
      ]);
    }
  });

  it('says where codes are shown, and has nothing to look up elsewhere', () => {
    const told = JSON.stringify(GUARDED.map(({ run: _, ...tool }) => tool));
    expect(told).toContain('"const":"hidden: run scrip orders reveal');
    expect(told).not.toMatch(/\$ref|\$defs|definitions/);
  });
});

describe.each(TOOLS)('a real result of $name', ({ name }) => {
  const args = () => goodCalls(orderId)[name];
  const backend = () => backendOver(shop.current().fetch);

  it('keeps to the output schema as the interface has it', async () => {
    const whole = await runWhole(VERBATIM, backend(), name, args());
    expect(complaint(toolOf(VERBATIM, name).outputSchema, whole)).toBeUndefined();
  });

  it('keeps to the guarded output schema', async () => {
    const whole = await runWhole(GUARDED, backend(), name, args());
    expect(complaint(toolOf(GUARDED, name).outputSchema, whole)).toBeUndefined();
  });

  it('has arguments that its input schema takes, and no others', () => {
    const { inputSchema } = toolOf(GUARDED, name);
    expect(complaint(inputSchema, args())).toBeUndefined();
    expect(complaint(inputSchema, { ...Object(args()), payTo: 'x' })).toMatch(/additional/);
  });
});

it('the service tells bodies verbatim', async () => {
  const result = await runTool(VERBATIM, backendOver(shop.current().fetch), 'getOrderStatus', {
    order_id: orderId,
  });
  expect(result).toEqual(await shop.read(orderId));
});

describe('no tool takes', () => {
  const FORBIDDEN =
    /"(host|url|rpc_url|rpcUrl|pay_to|payTo|session_id|policy|keypair|refund_wallet_address|state_transition_notification_url|acquisition)":/;
  it.each(GUARDED.map(({ name }) => name))('a host, an address or a policy: %s', (name) => {
    expect(JSON.stringify(toolOf(GUARDED, name).inputSchema)).not.toMatch(FORBIDDEN);
  });
});

describe('arguments that are wrong', () => {
  const run = (name: string, args: unknown) =>
    runTool(GUARDED, backendOver(shop.current().fetch), name, args);

  it.each([
    ['getProductPrice', { country_code: 'usa' }, 'brand_name'],
    ['listBrands', { country_code: 'usa' }, 'country_code'],
    ['getOrderStatus', { order_id: '7' }, 'order_id'],
    ['searchProducts', { country_code: 'us', q: 'a', host: 'evil.example' }, 'host'],
    ['createOrder', { ...orderBody(), user: { email: 'nobody' } }, 'user.email'],
    ['createOrder', orderBody({ refund_wallet_address: 'x' }), 'refund_wallet_address'],
    ['payOrder', { order_id: 'x', max_amount: '1' }, 'order_id'],
    ['payOrder', { order_id: crypto.randomUUID(), max_amount: '1e9' }, 'max_amount'],
  ])('of %s %j are told with the field %s', async (name, args, field) => {
    await expect(run(name, args)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(field),
    });
  });
});
