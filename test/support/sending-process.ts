/**
 * A process of its own: `sending-process <database> <name> <times>` sends transfers of a name's USDC over
 * the EVM chain in the database, and prints their hashes, a line each.
 */
import { encodeFunctionData } from 'viem';
import { openEvmChain } from '../../src/sandbox/evm/chain.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';
import { evmAccount, WEI } from './live-evm.ts';
import { USDC, USDC_ABI } from './usdc.ts';

const [path = '', name = '', times = '0'] = process.argv.slice(2);
const clock = { now: () => Date.now(), sleep: async () => undefined };
const account = evmAccount(name);

const store = await openSqliteChain(path);
const chain = await openEvmChain({ store, clock });
await chain.fund(account.address, { usdcAtomic: 1_000_000n, wei: WEI });
const data = encodeFunctionData({
  ...{ abi: USDC_ABI, functionName: 'transfer' },
  args: [evmAccount('receiver').address, 1_000n],
});
for (let nonce = 0; nonce < Number(times); nonce += 1) {
  const wire = await account.signTransaction({
    ...{ chainId: 8453, nonce, to: USDC, data, gas: 100_000n },
    ...{ maxFeePerGas: 10_000_000n, maxPriorityFeePerGas: 0n },
  });
  console.log(await chain.send(Buffer.from(wire.slice(2), 'hex')));
}
await store.close();
