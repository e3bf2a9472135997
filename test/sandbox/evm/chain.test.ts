/** Blocks of the stand-in for Base: by the clock, final after a while, replaced before. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Hex } from 'viem';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressFrom, openEvmChain } from '../../../src/sandbox/evm/chain.ts';
import { openSqliteChain } from '../../../src/store/sqlite.ts';
import { bundleProgram } from '../../support/bundle.ts';
import { evmAccount, type LiveEvm, liveEvm } from '../../support/live-evm.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { authorization, inOrder, signAuthorization, USDC, USDC_ABI } from '../../support/usdc.ts';

const BLOCK_MS = 400;
const NOBODY = '0x00000000000000000000000000000000000000AA';

let evm: LiveEvm;
beforeEach(async () => {
  evm = await liveEvm();
});
afterEach(() => evm.close());

type Tag = 'latest' | 'safe' | 'finalized';
const numbers = async () => {
  const [latest, safe, finalized] = await Promise.all(
    (['latest', 'safe', 'finalized'] as const).map((tag: Tag) => evm.chain.numberOf(tag)),
  );
  return { latest: latest ?? 0, safe: safe ?? 0, finalized: finalized ?? 0 };
};
const send = async (wallet: Awaited<ReturnType<LiveEvm['walletOf']>>, value = 1n) =>
  wallet.sendTransaction({ to: NOBODY, value });

describe('blocks', () => {
  it('follow the clock; safe is 4 s behind, finalized 12.8 s', async () => {
    const { latest: first } = await numbers();
    evm.clock.advance(100 * BLOCK_MS + 200);
    expect(await numbers()).toEqual({
      ...{ latest: first + 100, safe: first + 90, finalized: first + 68 },
    });
  });

  it('are each the child of the one before, at a time that never falls', async () => {
    const wallet = await evm.walletOf('ann');
    for (let count = 0; count < 5; count += 1) {
      evm.clock.advance(1_000);
      await send(wallet);
      await send(wallet);
    }
    const { latest } = await numbers();
    let child = await evm.client.getBlock();
    for (let number = latest - 1; number >= latest - 15; number -= 1) {
      const block = await evm.client.getBlock({ blockNumber: BigInt(number) });
      expect(block.hash).toBe(child.parentHash);
      expect(block.timestamp).toBeLessThanOrEqual(child.timestamp);
      expect((await evm.client.getBlock({ blockHash: block.hash })).number).toBe(BigInt(number));
      child = block;
    }
  });

  it('never go back, whatever transactions come and whatever the clock does', async () => {
    const wallet = await evm.walletOf('ann');
    let before = await numbers();
    let finalHash = '';
    for (const ms of [0, 5_000, -20_000, 0, 400, 60_000, -90_000, 399, 30_000]) {
      evm.clock.set(evm.clock.now() + ms);
      for (let count = 0; count < 3; count += 1) await send(wallet);
      const now = await numbers();
      expect(now.latest).toBeGreaterThan(before.latest);
      expect(now.safe).toBeGreaterThanOrEqual(before.safe);
      expect(now.finalized).toBeGreaterThanOrEqual(before.finalized);
      const known = await evm.chain.block(before.finalized);
      if (finalHash !== '') expect(known?.hash).toBe(finalHash);
      finalHash = (await evm.chain.block(now.finalized))?.hash ?? '';
      before = now;
    }
  });

  it('keep the state that they had, also by their hash', async () => {
    const wallet = await evm.walletOf('ann');
    const blocks = [await evm.client.getBlock()];
    for (let count = 0; count < 3; count += 1) {
      await send(wallet, 5n);
      evm.clock.advance(2 * BLOCK_MS);
      blocks.push(await evm.client.getBlock());
    }
    const balances = await Promise.all(
      blocks.map(({ hash }) =>
        evm.call('eth_getBalance', NOBODY, { blockHash: hash, requireCanonical: true }),
      ),
    );
    expect(balances).toMatchObject(['0x0', '0x5', '0xa', '0xf'].map((result) => ({ result })));
  });

  it('are in one file for several processes, and are the same after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'scrip-evm-'));
    const path = join(folder, 'chain.db');
    const program = await bundleProgram('sending-process', folder);
    const names = ['ann', 'ben', 'cem'];
    const outputs = await Promise.all(
      names.map((name) => promisify(execFile)(process.execPath, [program, path, name, '60'])),
    );
    const hashes = outputs.flatMap(({ stdout }) => stdout.trim().split('\n'));
    const store = await openSqliteChain(path);
    const chain = await openEvmChain({ store, clock: manualClock(Date.now()) });
    expect(new Set(hashes).size).toBe(180);
    const mined = await Promise.all(hashes.map((hash) => chain.transaction(hash)));
    expect(mined.map((block) => block?.transaction?.execution.status)).toEqual(hashes.map(() => 1));
    expect(new Set(mined.map((block) => block?.number)).size).toBe(180);
    const { manager } = chain.stateAt(await chain.numberOf('latest'));
    for (const name of names) {
      const address = addressFrom(evmAccount(name).address);
      expect((await manager.getAccount(address))?.nonce).toBe(60n);
    }
    await store.close();
    await rm(folder, { recursive: true });
  });
});

it('makes no block final while finality is held, and never goes back', async () => {
  evm.clock.advance(30_000);
  const before = await numbers();
  await evm.chain.holdFinality(true);
  evm.clock.advance(60_000);
  expect((await numbers()).finalized).toBe(before.finalized);
  expect((await numbers()).safe).toBeGreaterThan(before.latest);
  await evm.chain.holdFinality(false);
  expect((await numbers()).finalized).toBe(before.finalized + 150);
});

describe('a chain that is reorganized', () => {
  it('has other blocks, and the transactions again in one of them', async () => {
    const wallet = await evm.walletOf('ann');
    evm.clock.advance(20_000);
    const hash = await send(wallet, 5n);
    const before = await evm.client.getTransactionReceipt({ hash });
    await evm.chain.reorganize({ depth: 3 });
    const after = await evm.client.getTransactionReceipt({ hash });
    expect(after.blockHash).not.toBe(before.blockHash);
    expect(await evm.call('eth_getBlockByHash', before.blockHash, false)).toMatchObject({
      result: null,
    });
    expect(await evm.client.getBalance({ address: NOBODY })).toBe(5n);
  });

  it('may lose a transaction, which can be sent again', async () => {
    const wallet = await evm.walletOf('ann');
    evm.clock.advance(20_000);
    const hash = await send(wallet, 5n);
    const { result: raw } = (await evm.call('eth_getTransactionByHash', hash)) as {
      result: { nonce: Hex };
    };
    await evm.chain.reorganize({ depth: 1, isLost: true });
    expect(await evm.call('eth_getTransactionReceipt', hash)).toMatchObject({ result: null });
    expect(await evm.client.getBalance({ address: NOBODY })).toBe(0n);
    expect(await evm.client.getTransactionCount({ address: wallet.account.address })).toBe(
      Number(raw.nonce),
    );
    await send(wallet, 7n);
    expect(await evm.client.getBalance({ address: NOBODY })).toBe(7n);
  });

  it('refuses a transaction again if it came too late: an authorization that expired meanwhile', async () => {
    const wallet = await evm.walletOf('ann');
    evm.clock.advance(20_000);
    const one = authorization(wallet.account.address, evm.clock.now(), {
      validBefore: BigInt(evm.clock.now() / 1000) + 2n,
    });
    const args = [...inOrder(one), await signAuthorization(wallet.account, one)] as const;
    const call = {
      address: USDC,
      abi: USDC_ABI,
      functionName: 'transferWithAuthorization',
    } as const;
    const hash = await wallet.writeContract({ ...call, args });
    expect((await evm.client.getTransactionReceipt({ hash })).status).toBe('success');
    evm.clock.advance(3_000);
    await evm.chain.reorganize({ depth: 20 });
    expect((await evm.client.getTransactionReceipt({ hash })).status).toBe('reverted');
  });

  it('keeps what is final', async () => {
    const wallet = await evm.walletOf('ann');
    const hash = await send(wallet, 5n);
    const { blockHash } = await evm.client.getTransactionReceipt({ hash });
    evm.clock.advance(13_200);
    const { finalized } = await numbers();
    await evm.chain.reorganize({ depth: 1_000, isLost: true });
    expect((await evm.client.getTransactionReceipt({ hash })).blockHash).toBe(blockHash);
    expect((await numbers()).finalized).toBeGreaterThanOrEqual(finalized);
  });
});

it('several transactions at once are all mined, in the order of their nonces', async () => {
  const wallet = await evm.walletOf('ann');
  const wires = await Promise.all(
    [0, 1, 2, 3].map((nonce) =>
      wallet.account.signTransaction({
        ...{ chainId: 8453, nonce, to: NOBODY, value: 1n, gas: 21_000n, maxFeePerGas: 10_000_000n },
      }),
    ),
  );
  const calls = wires.map((wire, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendRawTransaction',
    params: [wire],
  }));
  const answers = (await evm.handle(calls)) as { result?: Hex }[];
  expect(answers.every(({ result }) => result !== undefined)).toBe(true);
  expect(await evm.client.getBalance({ address: NOBODY })).toBe(4n);
});
