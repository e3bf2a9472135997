/** A wallet of the browser: EIP-1193, announced by EIP-6963; an account of viem signs. */
import type { BrowserContext } from 'playwright-core';
import type { TypedDataDefinition } from 'viem';
import { evmAccount } from './live-evm.ts';

/** What the page asked it for. */
export interface BrowserWallet {
  readonly address: string;
  readonly asked: string[];
  /** Has it refuse to sign. */
  refuse(isRefusing: boolean): void;
}

/** @param isOld whether it only stands in the window, as wallets before EIP-6963 */
export async function putWallet(
  context: BrowserContext,
  name: string,
  isOld = false,
): Promise<BrowserWallet> {
  const account = evmAccount(name);
  const asked: string[] = [];
  let isRefusing = false;
  await context.exposeFunction('askWallet', async (method: string, params: readonly string[]) => {
    asked.push(method);
    if (method === 'eth_requestAccounts') return [account.address.toLowerCase()];
    if (method === 'wallet_switchEthereumChain') return null;
    if (method !== 'eth_signTypedData_v4') throw new Error(`no ${method} here`);
    if (isRefusing) throw new Error('User rejected the request');
    const typed: TypedDataDefinition = JSON.parse(params[1] ?? '');
    return account.signTypedData(typed);
  });
  await context.addInitScript(`
    const provider = { request: ({ method, params }) => askWallet(method, params) };
    if (${isOld}) window.ethereum = provider;
    else addEventListener('eip6963:requestProvider', () => {
      const detail = { info: { uuid: '1', name: ${JSON.stringify(name)}, icon: 'data:,', rdns: 'x' }, provider };
      dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
    });`);
  return {
    address: account.address,
    asked,
    refuse: (is) => {
      isRefusing = is;
    },
  };
}
