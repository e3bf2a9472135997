/** Payments to an order's own address, as a node tells of them. */

import { describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import {
  addressBytes,
  associatedTokenAddress,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/rails/solana/address.ts';
import type { SolanaRpc } from '../../src/rails/solana/rpc.ts';
import type { AccountInfo } from '../../src/rails/solana/rpc-answers.ts';
import { createSolanaWatch } from '../../src/rails/solana/watch.ts';
import { MERCHANT } from '../support/solana-payment.ts';

const OWNER = MERCHANT.address;
const order = { orderId: 'order-1', address: OWNER, coin: 'USDC', network: 'Solana' };

/** A transaction as the node tells it: `null` when it cannot be shown yet. */
interface ToldTransaction {
  readonly signature: string;
  readonly err?: unknown;
  readonly shown?: { readonly pre: bigint; readonly post: bigint } | null;
  readonly isFinal?: boolean;
}

interface Told {
  readonly processed: bigint | null;
  /** Newest first. */
  readonly history?: readonly ToldTransaction[];
}

const FIRST: ToldTransaction = { signature: 'first', shown: { pre: 0n, post: 5n } };

function watchOver(
  { processed, history = [FIRST] }: Told,
  accountOf: (amount: bigint) => AccountInfo,
  lease: { readonly baseline: string | undefined } = { baseline: undefined },
) {
  const asked: string[] = [];
  const reads: string[] = [];
  const rpc: Pick<SolanaRpc, 'accountInfo' | 'requestAll' | 'signaturesForAddress'> = {
    accountInfo: async (address) => {
      asked.push(address);
      return processed === null ? null : accountOf(processed);
    },
    // A node that gives 100 at a time, whatever it is asked for.
    signaturesForAddress: async (_address, { before, until }) => {
      const at = (id: string | undefined) => history.findIndex((one) => one.signature === id);
      const end = at(until);
      const page = history.slice(at(before) + 1, end < 0 ? undefined : end).slice(0, 100);
      return page.map(({ signature, err = null, isFinal = true }) => ({
        ...{ signature, isFinal, error: err, slot: 1 },
      }));
    },
    requestAll: async (_method, list) =>
      list.map(([of]) => {
        reads.push(String(of));
        const told = history.find(({ signature }) => signature === of);
        return told?.shown ? transactionOf(told.shown) : null;
      }),
  };
  // The other calls of the client are not made, which their absence proves.
  const watch = createSolanaWatch({
    rpc: rpc as SolanaRpc,
    mints: { USDC: USDC_MINT },
    since: async () => lease.baseline,
  });
  return { watch, asked, reads };
}

/** The payer, the order's wallet and its token account, which is made by the first payment. */
function transactionOf({ pre, post }: { readonly pre: bigint; readonly post: bigint }) {
  const balance = (amount: bigint) => [
    { accountIndex: 2, mint: USDC_MINT, uiTokenAmount: { amount: String(amount) } },
    { accountIndex: 0, mint: USDC_MINT, uiTokenAmount: { amount: '900' } },
  ];
  return {
    transaction: {
      message: { accountKeys: ['payer', OWNER, associatedTokenAddress(OWNER, USDC_MINT)] },
    },
    meta: {
      preBalances: [9, Number(pre), 0],
      postBalances: [4, Number(post), 0],
      preTokenBalances: pre === 0n ? [] : balance(pre),
      postTokenBalances: balance(post),
    },
  };
}

function tokenAccount(amount: bigint): AccountInfo {
  const data = new Uint8Array(165);
  data.set(addressBytes(USDC_MINT), 0);
  data.set(addressBytes(OWNER), 32);
  new DataView(data.buffer).setBigUint64(64, amount, true);
  data[108] = 1;
  return { lamports: 2_039_280n, owner: TOKEN_PROGRAM, data, isExecutable: false };
}

const wallet = (lamports: bigint): AccountInfo => ({
  lamports,
  owner: SYSTEM_PROGRAM,
  data: new Uint8Array(),
  isExecutable: false,
});

describe('a watch over Solana', () => {
  it('tells what is confirmed from what was only seen', async () => {
    const { watch, asked } = watchOver({ processed: 8n }, tokenAccount);
    expect(await watch.received(order)).toMatchObject({ confirmedAtomic: 5n, seenAtomic: 8n });
    expect(asked[0]).toBe(associatedTokenAddress(OWNER, USDC_MINT));
  });

  it('adds up successful transactions, oldest first', async () => {
    const history: readonly ToldTransaction[] = [
      { signature: 'third', shown: { pre: 5n, post: 12n } },
      { signature: 'second', err: { InstructionError: [0, 'Custom'] } },
      FIRST,
    ];
    const { watch } = watchOver({ processed: 12n, history }, tokenAccount);
    expect(await watch.received(order)).toEqual({
      confirmedAtomic: 12n,
      seenAtomic: 12n,
      unexplainedAtomic: 0n,
      transactions: ['first', 'third'],
    });
  });

  it.each<[string, readonly ToldTransaction[], bigint, bigint]>([
    ['are not told', [], 0n, 12n],
    ['are named and not shown yet', [{ signature: 'second', shown: null }, FIRST], 5n, 0n],
    ['are missing beside others', [FIRST], 5n, 7n],
  ])('counts no money of transactions that %s', async (_what, history, counted, unexplained) => {
    const { watch } = watchOver({ processed: 12n, history }, tokenAccount);
    expect(await watch.received(order)).toEqual({
      confirmedAtomic: counted,
      seenAtomic: 12n,
      unexplainedAtomic: unexplained,
      transactions: counted === 0n ? [] : ['first'],
    });
  });

  it('finds a payment below any number of transfers by strangers, and reads each final one once', async () => {
    const dust = Array.from({ length: 2_500 }, (_, at): ToldTransaction => {
      const pre = 5n + BigInt(at);
      return { signature: `dust ${at}`, shown: { pre, post: pre + 1n } };
    });
    const newest = dust.map((one, at) => (at < 2_490 ? one : { ...one, isFinal: false })).reverse();
    const { watch, reads } = watchOver(
      { processed: 2_505n, history: [...newest, FIRST] },
      tokenAccount,
    );
    const sums: bigint[] = [];
    for (let look = 0; look < 4; look += 1) {
      const { confirmedAtomic, unexplainedAtomic } = await watch.received(order);
      expect(unexplainedAtomic).toBe(0n);
      sums.push(confirmedAtomic);
    }
    // The oldest first, so that the first look finds it already.
    expect(sums).toEqual([1_004n, 2_004n, 2_505n, 2_505n]);
    expect(reads).toHaveLength(2_501 + 10);
  });

  it('begins anew with another lease', async () => {
    const paid = Array.from({ length: 150 }, (_, at): ToldTransaction => {
      const pre = BigInt(at);
      return { signature: `paid ${at}`, shown: { pre, post: pre + 1n } };
    }).reverse();
    const since = { baseline: undefined as string | undefined };
    const { watch } = watchOver({ processed: 150n, history: paid }, tokenAccount, since);
    expect((await watch.received(order)).confirmedAtomic).toBe(150n);
    since.baseline = 'paid 9';
    expect((await watch.received(order)).confirmedAtomic).toBe(140n);
  });

  it('lists nothing that brought nothing', async () => {
    const idle: ToldTransaction = { signature: 'idle', shown: { pre: 5n, post: 5n } };
    const { watch } = watchOver({ processed: 5n, history: [idle, FIRST] }, tokenAccount);
    expect((await watch.received(order)).transactions).toEqual(['first']);
  });

  it('counts lamports of the owner itself for SOL', async () => {
    const { watch, asked } = watchOver({ processed: 5n }, wallet);
    const received = await watch.received({ ...order, coin: 'SOL' });
    expect([received.confirmedAtomic, asked[0]]).toEqual([5n, OWNER]);
  });

  it('finds nothing in an account that is not there, or is none of the token', async () => {
    const nothing = {
      ...{ confirmedAtomic: 0n, seenAtomic: 0n, unexplainedAtomic: 0n, transactions: [] },
    };
    const absent = watchOver({ processed: null }, tokenAccount);
    expect(await absent.watch.received(order)).toEqual(nothing);
    const other = watchOver({ processed: 9n }, wallet);
    expect(await other.watch.received(order)).toEqual(nothing);
  });

  it.each([
    ['another coin', { ...order, coin: 'USDT' }],
    ['an order without an address', { ...order, address: null }],
  ])('asks nobody about %s', async (_name, other) => {
    const { watch, asked } = watchOver({ processed: 9n }, tokenAccount);
    expect((await watch.received(other)).seenAtomic).toBe(0n);
    expect(asked).toEqual([]);
  });

  it('concludes nothing when the node does not answer', async () => {
    const away: Pick<SolanaRpc, 'accountInfo'> = {
      accountInfo: async () => {
        throw new ScripError('CHAIN_UNREACHABLE', t`no answer`);
      },
    };
    const watch = createSolanaWatch({ rpc: away as SolanaRpc, mints: { USDC: USDC_MINT } });
    await expect(watch.received(order)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
  });
});
