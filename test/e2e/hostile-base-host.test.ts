/**
 * Checkout hosts that ask for something else on Base than USDC to be paid to them, as the command line meets
 * them: nothing is signed, nothing is on record as sent, and no money moves.
 */
import { readdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { decodeHeader, encodeHeader } from '../../src/contract/x402.ts';
import { makeHome } from '../support/cli.ts';
import { type FrontReply, type Manners, openFrontHost } from '../support/front-host.ts';
import { baseLedgerAt } from '../support/ledger.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, fundedOnBase, fundedWallet, orderOf } from '../support/shop.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
type Body = any;

const home = makeHome();
const sandbox = await serveHere(home);
await fundedWallet(home, sandbox.flags, '500');
const payer = await fundedOnBase(home, sandbox.url, { usdc: '500' });
const ledger = baseLedgerAt(`${sandbox.url}/rpc/base`);
const payments: Body[] = [];
const host = await openFrontHost(sandbox.url);
const flags = ['--checkout-url', host.url, '--base-rpc-url', `${sandbox.url}/rpc/base`];
const { card25 } = amazonProducts();

const BASE = 'eip155:8453';
const YEARS_32 = 32 * 365 * 86_400;
const STRANGER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const SEPOLIA_USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e';
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const POLYGON_USDC = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';

/** The offer of Base becomes another one, in the header and in the body; the others go. */
const asking = (change: (accept: Body) => object): Manners => ({
  hear: ({ headers }) => {
    const payment = headers['payment-signature'];
    if (payment !== undefined) payments.push(decodeHeader(payment));
    return {};
  },
  answer: ({ path }, reply) => {
    if (path !== '/v1/orders' || reply.status !== 402) return reply;
    return asked(reply, change);
  },
});

function asked(reply: FrontReply, change: (accept: Body) => object): FrontReply {
  const envelope: Body = decodeHeader(reply.headers['payment-required'] ?? '');
  const own = envelope.accepts.filter(({ network }: Body) => network === BASE);
  const body = {
    ...envelope,
    accepts: own.map((accept: Body) => ({ ...accept, ...change(accept) })),
  };
  return { ...reply, body, headers: { ...reply.headers, 'payment-required': encodeHeader(body) } };
}

let keys = 0;
const order = (more: readonly string[] = []) => {
  keys += 1;
  const key = ['--idempotency-key', `key-${keys}`];
  return orderOf(card25.product_id, [...flags, '--network', 'base', ...key, ...more]);
};
const attempts = () =>
  readdirSync(home.dir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /attempt-\d+\.rec$/.test(path),
  ).length;

beforeEach(() => {
  payments.length = 0;
});

describe('nothing is signed where the host asks for', () => {
  const extra = (change: object) => (accept: Body) => ({ extra: { ...accept.extra, ...change } });
  const amounts = (text: string) => () => ({ amount: text, maxAmountRequired: text });

  it.each<[string, (accept: Body) => object]>([
    ['two amounts', () => ({ maxAmountRequired: '1' })],
    ['an amount in hexadecimal', amounts('0x18148d0')],
    ['an amount with an exponent', amounts('25e6')],
    ['another token', () => ({ asset: POLYGON_USDC })],
    ['USDC of the test network', () => ({ asset: SEPOLIA_USDC })],
    ['a domain with another name', extra({ name: 'USDC' })],
    ['a domain with another version', extra({ version: '1' })],
    ['no domain', () => ({ extra: undefined })],
    ['a payment to the zero address', () => ({ payTo: `0x${'0'.repeat(40)}` })],
    ['a payment to the payer', () => ({ payTo: payer })],
    ['a payment to the payer in lower case', () => ({ payTo: payer.toLowerCase() })],
    ['a payment to the token', () => ({ payTo: USDC })],
    ['a payment to an address with a bad checksum', () => ({ payTo: STRANGER.replace('C', 'c') })],
    ['a payment to an address of Solana', () => ({ payTo: USDC.slice(0, 41) })],
    ['Permit2', extra({ assetTransferMethod: 'permit2' })],
    ['a permit of ERC-2612', extra({ assetTransferMethod: 'erc2612' })],
    ['another scheme', () => ({ scheme: 'upto' })],
    ['another chain', () => ({ network: 'eip155:1' })],
    ['the chain’s name of x402 version 1', () => ({ network: 'base' })],
    ['the test network', () => ({ network: 'eip155:84532', asset: SEPOLIA_USDC })],
  ])('%s', (_what, change) => isRefused(change, 5));

  it.each([
    ['more than was agreed to', amounts('60000001')],
    ['ten times the price', ({ amount }: Body) => amounts(`${amount}0`)()],
  ])('%s', (_what, change) => isRefused(change, 6));

  async function isRefused(change: (accept: Body) => object, exit: number): Promise<void> {
    host.behave(asking(change));
    const [before, held] = [attempts(), await ledger.balance(payer)];
    const { code, status, funds_at_risk } = await home.failure(order());
    expect([code, status, funds_at_risk]).toEqual([expect.any(String), exit, 'none']);
    expect(attempts()).toBe(before);
    expect(payments).toEqual([]);
    expect(await ledger.balance(payer)).toBe(held);
  }
});

describe('what is signed is what was agreed to', () => {
  it.each([
    ['32 years', YEARS_32],
    ['no second', 0],
    ['less than no second', -60],
  ])('for at most 300 seconds, where the host asks for %s', async (_time, maxTimeoutSeconds) => {
    host.behave(asking(() => ({ maxTimeoutSeconds })));
    const startedAt = Math.floor(Date.now() / 1_000);
    await home.run(order());
    expect(payments.length).toBeGreaterThan(0);
    const times = payments.map(({ payload }) => Number(payload.authorization.validBefore));
    expect(Math.min(...times)).toBeGreaterThan(startedAt);
    expect(Math.max(...times)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000) + 300);
  });

  it('once, although the host answers the payment with another requirement', async () => {
    host.behave({
      ...asking(() => ({})),
      instead: ({ headers }) => {
        const payment = headers['payment-signature'];
        if (payment === undefined) return undefined;
        const { accepted, ...sent }: Body = decodeHeader(payment);
        payments.push({ accepted, ...sent });
        const again = { ...accepted, payTo: STRANGER, amount: '1', maxAmountRequired: '1' };
        const body = { x402Version: 2, error: 'payment_invalid', accepts: [again] };
        const headersOf = { 'payment-required': encodeHeader(body) };
        return { status: 402, body, headers: { 'content-type': 'application/json', ...headersOf } };
      },
    });
    const before = attempts();
    await home.failure(order(['--timeout', '3s']));
    expect(attempts()).toBe(before + 1);
    expect(new Set(payments.map(({ payload }) => payload.signature)).size).toBe(1);
    expect(payments.map(({ payload }) => payload.authorization.to)).not.toContain(STRANGER);
  });
});
