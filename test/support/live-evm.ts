/** The sandbox's stand-in for Base in this process, served on a port. */
import { createHash } from 'node:crypto';
import { createPublicClient, createWalletClient, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { openEvmChain } from '../../src/sandbox/evm/chain.ts';
import { createEvmHandler } from '../../src/sandbox/evm/rpc.ts';
import { endpointOver } from '../../src/sandbox/rpc/handler.ts';
import { listen } from '../../src/service/http/node.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

export type LiveEvm = Awaited<ReturnType<typeof liveEvm>>;

export const WEI = 10n ** 18n;

export function keyOf(name: string): Hex {
  return `0x${createHash('sha256').update(name).digest('hex')}`;
}

/** Account of a name. */
export function evmAccount(name: string) {
  return privateKeyToAccount(keyOf(name));
}

export async function liveEvm(clock: ManualClock = manualClock()) {
  const store = await openSqliteChain(':memory:');
  const chain = await openEvmChain({ store, clock });
  const handle = createEvmHandler(chain);
  const server = await listen({ handler: endpointOver(handle), port: 0, host: '127.0.0.1' });
  const transport = () => http(server.url);
  return {
    ...{ chain, clock, store, handle, url: server.url },
    /** Answers of a single call: `{ result }` or `{ error }`. */
    call: (method: string, ...params: readonly unknown[]) =>
      handle({ jsonrpc: '2.0', id: 1, method, params }),
    client: createPublicClient({ chain: base, transport: transport() }),
    /** A client that signs for the account of a name, which gets money first. */
    async walletOf(name: string, usdcAtomic = 100_000_000n) {
      const account = evmAccount(name);
      await chain.fund(account.address, { usdcAtomic, wei: WEI });
      const made = createWalletClient({ account, chain: base, transport: transport() });
      return made.extend(publicActions);
    },
    async close() {
      await server.close();
      await store.close();
    },
  };
}

/** Code that runs as a constructor and leaves this one in place. */
export function deploying(code: Hex): Hex {
  const length = ((code.length - 2) / 2).toString(16).padStart(2, '0');
  return `0x60${length}600c60003960${length}6000f3${code.slice(2)}`;
}
