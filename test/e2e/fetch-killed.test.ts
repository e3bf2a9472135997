/** A paid request of which the process dies on the way, and the same command run again. */
import { createPublicClient, http } from 'viem';
import { base } from 'viem/chains';
import { describe, expect, it } from 'vitest';
import type { FetchedRecord } from '../../src/cli/schemas/purchase.ts';
import { makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { onBase, onSolana, type PaidHost, paidHost } from '../support/paid-host.ts';
import { serveHere } from '../support/served-here.ts';
import { fundedWallet } from '../support/shop.ts';
import { USDC, USDC_ABI } from '../support/usdc.ts';

const served = makeHome();
const sandbox = await serveHere(served, true);
const ledger = ledgerAt(`${sandbox.url}/rpc`);
/** They answer the same payment in the same way, as servers do that keep answers for a while. */
const solana = await onSolana(sandbox.url);
const [reference, old] = [await paidHost(2, solana, true), await paidHost(1, solana, true)];
const plain = await paidHost(2, solana);
const evm = await onBase(sandbox.url);
const onEvm = await paidHost(2, evm, true);
const client = createPublicClient({ chain: base, transport: http(`${sandbox.url}/rpc/base`) });
const received = () =>
  client.readContract({
    ...{ address: USDC, abi: USDC_ABI, functionName: 'balanceOf' },
    args: [evm.payTo as `0x${string}`],
  });

const KILL_POINTS = [
  'challenge-answered',
  'purchase-asked',
  'intent-written',
  'record-linked:2',
  'reserved',
  'signed',
  'attempt-written',
  'payment-sent',
  'submitted',
  'accepted-recorded',
  'goods-read',
  'goods-recorded',
] as const;

const killedAt = (point: string) => ({ env: { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point } });
const words = ({ url }: PaidHost, ...more: string[]) => [
  ...['fetch', `${url}/report`, '--max-amount', '0.02', ...sandbox.flags, ...more],
];

async function fundedHome() {
  const home = makeHome();
  const payer = await fundedWallet(home, sandbox.flags, '5');
  return { home, payer };
}

const CASES = KILL_POINTS.flatMap((point) => [
  ['version 2', point, reference, ['--idempotency-key', 'once']] as const,
  ['version 2 without a key', point, reference, []] as const,
  ['version 1', point, old, ['--idempotency-key', 'once']] as const,
]);

describe('killed at any point, then run again', () => {
  it.each(CASES)('%s, at %s: paid once, with its answer', async (_what, point, host, key) => {
    const { home, payer } = await fundedHome();
    const before = host.paid.length;
    const killed = await home.run(words(host, ...key), killedAt(point));
    expect([killed.signal, killed.stdout]).toEqual(['SIGKILL', '']);

    const again = await home.run(words(host, ...key));
    expect(again.status, again.stderr).toBe(0);
    expect(again.stdout).toContain('"fine"');
    expect(await ledger.payments(payer)).toHaveLength(1);
    const sent = host.paid
      .slice(before)
      .map(({ headers }) => headers.get('payment-signature') ?? headers.get('x-payment'));
    expect(new Set(sent).size).toBe(1);
    // With its key it is the same answer ever after.
    if (key.length > 0) {
      expect((await home.run(words(host, ...key))).stdout).toBe(again.stdout);
      expect(await ledger.payments(payer)).toHaveLength(1);
    }
  });

  it.each(['reserved', 'attempt-written', 'payment-sent', 'submitted', 'goods-read'])(
    'on Base, at %s: paid once, with its answer',
    async (point) => {
      const home = makeHome();
      await home.json(['wallet', 'new', ...sandbox.flags]);
      await home.json(['wallet', 'fund', '--network', 'base', '--usdc', '5', ...sandbox.flags]);
      const before = await received();
      const killed = await home.run(words(onEvm), killedAt(point));
      expect([killed.signal, killed.stdout]).toEqual(['SIGKILL', '']);

      const again = await home.json<FetchedRecord>(words(onEvm));
      expect(again).toMatchObject({ status: 200, payment: { network: 'eip155:8453' } });
      expect((await received()) - before).toBe(10_000n);
    },
  );

  it.each(['goods-read', 'submitted'])(
    'at %s, a host that takes a payment only once is paid once, and its answer is asked for by a person',
    async (point) => {
      const { home, payer } = await fundedHome();
      const key = ['--idempotency-key', 'once'];
      const killed = await home.run(words(plain, ...key), killedAt(point));
      expect(killed.signal).toBe('SIGKILL');
      const again = await home.failure(words(plain, ...key, '--timeout', '20s'));
      expect(again).toMatchObject({ code: 'ATTENTION_NEEDED', funds_at_risk: 'spent' });
      expect(await ledger.payments(payer)).toHaveLength(1);
    },
  );
});

describe('what was paid for and not printed', () => {
  it('is finished by orders resume, wherever its host is', async () => {
    const { home, payer } = await fundedHome();
    await home.run(words(reference), killedAt('payment-sent'));
    const [resumed] = await home.json<{ status: string; intent_id: string }[]>([
      ...['orders', 'resume', ...sandbox.flags],
    ]);
    expect(resumed).toMatchObject({ status: 'completed' });
    const printed = await home.run(words(reference));
    expect(printed.stdout).toContain('"fine"');
    expect(await ledger.payments(payer)).toHaveLength(1);
    // It has been printed: the same request is a new one.
    expect((await home.run(words(reference))).status).toBe(0);
    expect(await ledger.payments(payer)).toHaveLength(2);
  });

  it('is kept if the file cannot be written', async () => {
    const { home, payer } = await fundedHome();
    const folder = home.dir;
    const failure = await home.run(words(reference, '-o', folder));
    expect(failure.status).toBe(13);
    expect(failure.stderr).toContain('The answer is kept');
    expect((await home.run(words(reference))).stdout).toContain('"fine"');
    expect(await ledger.payments(payer)).toHaveLength(1);
  });
});
