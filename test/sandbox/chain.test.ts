import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ed25519 } from '@noble/curves/ed25519.js';
import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  type TransactionInstruction,
} from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { encodeBase58 } from '../../src/rails/solana/address.ts';
import { decodeTransaction, withSignature } from '../../src/rails/solana/message.ts';
import { decodeMint, decodeTokenAccount } from '../../src/sandbox/chain/accounts.ts';
import { type Chain, openChain } from '../../src/sandbox/chain/chain.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';
import type { ChainStore } from '../../src/store/store.ts';
import { bundleProgram } from '../support/bundle.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { tempFolder } from '../support/temp-folder.ts';
import { web3Transaction } from '../support/web3.ts';

// A key's other signatures: Ed25519 fixes the nonce by convention alone, and any nonce is valid.

const ORDER = ed25519.Point.Fn.ORDER;

/** Signs by RFC 8032 but for the nonce, which is drawn from `nonce` and the message. */
function signWithNonce(seed: Uint8Array, message: Uint8Array, nonce: string): Uint8Array {
  const scalar = number(
    sha512(seed)
      .map((byte, index) => clamp(byte, index))
      .subarray(0, 32),
  );
  const publicKey = ed25519.getPublicKey(seed);
  const secret = number(sha512(Buffer.from(nonce), message)) % ORDER;
  const commitment = ed25519.Point.BASE.multiply(secret).toBytes();
  const challenge = number(sha512(commitment, publicKey, message)) % ORDER;
  return Buffer.concat([commitment, bytes((secret + challenge * scalar) % ORDER)]);
}

function sha512(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash('sha512');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function clamp(byte: number, index: number): number {
  if (index === 0) return byte & 248;
  return index === 31 ? (byte & 127) | 64 : byte;
}

function number(littleEndian: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(littleEndian).reverse().toString('hex')}`);
}

function bytes(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();
}

const run = promisify(execFile);
const SLOT_MS = 400;
const MINT = new PublicKey(USDC_MINT);
const payer = Keypair.fromSeed(createHash('sha256').update('payer').digest());
const feePayer = Keypair.fromSeed(createHash('sha256').update('fee payer').digest());
const merchant = Keypair.fromSeed(createHash('sha256').update('merchant').digest());
const address = (key: Keypair): string => key.publicKey.toBase58();
const usdcAccount = (owner: Keypair): PublicKey =>
  getAssociatedTokenAddressSync(MINT, owner.publicKey);

const signed = (
  blockhash: string,
  instructions: readonly TransactionInstruction[],
  signers: readonly [Keypair, ...Keypair[]],
): Uint8Array => web3Transaction(blockhash, instructions, signers).serialize();

/** The payment of the exact scheme: limit, price, transfer; the fee payer signs first. */
function payment(blockhash: string, amount: bigint): Uint8Array {
  return signed(
    blockhash,
    [
      ComputeBudgetProgram.setComputeUnitLimit({ units: 20_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 1 }),
      createTransferCheckedInstruction(
        usdcAccount(payer),
        MINT,
        usdcAccount(merchant),
        payer.publicKey,
        amount,
        6,
      ),
    ],
    [feePayer, payer],
  );
}

async function usdcOf(chain: Chain, owner: Keypair): Promise<bigint | undefined> {
  const row = await chain.account(usdcAccount(owner).toBase58());
  return row && decodeTokenAccount(row)?.amount;
}

async function fund(chain: Chain): Promise<void> {
  await chain.airdrop(address(feePayer), 1_000_000_000n);
  await chain.fundUsdc(address(payer), 100_000_000n);
  await chain.openForPayments(address(merchant));
}

describe('the embedded chain', () => {
  let store: ChainStore;
  let clock: ManualClock;
  let chain: Chain;
  beforeEach(async () => {
    store = await openSqliteChain(':memory:');
    clock = manualClock();
    chain = await openChain({ store, clock });
    await fund(chain);
  });
  afterEach(() => store.close());
  const latest = async (): Promise<string> => (await chain.latestBlockhash('confirmed')).blockhash;

  it('moves USDC by the real token program and charges the fee payer', async () => {
    const id = await chain.send(payment(await latest(), 25_500_000n));
    expect(await usdcOf(chain, payer)).toBe(74_500_000n);
    expect(await usdcOf(chain, merchant)).toBe(25_500_000n);
    expect((await chain.account(address(feePayer)))?.lamports).toBe('999989999');
    const found = await chain.transaction(id, 'processed');
    expect(found).toMatchObject({ signature: id, error: null, meta: { fee: '10001' } });
    expect(found?.meta.preTokenBalances.map(({ owner, amount }) => [owner, amount])).toEqual(
      expect.arrayContaining([
        [address(payer), '100000000'],
        [address(merchant), '0'],
      ]),
    );
    expect(found?.meta.postTokenBalances).toHaveLength(2);
  });

  it('refuses a second sending of the same bytes, and with skipPreflight answers the same id', async () => {
    const wire = payment(await latest(), 1_000_000n);
    const id = await chain.send(wire);
    await expect(chain.send(wire)).rejects.toMatchObject({
      code: 'TRANSACTION_REFUSED',
      details: { error: 'AlreadyProcessed' },
    });
    expect(await chain.send(wire, { skipPreflight: true })).toBe(id);
    expect(await usdcOf(chain, merchant)).toBe(1_000_000n);
  });

  it('refuses an executed message under another valid signature of the fee payer', async () => {
    const wire = payment(await latest(), 1_000_000n);
    await chain.send(wire);
    const again = withSignature(wire, 0, anotherSignature(wire));
    expect(Buffer.compare(again, wire)).not.toBe(0);
    await expect(chain.send(again)).rejects.toMatchObject({
      details: { error: 'AlreadyProcessed' },
    });
    const dropped = await chain.send(again, { skipPreflight: true });
    expect(await chain.statuses([dropped])).toEqual([null]);
    expect(await usdcOf(chain, merchant)).toBe(1_000_000n);
  });

  it('takes a blockhash for 150 slots and not for 151', async () => {
    const { blockhash, lastValidBlockHeight } = await chain.latestBlockhash('processed');
    clock.advance(150 * SLOT_MS);
    expect(await chain.blockHeight('processed')).toBe(lastValidBlockHeight);
    expect(await chain.isBlockhashValid(blockhash, 'processed')).toBe(true);
    await chain.send(payment(blockhash, 1n));
    clock.advance(SLOT_MS);
    expect(await chain.isBlockhashValid(blockhash, 'processed')).toBe(false);
    await expect(chain.send(payment(blockhash, 2n))).rejects.toMatchObject({
      details: { error: 'BlockhashNotFound' },
    });
    clock.advance(100 * SLOT_MS);
    await expect(chain.send(payment(blockhash, 3n))).rejects.toMatchObject({
      details: { error: 'BlockhashNotFound' },
    });
  });

  it('lets a status go from processed to confirmed to finalized', async () => {
    const id = await chain.send(payment(await latest(), 1n));
    const status = async () => (await chain.statuses([id]))[0];
    expect(await status()).toMatchObject({ commitment: 'processed', confirmations: 0 });
    expect(await chain.transaction(id, 'confirmed')).toBeUndefined();
    clock.advance(SLOT_MS);
    expect(await status()).toMatchObject({ commitment: 'confirmed', confirmations: 1 });
    expect(await chain.transaction(id)).toBeUndefined();
    clock.advance(30 * SLOT_MS);
    expect(await status()).toMatchObject({ commitment: 'confirmed', confirmations: 31 });
    clock.advance(SLOT_MS);
    expect(await status()).toMatchObject({ commitment: 'finalized', confirmations: null });
    expect(await chain.transaction(id)).toMatchObject({ signature: id });
  });

  it('shows a history only as far as the commitment reaches', async () => {
    const account = usdcAccount(payer).toBase58();
    const first = await chain.send(payment(await latest(), 1n));
    clock.advance(31 * SLOT_MS);
    const second = await chain.send(payment(await latest(), 2n));
    clock.advance(SLOT_MS);
    const history = async (commitment: 'confirmed' | 'finalized') =>
      (await chain.signaturesForAddress(account, { commitment })).map((row) => row.signature);
    expect(await history('confirmed')).toEqual([second, first]);
    expect(await history('finalized')).toEqual([first]);
  });

  it('refuses a failing transaction in the preflight and leaves no trace', async () => {
    const wire = payment(await latest(), 100_000_001n);
    await expect(chain.send(wire)).rejects.toMatchObject({
      details: { error: { InstructionError: [2, { Custom: 1 }] } },
    });
    expect(await chain.transactionCount()).toBe(0);
    expect((await chain.account(address(feePayer)))?.lamports).toBe('1000000000');
  });

  it('charges and records a failing transaction that skips the preflight', async () => {
    const id = await chain.send(payment(await latest(), 100_000_001n), { skipPreflight: true });
    expect(await chain.statuses([id])).toMatchObject([
      { error: { InstructionError: [2, { Custom: 1 }] } },
    ]);
    expect((await chain.account(address(feePayer)))?.lamports).toBe('999989999');
    expect(await usdcOf(chain, payer)).toBe(100_000_000n);
  });

  it('simulates without effect, also with a blockhash that is not its own', async () => {
    const foreign = encodeBase58(createHash('sha256').update('foreign').digest());
    const wire = payment(foreign, 5n);
    expect(await chain.simulate(wire)).toMatchObject({ error: 'BlockhashNotFound' });
    const simulated = await chain.simulate(wire, { replaceRecentBlockhash: true });
    const after = simulated.accounts.get(usdcAccount(merchant).toBase58());
    expect(after && decodeTokenAccount(after)?.amount).toBe(5n);
    expect(simulated.logs.length).toBeGreaterThan(0);
    expect(await usdcOf(chain, merchant)).toBe(0n);
  });

  it('refuses a transaction whose fee nobody can pay', async () => {
    const poor = Keypair.fromSeed(createHash('sha256').update('poor').digest());
    const transfer = SystemProgram.transfer({
      fromPubkey: poor.publicKey,
      toPubkey: payer.publicKey,
      lamports: 1,
    });
    await expect(chain.send(signed(await latest(), [transfer], [poor]))).rejects.toMatchObject({
      details: { error: 'AccountNotFound' },
    });
  });

  it('forgets an account that was emptied', async () => {
    await chain.airdrop(address(payer), 1_000_000n);
    const all = SystemProgram.transfer({
      fromPubkey: payer.publicKey,
      toPubkey: feePayer.publicKey,
      lamports: 1_000_000,
    });
    await chain.send(signed(await latest(), [all], [feePayer, payer]));
    expect(await chain.account(address(payer))).toBeUndefined();
  });

  it('raises the supply by what the faucet mints, and makes a token account once', async () => {
    const mint = await chain.account(USDC_MINT);
    expect(mint && decodeMint(mint)).toMatchObject({ supply: 100_000_000n, decimals: 6 });
    await chain.fundUsdc(address(merchant), 7n);
    await chain.openForPayments(address(merchant), address(payer));
    expect(await usdcOf(chain, merchant)).toBe(7n);
    await expect(chain.fundUsdc(address(merchant), 2n ** 64n)).rejects.toMatchObject({
      code: 'AMOUNT_INVALID',
    });
  });

  it('transfers an airdrop by a transaction, also twice the same', async () => {
    const ids = [];
    for (let time = 0; time < 2; time += 1) {
      ids.push(await chain.requestAirdrop(address(payer), 5_000_000n));
    }
    expect(new Set(ids).size).toBe(2);
    expect((await chain.account(address(payer)))?.lamports).toBe('10000000');
    expect(await chain.statuses(ids)).toMatchObject([{ error: null }, { error: null }]);
  });

  it('never goes back behind a slot it has spoken of, and goes on from there', async () => {
    clock.advance(1000 * SLOT_MS);
    const before = await chain.slot('processed');
    clock.advance(-500 * SLOT_MS);
    expect(await chain.slot('processed')).toBe(before);
    clock.advance(3 * SLOT_MS);
    expect(await chain.slot('processed')).toBe(before + 3);
  });
});

describe('a chain in a file', () => {
  let path: string;
  beforeEach(async () => {
    path = join(tempFolder(), 'chain.db');
  });

  it('loses nothing over a restart, not even a transaction that waits to be sent', async () => {
    const clock = manualClock();
    const first = await openSqliteChain(path);
    const before = await openChain({ store: first, clock });
    await fund(before);
    const { blockhash } = await before.latestBlockhash('processed');
    const id = await before.send(payment(blockhash, 1n));
    await first.close();

    clock.advance(10 * SLOT_MS);
    const second = await openSqliteChain(path);
    const after = await openChain({ store: second, clock });
    expect(await after.statuses([id])).toMatchObject([{ confirmations: 10 }]);
    await expect(after.send(payment(blockhash, 1n))).rejects.toMatchObject({
      details: { error: 'AlreadyProcessed' },
    });
    await after.send(payment(blockhash, 2n));
    expect(await usdcOf(after, merchant)).toBe(3n);
    await second.close();
  });

  it('keeps to the recorded slot when the clock is back in time after a restart', async () => {
    const clock = manualClock();
    const first = await openSqliteChain(path);
    const before = await openChain({ store: first, clock });
    await fund(before);
    clock.advance(1000 * SLOT_MS);
    const { blockhash, slot } = await before.latestBlockhash('processed');
    await before.send(payment(blockhash, 1n));
    await first.close();
    clock.advance(-900 * SLOT_MS);
    const second = await openSqliteChain(path);
    const after = await openChain({ store: second, clock });
    expect(await after.slot('processed')).toBe(slot);
    await second.close();
  });

  it('is one chain to two of its users at once', async () => {
    const clock = manualClock();
    const stores = await Promise.all([openSqliteChain(path), openSqliteChain(path)]);
    const chains = await Promise.all(stores.map((store) => openChain({ store, clock })));
    const [one, other] = chains as [Chain, Chain];
    await fund(one);
    const { blockhash } = await one.latestBlockhash('processed');
    expect(await other.isBlockhashValid(blockhash, 'processed')).toBe(true);
    const amounts = Array.from({ length: 20 }, (_, index) => BigInt(index + 1));
    const wires = amounts.map((amount) => payment(blockhash, amount));
    const results = await Promise.allSettled(
      wires.flatMap((wire) => [one.send(wire), other.send(wire)]),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
    expect(await usdcOf(other, merchant)).toBe(amounts.reduce((sum, amount) => sum + amount, 0n));
    expect(await one.transactionCount()).toBe(20);
    await Promise.all(stores.map((store) => store.close()));
  });
});

describe('a chain that several processes use at once', () => {
  it('executes what each of them sends', async () => {
    const folder = tempFolder();
    const path = join(folder, 'chain.db');
    const program = await bundleProgram('paying-process', folder);
    const outputs = await Promise.all(
      ['ann', 'ben', 'cem'].map((name) => run(process.execPath, [program, path, name, '8'])),
    );
    const ids = outputs.flatMap(({ stdout }) => stdout.trim().split('\n'));
    const store = await openSqliteChain(path);
    const chain = await openChain({ store, clock: manualClock(Date.now()) });
    expect(new Set(ids).size).toBe(24);
    expect((await chain.statuses(ids)).map((status) => status?.error)).toEqual(ids.map(() => null));
    const receiver = Keypair.fromSeed(createHash('sha256').update('receiver').digest());
    expect((await chain.account(address(receiver)))?.lamports).toBe('24000000');
    await store.close();
  });
});

/** Another signature of the fee payer over the same message, by another nonce: also valid. */
function anotherSignature(wire: Uint8Array): Uint8Array {
  return signWithNonce(
    feePayer.secretKey.subarray(0, 32),
    decodeTransaction(wire).message,
    'another nonce',
  );
}
