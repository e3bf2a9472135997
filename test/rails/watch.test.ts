/** Payments to an order's own address, as a node tells of them. */
import { describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/errors.ts';
import {
  addressBytes,
  associatedTokenAddress,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/rails/solana/address.ts';
import type { AccountInfo, SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { createSolanaWatch } from '../../src/rails/solana/watch.ts';
import { MERCHANT } from '../support/solana-payment.ts';

const OWNER = MERCHANT.address;
const order = { orderId: 'order-1', address: OWNER, coin: 'USDC', network: 'Solana' };

interface Told {
  readonly confirmed: bigint | null;
  readonly processed: bigint | null;
  readonly history?: readonly unknown[];
}

function watchOver(
  { confirmed, processed, history = [{ signature: 'first', err: null }] }: Told,
  accountOf: (amount: bigint) => AccountInfo,
) {
  const asked: string[] = [];
  const rpc: Pick<SolanaRpc, 'accountInfo' | 'request'> = {
    accountInfo: async (address, commitment) => {
      asked.push(address);
      const amount = commitment === 'processed' ? processed : confirmed;
      return amount === null ? null : accountOf(amount);
    },
    request: async (method) => {
      asked.push(method);
      return history;
    },
  };
  // The other calls of the client are not made, which their absence proves.
  const watch = createSolanaWatch({ rpc: rpc as SolanaRpc, mints: { USDC: USDC_MINT } });
  return { watch, asked };
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
    const { watch, asked } = watchOver({ confirmed: 5n, processed: 8n }, tokenAccount);
    expect(await watch.received(order)).toMatchObject({ confirmedAtomic: 5n, seenAtomic: 8n });
    expect(asked[0]).toBe(associatedTokenAddress(OWNER, USDC_MINT));
  });

  it('lists successful transactions, oldest first', async () => {
    const history = [
      { signature: 'third', err: null },
      { signature: 'second', err: { InstructionError: [0, 'Custom'] } },
      { signature: 'first', err: null },
    ];
    const { watch } = watchOver({ confirmed: 5n, processed: 5n, history }, tokenAccount);
    expect((await watch.received(order)).transactions).toEqual(['first', 'third']);
  });

  it('counts money only once its transaction is told', async () => {
    const { watch } = watchOver({ confirmed: 5n, processed: 5n, history: [] }, tokenAccount);
    expect(await watch.received(order)).toEqual({
      confirmedAtomic: 0n,
      seenAtomic: 5n,
      transactions: [],
    });
  });

  it('counts lamports of the owner itself for SOL', async () => {
    const { watch, asked } = watchOver({ confirmed: 7n, processed: 7n }, wallet);
    const received = await watch.received({ ...order, coin: 'SOL' });
    expect([received.confirmedAtomic, asked[0]]).toEqual([7n, OWNER]);
  });

  it('finds nothing in an account that is not there, or is none of the token', async () => {
    const nothing = { confirmedAtomic: 0n, seenAtomic: 0n, transactions: [] };
    const absent = watchOver({ confirmed: null, processed: null }, tokenAccount);
    expect(await absent.watch.received(order)).toEqual(nothing);
    const other = watchOver({ confirmed: 9n, processed: 9n }, wallet);
    expect(await other.watch.received(order)).toEqual(nothing);
  });

  it.each([
    ['another coin', { ...order, coin: 'USDT' }],
    ['an order without an address', { ...order, address: null }],
  ])('asks nobody about %s', async (_name, other) => {
    const { watch, asked } = watchOver({ confirmed: 9n, processed: 9n }, tokenAccount);
    expect((await watch.received(other)).seenAtomic).toBe(0n);
    expect(asked).toEqual([]);
  });

  it('concludes nothing when the node does not answer', async () => {
    const away: Pick<SolanaRpc, 'accountInfo'> = {
      accountInfo: async () => {
        throw new ScripError('CHAIN_UNREACHABLE', 'no answer');
      },
    };
    const watch = createSolanaWatch({ rpc: away as SolanaRpc, mints: { USDC: USDC_MINT } });
    await expect(watch.received(order)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
  });
});
