/** The RPC of the stand-in for Base as standard software sees it, each at its defaults. */
import { x402Client } from '@x402/core/client';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmScheme as ExactEvmFacilitator } from '@x402/evm/exact/facilitator';
import { Contract, JsonRpcProvider, Wallet } from 'ethers';
import {
  createPublicClient,
  createWalletClient,
  type Hash,
  http,
  parseEther,
  publicActions,
} from 'viem';
import { base } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evmAccount, keyOf, type LiveEvm, liveEvm, WEI } from '../../support/live-evm.ts';
import { USDC, USDC_ABI } from '../../support/usdc.ts';

const NOBODY = '0x00000000000000000000000000000000000000AA';

let evm: LiveEvm;
beforeAll(async () => {
  evm = await liveEvm();
});
afterAll(() => evm.close());

describe('viem', () => {
  it('sends, waits for the receipt, and reads what was mined', async () => {
    const wallet = await evm.walletOf('viem', 5_000_000n);
    const { client } = evm;
    const seen: Hash[] = [];
    const unwatch = client.watchContractEvent({
      ...{ address: USDC, abi: USDC_ABI, eventName: 'Transfer', pollingInterval: 50 },
      onLogs: (logs) => seen.push(...logs.map(({ transactionHash }) => transactionHash)),
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const transfer = { address: USDC, abi: USDC_ABI, functionName: 'transfer' } as const;
    const hash = await wallet.writeContract({ ...transfer, args: [NOBODY, 1_000_000n] });
    const receipt = await client.waitForTransactionReceipt({ hash });
    expect(receipt).toMatchObject({ status: 'success', type: 'eip1559', transactionHash: hash });
    const { blockHash, blockNumber } = receipt;
    expect(await client.getTransaction({ hash })).toMatchObject({
      blockHash,
      nonce: 0,
      to: USDC.toLowerCase(),
    });
    const block = await client.getBlock({ blockHash, includeTransactions: true });
    expect(block).toMatchObject({ number: blockNumber, transactions: [{ hash }] });
    const range = { fromBlock: blockNumber, toBlock: 'latest' } as const;
    const events = await client.getContractEvents({ ...range, address: USDC, abi: USDC_ABI });
    expect(events).toMatchObject([
      {
        eventName: 'Transfer',
        args: { from: wallet.account.address, to: NOBODY, value: 1_000_000n },
      },
    ]);
    await expect.poll(() => seen).toContain(hash);
    unwatch();
  });

  it('sends ether, and reads balances, counts, storage, code and fees', async () => {
    const wallet = await evm.walletOf('ether');
    const { client } = evm;
    const { address } = wallet.account;
    const hash = await wallet.sendTransaction({ to: NOBODY, value: parseEther('0.5') });
    const { gasUsed, effectiveGasPrice } = await client.waitForTransactionReceipt({ hash });
    expect(gasUsed).toBe(21_000n);
    expect(await client.getBalance({ address })).toBe(WEI / 2n - gasUsed * effectiveGasPrice);
    expect(await client.getTransactionCount({ address })).toBe(1);
    expect(await client.getCode({ address })).toBeUndefined();
    expect((await client.getCode({ address: USDC }))?.length).toBeGreaterThan(5_000);
    expect(await client.getStorageAt({ address: USDC, slot: '0x0' })).toMatch(/^0x[0-9a-f]{64}$/);
    expect(await client.estimateFeesPerGas()).toMatchObject({ maxPriorityFeePerGas: 1_000_000n });
    expect(await client.getFeeHistory({ blockCount: 2, rewardPercentiles: [50] })).toMatchObject({
      baseFeePerGas: [5_000_000n, 5_000_000n, 5_000_000n],
      reward: [[1_000_000n], [1_000_000n]],
    });
  });

  it('is told why a call or a transaction is refused', async () => {
    const wallet = await evm.walletOf('refused', 5n);
    const transfer = { address: USDC, abi: USDC_ABI, functionName: 'transfer' } as const;
    const tooMuch = { ...transfer, args: [NOBODY, 6n] } as const;
    await expect(wallet.simulateContract(tooMuch)).rejects.toThrow(
      'reverted with the following reason:\nERC20: transfer amount exceeds balance',
    );
    await expect(wallet.writeContract(tooMuch)).rejects.toThrow('exceeds balance');
    const send = { to: NOBODY, gas: 21_000n } as const;
    await expect(wallet.sendTransaction({ ...send, value: 2n * WEI })).rejects.toMatchObject({
      cause: { name: 'InsufficientFundsError' },
    });
    await expect(wallet.sendTransaction({ ...send, nonce: 7 })).rejects.toMatchObject({
      cause: { name: 'NonceTooHighError' },
    });
    await wallet.sendTransaction(send);
    await expect(wallet.sendTransaction({ ...send, nonce: 0 })).rejects.toMatchObject({
      cause: { name: 'NonceTooLowError' },
    });
    await expect(
      wallet.sendTransaction({ ...send, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }),
    ).rejects.toMatchObject({
      cause: { name: 'FeeCapTooLowError' },
    });
    await expect(wallet.sendTransaction({ ...send, gas: 20_000n })).rejects.toMatchObject({
      cause: { name: 'IntrinsicGasTooLowError' },
    });
  });

  it('verifies signatures, and asks in batches', async () => {
    const account = evmAccount('signer');
    const signature = await account.signMessage({ message: 'hello' });
    const { address } = account;
    const batching = createPublicClient({ chain: base, transport: http(evm.url, { batch: true }) });
    const [isValid, isOther, chainId] = await Promise.all([
      batching.verifyMessage({ address, message: 'hello', signature }),
      batching.verifyMessage({ address: NOBODY, message: 'hello', signature }),
      batching.getChainId(),
    ]);
    expect({ isValid, isOther, chainId }).toEqual({ isValid: true, isOther: false, chainId: 8453 });
  });
});

it('ethers sends, waits, reads logs and reasons, and listens', async () => {
  const provider = new JsonRpcProvider(evm.url, undefined, { pollingInterval: 50 });
  const wallet = new Wallet(keyOf('ethers'), provider);
  await evm.chain.fund(wallet.address, { usdcAtomic: 5_000_000n, wei: WEI });
  const usdc = new Contract(
    USDC,
    [
      'function transfer(address to, uint256 value) returns (bool)',
      'function balanceOf(address owner) view returns (uint256)',
      'event Transfer(address indexed from, address indexed to, uint256 value)',
    ],
    wallet,
  );
  const heard: unknown[] = [];
  await usdc.on('Transfer', (_from, _to, value) => heard.push(value));
  await new Promise((resolve) => setTimeout(resolve, 200));
  const sent = await usdc.getFunction('transfer')(NOBODY, 1_000_000n);
  const receipt = await sent.wait();
  expect(receipt).toMatchObject({ status: 1, from: wallet.address });
  expect(await usdc.getFunction('balanceOf')(wallet.address)).toBe(4_000_000n);
  expect(await usdc.queryFilter('Transfer', receipt.blockNumber)).toMatchObject([
    { transactionHash: sent.hash },
  ]);
  expect(await provider.getBlock('finalized')).toMatchObject({ transactions: [] });
  expect((await provider.getFeeData()).maxFeePerGas).toBe(11_000_000n);
  await expect(usdc.getFunction('transfer')(NOBODY, 10n ** 12n)).rejects.toMatchObject({
    ...{ code: 'CALL_EXCEPTION', reason: 'ERC20: transfer amount exceeds balance' },
  });
  await expect.poll(() => heard).toEqual([1_000_000n]);
  await usdc.removeAllListeners();
  provider.destroy();
});

it('x402’s own client and facilitator pay over it', async () => {
  const account = evmAccount('facilitator');
  await evm.chain.fund(account.address, { usdcAtomic: 0n, wei: WEI });
  const wallet = createWalletClient({ account, chain: base, transport: http(evm.url) }).extend(
    publicActions,
  );
  const facilitator = new x402Facilitator();
  const signer = toFacilitatorEvmSigner({ ...wallet, address: account.address } as never);
  facilitator.register('eip155:8453', new ExactEvmFacilitator(signer));
  const buyer = await evm.walletOf('x402 buyer', 1_000_000n);
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(buyer.account as never));
  const requirement = {
    ...{ scheme: 'exact', network: 'eip155:8453', amount: '750000', asset: USDC, payTo: NOBODY },
    ...{ maxTimeoutSeconds: 60, extra: { name: 'USD Coin', version: '2' } },
  } satisfies PaymentRequirements;
  const payload = await client.createPaymentPayload({
    ...{
      x402Version: 2,
      resource: { url: 'https://host.example/', description: '', mimeType: '' },
    },
    accepts: [requirement],
  } as never);
  expect(await facilitator.verify(payload, requirement)).toMatchObject({ isValid: true });
  const settled = await facilitator.settle(payload, requirement);
  expect(settled).toMatchObject({ success: true, payer: buyer.account.address });
  const balance = { address: USDC, abi: USDC_ABI, functionName: 'balanceOf' } as const;
  expect(await evm.client.readContract({ ...balance, args: [buyer.account.address] })).toBe(
    250_000n,
  );
});
