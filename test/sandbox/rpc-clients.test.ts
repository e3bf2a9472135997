/** The RPC as standard Solana clients see it. */
import { createHash } from 'node:crypto';
import { address, createSolanaRpc } from '@solana/kit';
import {
  createApproveInstruction,
  getAccount,
  getAssociatedTokenAddressSync,
  getMint,
} from '@solana/spl-token';
import {
  AddressLookupTableProgram,
  Connection,
  Keypair,
  PublicKey,
  SendTransactionError,
  SYSVAR_SLOT_HASHES_PUBKEY,
  SystemProgram,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { type Chain, openChain } from '../../src/sandbox/chain/chain.ts';
import { createRpcEndpoint } from '../../src/sandbox/rpc/handler.ts';
import { type Listening, listen } from '../../src/service/http/node.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';
import type { ChainStore } from '../../src/store/store.ts';
import { type ManualClock, manualClock, START_MS } from '../support/manual-clock.ts';
import { web3Transaction } from '../support/web3.ts';

const MINT = new PublicKey(USDC_MINT);
const SLOT_MS = 400;
const keypair = (name: string): Keypair =>
  Keypair.fromSeed(createHash('sha256').update(name).digest());

describe('web3.js and spl-token over the RPC', () => {
  let store: ChainStore;
  let chain: Chain;
  let clock: ManualClock;
  let server: Listening;
  let connection: Connection;
  beforeAll(async () => {
    store = await openSqliteChain(':memory:');
    clock = manualClock();
    chain = await openChain({ store, clock });
    server = await listen({ handler: createRpcEndpoint(chain), port: 0, host: '127.0.0.1' });
    connection = new Connection(server.url, 'confirmed');
  });
  afterAll(async () => {
    await server.close();
    await store.close();
  });

  const messageOf = (payer: Keypair, recentBlockhash: string, ...list: TransactionInstruction[]) =>
    new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash,
      instructions: list,
    }).compileToV0Message();

  async function signed(by: Keypair, ...instructions: TransactionInstruction[]) {
    const { blockhash } = await connection.getLatestBlockhash();
    return web3Transaction(blockhash, instructions, [by]);
  }

  const transfer = (from: Keypair, lamports: number, toPubkey = keypair('receiver').publicKey) =>
    SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey, lamports });

  /** A key with lamports. */
  async function funded(name: string, lamports = 5_000_000n): Promise<Keypair> {
    const made = keypair(name);
    await chain.airdrop(made.publicKey.toBase58(), lamports);
    return made;
  }

  it('airdrop lamports and see their signature finalized', async () => {
    const owner = keypair('airdropped').publicKey;
    const signature = await connection.requestAirdrop(owner, 2_000_000);
    expect(await connection.getBalance(owner)).toBe(2_000_000);
    clock.advance(32 * SLOT_MS);
    const { value } = await connection.getSignatureStatuses([signature]);
    expect(value).toMatchObject([{ err: null, confirmationStatus: 'finalized' }]);
    const [entry] = await connection.getSignaturesForAddress(owner);
    expect(entry).toMatchObject({ signature, err: null, memo: '[9] airdrop 1' });
  });

  it('send a transaction and read it back', async () => {
    const from = await funded('sender');
    const to = keypair('receiver').publicKey;
    const wire = (await signed(from, transfer(from, 1_000_000))).serialize();
    const signature = await connection.sendRawTransaction(wire);
    clock.advance(SLOT_MS);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found?.version).toBe(0);
    expect(found?.meta).toMatchObject({ err: null, fee: 5000, computeUnitsConsumed: 150 });
    expect(found?.meta?.preBalances.slice(0, 2)).toEqual([5_000_000, 0]);
    expect(found?.meta?.postBalances.slice(0, 2)).toEqual([3_995_000, 1_000_000]);
    expect(found?.transaction.message.staticAccountKeys[1]?.toBase58()).toBe(to.toBase58());
    expect(found?.blockTime).toBeGreaterThanOrEqual(Math.floor(START_MS / 1000));
    const parsed = await connection.getParsedTransaction(signature, {
      maxSupportedTransactionVersion: 0,
    });
    expect(parsed?.transaction.message.accountKeys[0]).toMatchObject({
      signer: true,
      writable: true,
    });
  });

  it('learn why a preflight failed', async () => {
    const from = await funded('poor sender');
    const wire = await signed(from, transfer(from, 900_000_000));
    const refused = connection.sendRawTransaction(wire.serialize());
    await expect(refused).rejects.toBeInstanceOf(SendTransactionError);
    await expect(refused).rejects.toMatchObject({
      logs: expect.arrayContaining([expect.stringContaining('insufficient lamports')]),
    });
  });

  it('simulate a transaction that nobody has signed', async () => {
    const from = await funded('simulated');
    const message = messageOf(from, PublicKey.default.toBase58(), transfer(from, 1_000_000));
    const { value } = await connection.simulateTransaction(new VersionedTransaction(message), {
      replaceRecentBlockhash: true,
      accounts: { encoding: 'base64', addresses: [from.publicKey.toBase58()] },
    });
    expect(value).toMatchObject({ err: null, unitsConsumed: 150 });
    expect(value.accounts?.[0]?.lamports).toBe(3_995_000);
    expect((await connection.getFeeForMessage(message)).value).toBeNull();
  });

  it('ask what a message would cost', async () => {
    const { blockhash } = await connection.getLatestBlockhash();
    const message = messageOf(keypair('a'), blockhash);
    expect((await connection.getFeeForMessage(message)).value).toBe(5000);
  });

  it('read the mint, a token account and its balance', async () => {
    const owner = keypair('token owner').publicKey;
    await chain.fundUsdc(owner.toBase58(), 12_345_600n);
    const account = getAssociatedTokenAddressSync(MINT, owner);
    expect(await getMint(connection, MINT)).toMatchObject({ decimals: 6, isInitialized: true });
    const token = await getAccount(connection, account);
    expect(token.amount).toBe(12_345_600n);
    expect(token.owner.toBase58()).toBe(owner.toBase58());
    expect((await connection.getTokenAccountBalance(account)).value).toEqual({
      amount: '12345600',
      decimals: 6,
      uiAmount: 12.3456,
      uiAmountString: '12.3456',
    });
    expect((await connection.getTokenSupply(MINT)).value.amount).toBe('12345600');
  });

  it('find token accounts by owner and by filter, parsed and not', async () => {
    const owner = keypair('another owner').publicKey;
    await chain.fundUsdc(owner.toBase58(), 7n);
    const parsed = await connection.getParsedTokenAccountsByOwner(owner, { mint: MINT });
    expect(parsed.value.map(({ account }) => account.data.parsed.info)).toMatchObject([
      { owner: owner.toBase58(), state: 'initialized', tokenAmount: { amount: '7' } },
    ]);
    const parsedMint = await connection.getParsedAccountInfo(MINT);
    expect(parsedMint.value?.data).toMatchObject({
      parsed: { type: 'mint', info: { decimals: 6 } },
    });
    const program = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
    const found = await connection.getProgramAccounts(program, {
      filters: [{ dataSize: 165 }, { memcmp: { offset: 32, bytes: owner.toBase58() } }],
    });
    expect(found).toHaveLength(1);
    expect(found[0]?.account.data).toHaveLength(165);
  });

  it('find the largest token accounts, and those of a delegate', async () => {
    const owner = await funded('delegating');
    const delegate = keypair('delegate').publicKey;
    await chain.fundUsdc(owner.publicKey.toBase58(), 99_000_000n);
    const account = getAssociatedTokenAddressSync(MINT, owner.publicKey);
    const approval = createApproveInstruction(account, delegate, owner.publicKey, 5n);
    await connection.sendTransaction(await signed(owner, approval));
    const { value: largest } = await connection.getTokenLargestAccounts(MINT);
    expect(largest[0]).toMatchObject({ amount: '99000000', decimals: 6, uiAmount: 99 });
    expect(largest[0]?.address.toBase58()).toBe(account.toBase58());
    expect(largest.map(({ uiAmount }) => uiAmount)).toEqual(
      largest.map(({ uiAmount }) => Number(uiAmount)).toSorted((one, other) => other - one),
    );
    const rpc = createSolanaRpc(server.url);
    const found = await rpc
      .getTokenAccountsByDelegate(
        address(delegate.toBase58()),
        { mint: address(USDC_MINT) },
        { encoding: 'jsonParsed' },
      )
      .send();
    expect(found.value.map(({ pubkey }) => pubkey)).toEqual([account.toBase58()]);
  });

  it('read a block with its transactions, but none that is not yet confirmed', async () => {
    const owner = keypair('in a block').publicKey;
    const signature = await connection.requestAirdrop(owner, 1_000_000);
    const { value } = await connection.getSignatureStatus(signature);
    const slot = value?.slot ?? 0;
    const options = { maxSupportedTransactionVersion: 0 } as const;
    await expect(connection.getBlock(slot, options)).rejects.toThrow('Block not available');
    clock.advance(SLOT_MS);
    const block = await connection.getBlock(slot, options);
    expect(block).toMatchObject({ parentSlot: slot - 1, rewards: [] });
    expect(block?.transactions.map((one) => one.transaction.signatures[0])).toContain(signature);
    const before = await connection.getBlock(slot - 1, { ...options, transactionDetails: 'none' });
    expect(before?.blockhash).toBe(block?.previousBlockhash);
    const named = await connection.getBlockSignatures(slot);
    expect(named.signatures).toContain(signature);
    const kit = await createSolanaRpc(server.url)
      .getBlock(BigInt(slot), { commitment: 'confirmed', ...options })
      .send();
    expect(kit?.blockhash).toBe(block?.blockhash);
  });

  it.each([0, 1])(
    'never show the hash of slot 0, from which the faucet’s key comes: %i',
    async (slot) => {
      await expect(connection.getBlock(slot)).rejects.toThrow('Block not available');
    },
  );

  it('make a lookup table of a recent slot, and extend it', async () => {
    const payer = await funded('table maker', 1_000_000_000n);
    const recentSlot = await connection.getSlot();
    const [create, lookupTable] = AddressLookupTableProgram.createLookupTable({
      authority: payer.publicKey,
      payer: payer.publicKey,
      recentSlot,
    });
    const extend = AddressLookupTableProgram.extendLookupTable({
      authority: payer.publicKey,
      payer: payer.publicKey,
      lookupTable,
      addresses: [MINT],
    });
    const signature = await connection.sendTransaction(await signed(payer, create, extend));
    const { value } = await connection.getAddressLookupTable(lookupTable);
    expect(value?.state.addresses.map(String)).toEqual([USDC_MINT]);
    clock.advance(SLOT_MS);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    const keys = found?.transaction.message.staticAccountKeys.length;
    expect(found?.meta?.postBalances).toHaveLength(keys ?? 0);
    const slotHashes = await connection.getAccountInfo(SYSVAR_SLOT_HASHES_PUBKEY);
    expect(slotHashes?.data.readBigUInt64LE(8)).toBe(
      BigInt((await connection.getSlot('processed')) - 1),
    );
  });

  it('see programs as accounts, and nothing where nothing is', async () => {
    const program = await connection.getAccountInfo(SystemProgram.programId);
    expect(program).toMatchObject({ executable: true });
    const many = await connection.getMultipleAccountsInfo([MINT, keypair('nobody').publicKey]);
    expect(many.map((account) => account?.data.length)).toEqual([82, undefined]);
    expect(await connection.getBalance(keypair('nobody').publicKey)).toBe(0);
  });

  it('read slots, heights, the epoch and the node', async () => {
    const slot = await connection.getSlot('processed');
    const { absoluteSlot, blockHeight } = await connection.getEpochInfo('processed');
    expect(absoluteSlot).toBe(slot);
    expect(await connection.getBlockHeight('processed')).toBe(blockHeight);
    expect(await connection.getSlot('finalized')).toBe(slot - 32);
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash('processed');
    expect(lastValidBlockHeight).toBe((blockHeight ?? 0) + 150);
    expect((await connection.isBlockhashValid(blockhash, { commitment: 'processed' })).value).toBe(
      true,
    );
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(2_039_280);
    expect(await connection.getGenesisHash()).toBe('5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d');
    expect(await connection.getVersion()).toHaveProperty('solana-core');
    expect(await connection.getBlockTime(slot)).toBe(Math.floor(clock.now() / 1000));
    expect(await connection.getFirstAvailableBlock()).toBe(0);
    expect(await connection.getRecentPrioritizationFees()).toHaveLength(1);
    expect(await connection.getEpochSchedule()).toMatchObject({ slotsPerEpoch: 432_000 });
    expect(await connection.getVoteAccounts()).toEqual({ current: [], delinquent: [] });
    expect(await connection.getClusterNodes()).toEqual([]);
    const { identity } = await createSolanaRpc(server.url).getIdentity().send();
    expect(await connection.getSlotLeader()).toBe(identity);
  });
});
