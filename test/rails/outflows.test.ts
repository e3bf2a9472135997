/** What left a wallet, read back from the embedded chain over its RPC. */
import {
  ACCOUNT_SIZE,
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createInitializeAccountInstruction,
  createSetAuthorityInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { type OutflowOptions, readOutflows } from '../../src/rails/solana/outflows.ts';
import { createSolanaRpc, type SolanaRpc } from '../../src/rails/solana/rpc.ts';
import type { SignatureEntry } from '../../src/rails/solana/rpc-answers.ts';
import { liveChain } from '../support/live-chain.ts';
import { manualClock } from '../support/manual-clock.ts';
import { web3Transaction } from '../support/web3.ts';

const MINT = new PublicKey(USDC_MINT);
const DAY_MS = 24 * 60 * 60 * 1_000;
const RENT = 2_039_280;
const ata = (owner: Keypair) => getAssociatedTokenAddressSync(MINT, owner.publicKey);
const wallet = Keypair.generate();
const stranger = Keypair.generate();
const delegate = Keypair.generate();
const second = Keypair.generate();
const owner = wallet.publicKey.toBase58();

const clock = manualClock();
const chain = await liveChain(clock);
let asked: string[] = [];
const rpc = createSolanaRpc({
  ...{ url: 'http://127.0.0.1/rpc', clock },
  fetch: (url, init) => {
    const body = JSON.parse(String(init?.body));
    asked.push(...[body].flat().map(({ method }) => method));
    return chain.fetch(url, init);
  },
});

beforeAll(async () => {
  for (const [who, usdc] of [
    [wallet, '100000000'],
    [stranger, '50000000'],
    [delegate, '0'],
  ] as const) {
    const funds = { usdc, lamports: '1000000000' };
    await rpc.request('sandboxFaucet', [who.publicKey.toBase58(), funds]);
  }
});
afterAll(chain.close);

async function send(
  instructions: TransactionInstruction[],
  signers: readonly [Keypair, ...Keypair[]],
): Promise<string> {
  const { blockhash } = await rpc.latestBlockhash('confirmed');
  const id = await rpc.send(web3Transaction(blockhash, instructions, signers).serialize());
  // Confirmed, and not finalized.
  clock.advance(800);
  return id;
}

const span = (known: readonly string[] = []) => {
  const nowMs = clock.now();
  return { sinceMs: nowMs - DAY_MS, nowMs, known: new Set(known) };
};
const outflows = (over: Partial<OutflowOptions> = {}, known: readonly string[] = []) =>
  readOutflows({ rpc, mint: USDC_MINT, read: new Map(), ...over }, owner, span(known));
/** What left the wallet by the last transaction of it, in whole USDC. */
const left = async (id: string) => {
  const found = (await outflows()).find(({ transactionId }) => transactionId === id);
  return found === undefined ? 0 : Number(found.amountAtomic) / 1_000_000;
};
const pay = (amount: number, from = ata(wallet), to = ata(stranger), by = wallet.publicKey) =>
  createTransferInstruction(from, to, by, amount * 1_000_000);

/** Opens another account of the wallet. */
const opening = ({ publicKey }: Keypair) => [
  SystemProgram.createAccount({
    ...{ fromPubkey: wallet.publicKey, newAccountPubkey: publicKey, lamports: RENT },
    ...{ space: ACCOUNT_SIZE, programId: TOKEN_PROGRAM_ID },
  }),
  createInitializeAccountInstruction(publicKey, MINT, wallet.publicKey),
];

describe('what left a wallet', () => {
  const forms: readonly [string, number, () => Promise<string>][] = [
    ['a transfer', 5, () => send([pay(5)], [wallet])],
    [
      'a checked transfer',
      7,
      () =>
        send(
          [
            createTransferCheckedInstruction(
              ata(wallet),
              MINT,
              ata(stranger),
              wallet.publicKey,
              7_000_000,
              6,
            ),
          ],
          [wallet],
        ),
    ],
    [
      'a burn',
      3,
      () => send([createBurnInstruction(ata(wallet), MINT, wallet.publicKey, 3_000_000)], [wallet]),
    ],
    ['several at once', 3, () => send([pay(1), pay(2)], [wallet])],
    ['a transfer that another fee payer sends', 2, () => send([pay(2)], [stranger, wallet])],
    [
      'a transfer by somebody who was allowed to, which the wallet did not sign',
      4,
      async () => {
        const by = delegate.publicKey;
        await send(
          [createApproveInstruction(ata(wallet), by, wallet.publicKey, 4_000_000n)],
          [wallet],
        );
        return send([pay(4, ata(wallet), ata(stranger), by)], [delegate]);
      },
    ],
    [
      'less what the same transaction brings',
      4,
      () =>
        send([pay(6), pay(2, ata(stranger), ata(wallet), stranger.publicKey)], [wallet, stranger]),
    ],
    [
      'nothing where it only brings',
      0,
      () => send([pay(9, ata(stranger), ata(wallet), stranger.publicKey)], [stranger]),
    ],
    [
      'nothing where it moves to another account of the wallet',
      0,
      () => send([...opening(second), pay(10, ata(wallet), second.publicKey)], [wallet, second]),
    ],
    ['a transfer from that account', 1, () => send([pay(1, second.publicKey)], [wallet])],
    [
      'the account as a whole, when it is given away',
      9,
      () =>
        send(
          [
            createSetAuthorityInstruction(
              second.publicKey,
              wallet.publicKey,
              AuthorityType.AccountOwner,
              stranger.publicKey,
            ),
          ],
          [wallet],
        ),
    ],
  ];
  it.each(forms)('is told: %s (%d)', async (_what, amount, act) => {
    expect(await left(await act())).toBe(amount);
  });

  it('by an account that is closed since is found too', async () => {
    const third = Keypair.generate();
    const spent = await send(
      [
        ...opening(third),
        createApproveInstruction(third.publicKey, delegate.publicKey, wallet.publicKey, 8_000_000n),
        pay(8, ata(wallet), third.publicKey),
      ],
      [wallet, third],
    ).then(() => send([pay(8, third.publicKey, ata(stranger), delegate.publicKey)], [delegate]));
    await send(
      [createCloseAccountInstruction(third.publicKey, wallet.publicKey, wallet.publicKey)],
      [wallet],
    );
    expect(await left(spent)).toBe(8);
  });

  it('is told with every signature and the time of its block', async () => {
    const id = await send([pay(1)], [stranger, wallet]);
    const found = (await outflows()).find(({ transactionId }) => transactionId === id);
    expect(found?.signatures).toHaveLength(2);
    expect(found?.signatures[0]).toBe(id);
    expect(Math.abs((found?.atMs ?? 0) - clock.now())).toBeLessThan(5_000);
  });

  it('by a transaction that failed is nothing', async () => {
    const before = await outflows();
    await send([pay(1_000_000)], [wallet]);
    expect(await outflows()).toEqual(before);
  });

  it('is not read again where the caller knows the amount, or where it was read before', async () => {
    const all = await outflows();
    asked = [];
    const known = all.map(({ transactionId }) => transactionId);
    const again = await outflows({}, known);
    expect(again.filter(({ transactionId }) => known.includes(transactionId))).toEqual(
      all.map(({ transactionId, atMs }) => ({
        transactionId,
        atMs,
        signatures: [],
        amountAtomic: undefined,
      })),
    );
    const read = new Map();
    await outflows({ read });
    asked = [];
    expect(await outflows({ read })).toEqual(all);
    expect(asked).not.toContain('getTransaction');
  });

  it('to an account that had none before is a transfer like any other', async () => {
    const fresh = Keypair.generate();
    const made = createAssociatedTokenAccountIdempotentInstruction(
      wallet.publicKey,
      ata(fresh),
      fresh.publicKey,
      MINT,
    );
    expect(await left(await send([made, pay(2, ata(wallet), ata(fresh))], [wallet]))).toBe(2);
  });
});

describe('a node that cannot tell all of it', () => {
  const answering = (over: Readonly<Record<string, unknown>>): SolanaRpc => {
    const answered = (method: string, params: readonly unknown[]) =>
      over[method] === undefined ? rpc.request(method, params) : over[method];
    return {
      ...rpc,
      request: async (method, params) => answered(method, params),
      requestAll: (method, list) =>
        Promise.all(list.map(async (params) => answered(method, params))),
      firstAvailableSlot: async () =>
        'first' in over ? (over.first as number | null) : rpc.firstAvailableSlot(),
      ...('history' in over
        ? { signaturesForAddress: async () => over.history as SignatureEntry[] }
        : {}),
    };
  };

  it.each([
    ['does not say how far it goes back', () => null, {}],
    ['goes back to a block of the last 24 hours', (slot: number) => slot - 100, {}],
    ['knows no time of its first block', (slot: number) => slot - 100, { getBlockTime: null }],
  ])('%s', async (_what, firstOf, over) => {
    const first = firstOf((await rpc.height('finalized')).slot);
    await expect(outflows({ rpc: answering({ ...over, first }) })).rejects.toMatchObject({
      code: 'SPENDING_UNKNOWN',
      fundsAtRisk: 'none',
    });
  });

  it('is believed where its first block is older', async () => {
    const { slot } = await rpc.height('finalized');
    const getBlockTime = Math.floor((clock.now() - 2 * DAY_MS) / 1_000);
    const all = await outflows();
    expect(await outflows({ rpc: answering({ first: slot - 100, getBlockTime }) })).toEqual(all);
  });

  it.each([
    ['balances', { meta: { preTokenBalances: null } }],
    ['transaction', null],
  ])('that gives a transaction without its %s is not believed', async (_what, getTransaction) => {
    await expect(
      outflows({ rpc: answering({ getTransaction: getTransaction ?? { transaction: null } }) }),
    ).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
  });

  it.each([
    ['what this machine has seen land', ['seen'], undefined],
    ['anything of an account that exists', [], []],
  ])('that does not list %s is not believed', async (_what, expected, history) => {
    const over = history === undefined ? {} : { history };
    const options = { rpc: answering(over), mint: USDC_MINT, read: new Map() };
    await readOutflows(options, owner, span());
    await expect(
      readOutflows(options, owner, { ...span(), expected: new Set(expected) }),
    ).rejects.toMatchObject({ code: 'SPENDING_UNKNOWN', fundsAtRisk: 'none' });
  });

  it('has a wallet of too many transactions', async () => {
    const entry = { slot: 1, timeMs: clock.now(), error: null, isFinal: true };
    const many = Array.from({ length: 501 }, (_, at) => ({ ...entry, signature: `s${at}` }));
    // Older than a day is where the list ends.
    const history = [...many, { ...entry, signature: 'old', timeMs: 0 }];
    await expect(outflows({ rpc: answering({ history }) })).rejects.toMatchObject({
      code: 'SPENDING_UNKNOWN',
    });
  });
});

describe('a day later', () => {
  it('nothing of it counts, and a node that keeps less is enough', async () => {
    clock.advance(DAY_MS + 60_000);
    expect(await outflows()).toEqual([]);
    expect(
      await readOutflows(
        { rpc: { ...rpc, firstAvailableSlot: async () => null }, mint: USDC_MINT, read: new Map() },
        owner,
        span(),
      ),
    ).toEqual([]);
  });
});
