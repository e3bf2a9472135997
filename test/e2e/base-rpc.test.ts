/** The stand-in for Base beside the sandbox's shop, and beside its chain alone. */
import { createPublicClient, http } from 'viem';
import { base } from 'viem/chains';
import { expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { evmAccount } from '../support/live-evm.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { USDC, USDC_ABI } from '../support/usdc.ts';

const OWNER = evmAccount('owner').address;

function callAt(url: string, method: string, ...params: readonly unknown[]): Promise<Response> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  return fetch(`${url}/rpc/base`, { method: 'POST', headers, body });
}

function balanceAt(url: string): Promise<bigint> {
  const client = createPublicClient({ chain: base, transport: http(`${url}/rpc/base`) });
  const args = [OWNER] as const;
  return client.readContract({ address: USDC, abi: USDC_ABI, functionName: 'balanceOf', args });
}

it('is served at /rpc/base, by a chain alone too, and outlives them', async () => {
  const home = makeHome();
  const alone = await serveSandbox(home, ['--chain-only']);
  await callAt(alone.url, 'sandboxFaucet', OWNER, { usdc: '5000000', wei: '1' });
  const shopHome = makeHome();
  const shop = await serveSandbox(shopHome, ['--chain-rpc', `${alone.url}/rpc`]);
  expect([await balanceAt(alone.url), await balanceAt(shop.url)]).toEqual([5_000_000n, 5_000_000n]);
  await shop.stop();
  await alone.stop();
  const again = await serveSandbox(home);
  expect(await balanceAt(again.url)).toBe(5_000_000n);
  await again.stop();
});

it('loses replies by a fault that names the chain, and no transaction', async () => {
  const sandbox = await serveSandbox(makeHome(), ['--fault', 'drop-reply,x1,/rpc/base']);
  const fund = () => callAt(sandbox.url, 'sandboxFaucet', OWNER, { usdc: '1', wei: '0' });
  await expect(fund()).rejects.toThrow();
  await fund();
  expect(await balanceAt(sandbox.url)).toBe(2n);
  await sandbox.stop();
});
