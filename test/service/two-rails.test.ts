/** A checkout host that is paid on two rails: Solana's own, and one whose payments are valid by time. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recipientsIn } from '../../src/api/checkout/listed-recipients.ts';
import { getManifest, hostManifest } from '../../src/contract/manifest.ts';
import {
  type PaymentPayload,
  type PaymentRequirement,
  SESSION_HEADER,
  SOLANA_MAINNET,
  USDC_MINT,
} from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { parseAtomic } from '../../src/domain/money/money.ts';
import type { CheckoutRail, Facilitator } from '../../src/rails/merchant-rail.ts';
import { solanaSignIn } from '../../src/rails/solana/ed25519.ts';
import { createFacilitator } from '../../src/rails/solana/facilitator.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import { createSolanaMerchant } from '../../src/rails/solana/requirement.ts';
import { refundNetwork } from '../../src/service/refunds/refunds.ts';
import {
  bodyOf,
  checkoutHost,
  type Host,
  ORDER,
  paymentResponse,
} from '../support/checkout-host.ts';
import { memoryClaims } from '../support/claims.ts';
import { type LiveChain, liveChain } from '../support/live-chain.ts';
import { type ManualClock, skippingClock } from '../support/manual-clock.ts';
import { tagOf } from '../support/rails.ts';
import { PAYER as BUYER, FEE_PAYER, MERCHANT } from '../support/solana-payment.ts';

const TIMED = 'eip155:8453';
const SHOP = '0x00000000000000000000000000000000000000aa';
const PAYER = '0x00000000000000000000000000000000000000bb';

/** A payment of the second rail, as its payer signs it. */
interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validBefore: number;
  readonly nonce: string;
}

let clock: ManualClock;
let live: LiveChain;
let settled: string[];
let isAway: boolean;
/** A transaction of a stranger, which lands all payments. */
let batch: string | undefined;
let isPending: boolean;
let hosts: Host[];
beforeEach(async () => {
  clock = skippingClock();
  live = await liveChain(clock);
  await live.chain.airdrop(FEE_PAYER.address, 1_000_000_000n);
  await live.chain.openForPayments(MERCHANT.address);
  await live.chain.fundUsdc(BUYER.address, 1_000_000_000n);
  [settled, isAway, batch, isPending, hosts] = [[], false, undefined, false, []];
});
afterEach(async () => {
  for (const host of hosts) await host.store.close();
  await live.close();
});

/** Notes under a name what a facilitator settles. */
function noted(name: string, facilitator: Facilitator): Facilitator {
  return {
    ...facilitator,
    settle(...asked) {
      settled.push(name);
      return facilitator.settle(...asked);
    },
  };
}

function solana(): CheckoutRail {
  const [network, mint] = [SOLANA_MAINNET, USDC_MINT];
  const feePayer = async () => FEE_PAYER.address;
  const payTo = MERCHANT.address;
  return {
    ...createSolanaMerchant({ network, mint, feePayer, maxTimeoutSeconds: 60, payTo }),
    facilitator: noted(
      'solana',
      createFacilitator({
        ...{ network, mint, clock, rpc: live.rpc, feePayer: FEE_PAYER, claims: memoryClaims() },
        confirmTimeoutMs: 8_000,
      }),
    ),
  };
}

/** Payments name their payer and the end of their validity; one that is over is refused. */
function timed(): CheckoutRail {
  const read = ({ payload }: PaymentPayload) => payload.authorization as Authorization;
  const refusal = (payload: PaymentPayload, requirement: PaymentRequirement) => {
    const { to, value, validBefore } = read(payload);
    if (validBefore * 1_000 <= clock.now()) return 'authorization_expired';
    return to === requirement.payTo && value === requirement.amount ? undefined : 'wrong_terms';
  };
  const facilitator: Facilitator = {
    supported: async () => ({ kinds: [{ x402Version: 2, scheme: 'exact', network: TIMED }] }),
    verify: async (payload, requirement) => {
      const invalidReason = refusal(payload, requirement);
      return invalidReason ? { isValid: false, invalidReason } : { isValid: true };
    },
    settle: async (payload) => {
      const { from: payer, nonce } = read(payload);
      const pending = { success: false, errorReason: 'settlement_pending', transaction: '' };
      if (isPending) return { ...pending, network: TIMED };
      return { success: true, transaction: batch ?? `0x${nonce}`, network: TIMED, payer };
    },
    checkFunds: async () => {
      if (isAway) throw new ScripError('FACILITATOR_UNAVAILABLE', t`It is away`);
    },
  };
  return {
    network: TIMED,
    signIn: solanaSignIn,
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: SHOP,
    facilitator: noted('timed', facilitator),
    inspect(payload) {
      const { from: payer, nonce } = read(payload);
      return { messageHash: nonce, payer, source: payer, payload: payload.payload };
    },
    requirement: async ({ amountAtomic, description }) => ({
      destination: SHOP,
      requirement: {
        ...{ scheme: 'exact', network: TIMED, amount: amountAtomic.toString(), payTo: SHOP },
        ...{ asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', maxTimeoutSeconds: 60 },
        ...{ extra: { name: 'USD Coin', version: '2' }, description },
      },
    }),
  };
}

async function open(...rails: readonly [CheckoutRail, ...CheckoutRail[]]): Promise<Host> {
  const host = await checkoutHost({ rails, clock });
  hosts.push(host);
  return host;
}

/** Phase 1. */
async function ask(host: Host) {
  const response = await host.post('/v1/orders', ORDER);
  const { accepts } = await bodyOf<{ readonly accepts: readonly PaymentRequirement[] }>(response);
  return { sessionId: response.headers.get(SESSION_HEADER) ?? '', accepts };
}

type Asked = Awaited<ReturnType<typeof ask>>;

/** Phase 2 on one of the networks. */
async function pay(host: Host, { sessionId, accepts }: Asked, on: string, seconds?: number) {
  const accepted = accepts.find(({ network }) => network === on);
  if (accepted === undefined) throw new Error('the host should take payments there');
  const payload = on === TIMED ? authorized(accepted, seconds) : await signed(accepted);
  const [requirement, body] = [accepted, ORDER];
  return host.pay(
    { sessionId, requirement, body },
    { payload: { x402Version: 2, accepted, payload } },
  );
}

function authorized({ payTo: to, amount }: PaymentRequirement, seconds = 60) {
  const validBefore = clock.now() / 1_000 + seconds;
  const nonce = randomBytes(32).toString('hex');
  return { authorization: { from: PAYER, to, value: amount, validBefore, nonce } };
}

async function signed(requirement: PaymentRequirement) {
  const payer = createSolanaPayer({ rpc: live.rpc, network: SOLANA_MAINNET, mint: USDC_MINT });
  const amountAtomic = parseAtomic(requirement.amount ?? '');
  const order = { way: 'x402', requirement, amountAtomic, signer: BUYER, tag: tagOf(3) } as const;
  return payer.payload(await payer.sign(order));
}

it('lists what each rail asks for, in the order of the rails', async () => {
  const { accepts, sessionId } = await ask(await open(solana(), timed()));
  expect(accepts.map(({ network, payTo }) => [network, payTo])).toEqual([
    [SOLANA_MAINNET, MERCHANT.address],
    [TIMED, SHOP],
  ]);
  expect(accepts.map(({ extra }) => extra?.sessionId)).toEqual([sessionId, sessionId]);
});

it.each([
  [SOLANA_MAINNET, 'solana', BUYER.address],
  [TIMED, 'timed', PAYER],
])('a payment on %s is settled by its own facilitator', async (network, name, payer) => {
  const host = await open(solana(), timed());
  const asked = await ask(host);
  const response = await pay(host, asked, network);
  expect(response.status).toBe(200);
  expect(paymentResponse(response)).toMatchObject({ success: true, network, payer });
  expect(settled).toEqual([name]);
  const { order_id } = await bodyOf(response);
  const row = await host.store.tables.settlements.bySession(asked.sessionId);
  expect(row).toMatchObject({ orderId: order_id, network, payer, state: 'settled' });
  await host.service.tick();
  expect(await host.status(order_id ?? '')).toMatchObject({ status: 'completed' });
});

it('a session is paid on one rail alone', async () => {
  const host = await open(solana(), timed());
  const asked = await ask(host);
  expect((await pay(host, asked, TIMED)).status).toBe(200);
  expect(await bodyOf(await pay(host, asked, SOLANA_MAINNET))).toMatchObject({
    error: 'session_used',
  });
  expect(settled).toEqual(['timed']);
});

it('payments that a stranger lands in one transaction are all paid', async () => {
  const host = await open(solana(), timed());
  batch = `0x${'ba'.repeat(32)}`;
  for (const asked of [await ask(host), await ask(host)]) {
    const response = await pay(host, asked, TIMED);
    expect(paymentResponse(response)).toMatchObject({ success: true, transaction: batch });
    await host.service.tick();
    const { order_id = '' } = await bodyOf(response);
    expect(await host.status(order_id)).toMatchObject({ status: 'completed' });
  }
  expect(host.faults).toEqual([]);
});

it('a payment on a network that was taken away stays open, and is told of', async () => {
  const host = await open(solana(), timed());
  isPending = true;
  const { order_id = '' } = await bodyOf(await pay(host, await ask(host), TIMED));
  const later = await checkoutHost({ rails: [solana()], clock, store: host.store });
  clock.advance(60_000);
  await later.service.tick();
  expect(later.faults.map(String)).toEqual([
    expect.stringContaining(`${order_id} on Base is open`),
  ]);
  expect(await later.status(order_id)).toMatchObject({ status: 'processing' });
});

it('what is refunded is owed where it was paid, to its payer', async () => {
  const host = await open(solana(), timed());
  host.script.fulfil = () => ({ outcome: 'refused', reason: 'sold out' });
  const { order_id = '' } = await bodyOf(await pay(host, await ask(host), TIMED));
  await host.service.tick();
  const { tables } = host.store;
  const [refund] = await tables.refunds.ofOrder(order_id);
  expect(refund).toMatchObject({ recipient: PAYER, coin: 'USDC' });
  expect(refund && (await refundNetwork(tables, refund))).toBe(TIMED);
});

it('a payment that is valid no more by time is refused by its rail', async () => {
  const host = await open(solana(), timed());
  const response = await pay(host, await ask(host), TIMED, 0);
  expect(response.status).toBe(402);
  expect(await bodyOf(response)).toMatchObject({ reason: 'authorization_expired' });
  expect(settled).toEqual([]);
});

it('a rail that cannot settle now is not listed, and takes no payment of such a session', async () => {
  const host = await open(solana(), timed());
  const before = await ask(host);
  isAway = true;
  const asked = await ask(host);
  expect(asked.accepts.map(({ network }) => network)).toEqual([SOLANA_MAINNET]);
  expect(host.faults.map(String)).toEqual([expect.stringContaining('It is away')]);
  const elsewhere = { ...asked, accepts: before.accepts.map((one) => ({ ...one, extra: {} })) };
  expect(await bodyOf(await pay(host, elsewhere, TIMED))).toMatchObject({
    error: 'network_not_supported',
  });
  expect((await pay(host, asked, SOLANA_MAINNET)).status).toBe(200);
});

it('asks for no payment where no rail can settle one', async () => {
  isAway = true;
  expect((await (await open(timed())).post('/v1/orders', ORDER)).status).toBe(503);
});

it('tells of both in what the host publishes, and verifies by the network', async () => {
  const host = await open(solana(), timed());
  const { kinds } = await bodyOf<{ readonly kinds: readonly { network: string }[] }>(
    await host.get('/supported'),
  );
  expect(kinds.map(({ network }) => network)).toEqual([SOLANA_MAINNET, TIMED]);
  const manifest = hostManifest().parse(await bodyOf(await host.get(getManifest.path)));
  expect(recipientsIn(manifest)).toEqual([MERCHANT.address, MERCHANT.address, SHOP]);
  const { accepts } = await ask(host);
  const [paymentRequirements] = accepts.slice(1);
  if (paymentRequirements === undefined) throw new Error('the host should list it');
  const verified = async (seconds: number) => {
    const payload = authorized(paymentRequirements, seconds);
    const paymentPayload = { x402Version: 2, accepted: paymentRequirements, payload };
    return bodyOf(
      await host.post('/verify', { x402Version: 2, paymentPayload, paymentRequirements }),
    );
  };
  expect(await verified(60)).toEqual({ isValid: true });
  expect(await verified(0)).toMatchObject({ invalidReason: 'authorization_expired' });
});
