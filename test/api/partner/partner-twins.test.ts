/** Machines that share a wallet and an idempotency key, each with a journal of its own, at the partner API. */

import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeOrder, type PartnerOrderRequest } from '../../../src/api/partner/partner-order.ts';
import { payOrder } from '../../../src/api/partner/pay.ts';
import type { PayDeps } from '../../../src/api/partner/pay-terms.ts';
import type { Fetch } from '../../../src/contract/fetch.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../../../src/contract/x402.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { createSolanaPayer } from '../../../src/rails/solana/payer.ts';
import { createSolanaRpc } from '../../../src/rails/solana/rpc.ts';
import { openJournal } from '../../../src/records/journal-files.ts';
import { createVault } from '../../../src/wallet/vault.ts';
import {
  AMAZON_25,
  APPLICATION,
  BASE,
  BUYER_WALLET,
  partnerSandbox,
  via,
} from '../../support/partner-sandbox.ts';
import { random } from '../../support/random.ts';
import { spendingOf, spendLogAt } from '../../support/spending.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const dir = tempFolder();
const host = await partnerSandbox();
afterAll(host.close);

const payer = BUYER_WALLET.address;
let homes = 0;

type Hooks = Pick<PayDeps, 'failPoint'> & { readonly takesNoKey?: boolean };

/** A machine with the wallet, and with a journal that nobody else has. */
function home({ failPoint, takesNoKey = false }: Hooks = {}) {
  homes += 1;
  const journalDir = join(dir, String(homes));
  const { clock } = host;
  const fetch: Fetch = async (url, init) => {
    // What a server does by itself, beside the requests.
    await host.current().tick();
    const { 'Idempotency-Key': _, ...headers } = init?.headers ?? {};
    return host.current().fetch(url, takesNoKey ? { ...init, headers } : init);
  };
  const rpc = createSolanaRpc({ url: `${BASE}/rpc`, fetch, clock });
  const rail = createSolanaPayer({ rpc, network: SOLANA_MAINNET, mint: USDC_MINT });
  const journal = openJournal({ dir: journalDir, payer });
  const deps: PayDeps = {
    fetch,
    apiUrl: BASE,
    applicationId: APPLICATION,
    version: '1.0',
    countryCode: 'us',
    clock,
    hostName: BASE,
    rail,
    others: async () => [],
    signer: BUYER_WALLET,
    vault: () => createVault(BUYER_WALLET),
    journal,
    spending: spendingOf(spendLogAt(journalDir, payer)),
    waitMs: 600_000,
    ...(failPoint === undefined ? {} : { failPoint }),
  };
  return {
    deps,
    make: async (key: string, coin = 'USDC') => {
      const ordering = {
        ...deps,
        payer,
        walletNetwork: SOLANA_MAINNET,
        random,
        honoursIdempotencyKey: true,
      };
      const { failPoint: _, ...quiet } = ordering;
      return (await makeOrder(quiet, requestOf(key, coin))).order.order_id;
    },
    pay: (orderId: string) => payOrder(deps, { orderId, agree: async () => undefined }),
  };
}

const requestOf = (key: string, coin: string): PartnerOrderRequest => ({
  key,
  body: {
    user: { email: 'buyer@example.com' },
    payment: via(coin, 'Solana') as PartnerOrderRequest['body']['payment'],
    deliveries: [AMAZON_25],
    refund_wallet_address: payer,
  },
  quotedAtomic: atomic(0n),
  capAtomic: atomic(10_000_000_000n),
  decimals: coin === 'SOL' ? 9 : 6,
  summary: {
    productId: '',
    productName: 'Amazon.com 25 USD',
    brandName: 'Amazon.com',
    countryCode: 'us',
    faceValue: '25 USD',
    currency: 'USD',
    beneficiary: 'friend@example.com',
  },
});

async function received(orderId: string): Promise<readonly string[]> {
  await host.pass(0);
  return (await host.read(orderId)).payment_transactions ?? [];
}

/** A machine that is switched off at a point. */
const off = (at: string): Hooks => ({
  failPoint: (name) => {
    if (name === at) throw new ScripError('INTERRUPTED', t`switched off`);
  },
});

describe('two machines with one key', () => {
  it('make one order', async () => {
    const [one, other] = [await home().make('one-order'), await home().make('one-order')];
    expect(other).toBe(one);
    expect(await home().make('another-order')).not.toBe(one);
  });

  it.each(['USDC', 'SOL'])(
    'pay it once in %s, and the second says that it paid nothing',
    async (coin) => {
      const [one, other] = [home(), home()];
      const orderId = await one.make(`paid-${coin}`, coin);
      await other.make(`paid-${coin}`, coin);
      expect(await one.pay(orderId)).toMatchObject({ kind: 'paid', signatures: 1 });
      expect(await other.pay(orderId)).toMatchObject({ kind: 'paid', signatures: 0 });
      expect(await received(orderId)).toHaveLength(1);
    },
  );

  it.each([
    // The turn lapses, and what the first one signed can land no more.
    ['before it sent the payment', 'attempt-written', 1],
    ['when it had sent it', 'submitted', 0],
  ])('pay it once where the first was switched off %s', async (_when, point, signatures) => {
    const [one, other] = [home(off(point)), home()];
    const orderId = await one.make(point);
    await other.make(point);
    await expect(one.pay(orderId)).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(await other.pay(orderId)).toMatchObject({ kind: 'paid', signatures });
    expect(await received(orderId)).toHaveLength(1);
  });

  it('pay it once where the first sleeps between its turn and its signature', async () => {
    const other = home();
    const paid: unknown[] = [];
    const asleep = home();
    const { sign } = asleep.deps.rail;
    const rail = {
      ...asleep.deps.rail,
      sign: async (input: Parameters<typeof sign>[0]) => {
        if (paid.length === 0) paid.push(await other.pay(orderId));
        return sign(input);
      },
    };
    const one = { ...asleep.deps, rail };
    const orderId = await asleep.make('asleep');
    await other.make('asleep');
    const late = payOrder(one, { orderId, agree: async () => undefined });
    await expect(late).rejects.toMatchObject({ code: 'CHALLENGE_EXPIRED', fundsAtRisk: 'none' });
    expect(paid).toMatchObject([{ kind: 'paid', signatures: 1 }]);
    expect(await received(orderId)).toHaveLength(1);
    expect(await asleep.pay(orderId)).toMatchObject({ kind: 'paid', signatures: 0 });
  });

  it('pay it once where the first sleeps between its signature and sending, and it says so', async () => {
    const other = home();
    const paid: unknown[] = [];
    const asleep = home();
    const { send } = asleep.deps.rail;
    const rail = {
      ...asleep.deps.rail,
      send: async (payment: Parameters<typeof send>[0]) => {
        if (paid.length === 0) paid.push(await other.pay(orderId));
        return send(payment);
      },
    };
    const one = { ...asleep.deps, rail };
    const orderId = await asleep.make('asleep-signed');
    await other.make('asleep-signed');
    const late = await payOrder(one, { orderId, agree: async () => undefined });
    expect(paid).toMatchObject([{ kind: 'paid', signatures: 1 }]);
    expect(late).toMatchObject({ kind: 'paid', signatures: 0 });
    expect(await received(orderId)).toHaveLength(1);
  });

  it('pay a rest once of which the first paid a part', async () => {
    const [one, other] = [home(), home()];
    const orderId = await one.make('part');
    await other.make('part');
    const part = { orderId, partAtomic: atomic(10_000_000n), agree: async () => undefined };
    expect(await payOrder(one.deps, part)).toMatchObject({ kind: 'paid' });
    host.clock.advance(60_000);
    const rest = await other.pay(orderId);
    expect(rest).toMatchObject({ kind: 'paid', signatures: 1, transactions: { length: 2 } });
    expect(await received(orderId)).toHaveLength(2);
    expect((await host.read(orderId)).payment_state).toBe('PaymentReceived');
  });
});

describe('two machines with one key at a host that takes none', () => {
  it('the second finds the first payment before it signs, and pays for nothing', async () => {
    const [one, other] = [home({ takesNoKey: true }), home({ takesNoKey: true })];
    const first = await one.make('keyless');
    const second = await other.make('keyless');
    expect(second).not.toBe(first);
    await one.pay(first);
    await expect(other.pay(second)).rejects.toMatchObject({
      code: 'PAID_ELSEWHERE',
      fundsAtRisk: 'spent',
    });
    expect(await received(second)).toEqual([]);
  });
});
