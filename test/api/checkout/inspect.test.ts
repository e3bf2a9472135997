/** What a host asks for, looked at without a signature. */

import { beforeEach, describe, expect, it } from 'vitest';
import { failedChecks, type InspectDeps, inspect } from '../../../src/api/checkout/inspect.ts';
import type { Fetch, FetchInit } from '../../../src/contract/fetch.ts';
import { encodeHeader } from '../../../src/contract/x402.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import type { PayerRail } from '../../../src/rails/rail.ts';
import { CHECKOUT_URL, makeWorld, PRICE, type World } from '../../support/purchase-world.ts';
import { jsonReply } from '../../support/scripted-fetch.ts';

let world: World;
beforeEach(async () => {
  world = await makeWorld();
});

const ORDER = { kind: 'order', baseUrl: CHECKOUT_URL, body: '{}' } as const;
const LIMITS = { capAtomic: atomic(26_000_000n), quotedAtomic: atomic(PRICE) };

function deps(over: Partial<PayerRail> = {}, fetch: Fetch = world.fetch): InspectDeps {
  return {
    fetch,
    clock: world.clock,
    rail: { ...world.rail, checkRequirement: async () => undefined, ...over },
    payer: world.signer.address,
  };
}

describe('inspecting an order', () => {
  it('shows the requirement with every check, and signs and sends nothing', async () => {
    const found = await inspect(deps(), ORDER, LIMITS);
    expect(failedChecks(found)).toEqual([]);
    expect(found).toMatchObject({
      offers: 1,
      dialect: 'both',
      hasSession: true,
      amountAtomic: PRICE,
      driftAtomic: 0n,
      offer: { unknownField: { kept: true } },
    });
    expect(found.recipientAccount).toBe(`account-of-${String(found.offer.payTo)}`);
    expect(world.signed()).toBe(0);
    expect(world.sent).toEqual([]);
    expect(world.requests.map(({ init }) => init.method)).toEqual(['POST']);
  });

  it.each([
    ['amount', 'maxAmountRequired'],
    ['maxAmountRequired', 'amount'],
  ] as const)('reads a host that writes %s alone', async (name, missing) => {
    world.challenge.edit = (required) => {
      const [first] = required.accepts as [Record<string, unknown>];
      const { [missing]: _gone, ...accept } = first;
      return { ...required, accepts: [accept] };
    };
    const found = await inspect(deps(), ORDER, LIMITS);
    expect(found).toMatchObject({ dialect: name, amountAtomic: PRICE });
    expect(failedChecks(found)).toEqual([]);
  });

  const faults: readonly (readonly [string, Record<string, unknown>, readonly string[]])[] = [
    ['too much', { amount: '26000001', maxAmountRequired: '26000001' }, ['cap']],
    ['two amounts', { amount: '1' }, ['amount', 'cap', 'quote']],
    ['another token', { asset: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM' }, ['asset']],
    ['another scheme', { scheme: 'upto' }, ['form']],
    ['an amount with a sign', { amount: '-5', maxAmountRequired: '-5' }, ['form']],
  ];
  it.each(faults)('tells %s', async (_what, over, names) => {
    world.challenge.edit = (required) => {
      const [first] = required.accepts as [Record<string, unknown>];
      return { ...required, accepts: [{ ...first, ...over }] };
    };
    const found = await inspect(deps(), ORDER, LIMITS);
    expect(failedChecks(found)).toEqual(names);
    if (names.includes('amount') || names.includes('form')) expect(found.amountAtomic).toBeNull();
  });

  it('tells what the chain says of the recipient, also that it does not answer', async () => {
    for (const code of ['REQUIREMENT_UNACCEPTABLE', 'CHAIN_UNREACHABLE'] as const) {
      const checkRequirement = () => Promise.reject(new ScripError(code, t`no account`));
      const found = await inspect(deps({ checkRequirement }), ORDER, LIMITS);
      expect(failedChecks(found)).toEqual(['recipient']);
    }
  });
});

describe('inspecting an address', () => {
  const headers = { 'x-own': 'yes' };
  const request = { method: 'POST', url: 'https://paid.example/page?x=1', headers, body: 'a=1' };
  const TARGET = { kind: 'address', request } as const;

  /** A host that asks to be paid, and notes how it was asked. */
  async function asking(): Promise<{ fetch: Fetch; asked: (FetchInit & { url: string })[] }> {
    const reply = await world.fetch(`${CHECKOUT_URL}/v1/orders`, { method: 'POST', body: '{}' });
    let text = '';
    for await (const chunk of reply.body ?? []) text += new TextDecoder().decode(chunk);
    const asked: (FetchInit & { url: string })[] = [];
    const fetch: Fetch = async (url, init = {}) => {
      asked.push({ ...init, url });
      return jsonReply(402, {}, { 'PAYMENT-REQUIRED': encodeHeader(JSON.parse(text)) });
    };
    return { fetch, asked };
  }

  it('is one request as it was named, which follows no redirect', async () => {
    const { fetch, asked } = await asking();
    const found = await inspect(deps({}, fetch), TARGET, {
      capAtomic: undefined,
      quotedAtomic: undefined,
    });
    expect(failedChecks(found)).toEqual([]);
    expect(found).toMatchObject({ hasSession: false, driftAtomic: null, amountAtomic: PRICE });
    expect(asked).toMatchObject([{ ...request, redirect: 'manual' }]);
  });

  it.each([
    [200, { hello: 'world' }],
    [402, { error: 'pay me somehow' }],
    [404, {}],
  ])('that answers %i without a requirement is an error', async (status, body) => {
    const fetch: Fetch = async () => jsonReply(status, body);
    const limits = { capAtomic: undefined, quotedAtomic: undefined };
    await expect(inspect(deps({}, fetch), TARGET, limits)).rejects.toMatchObject({
      code: 'MERCHANT_REPLY_INVALID',
      details: { status },
    });
  });
});
