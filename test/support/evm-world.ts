/** The sandbox's EVM, a node over it for the rail, and somebody who settles what payers signed. */
import type { PaymentPayload } from '../../src/contract/x402.ts';
import { createEvmRpc } from '../../src/rails/evm/rpc.ts';
import { settleCall } from '../../src/rails/evm/usdc.ts';
import { NETWORK, signedOf } from './evm-payment.ts';
import { liveEvm } from './live-evm.ts';
import { skippingClock } from './manual-clock.ts';

export type EvmWorld = Awaited<ReturnType<typeof evmWorld>>;

export async function evmWorld(clock = skippingClock()) {
  const evm = await liveEvm(clock);
  const rpc = createEvmRpc({ url: evm.url, fetch, clock });
  const relay = await evm.walletOf('relay', 0n);
  const to = NETWORK.asset as `0x${string}`;
  return {
    evm,
    rpc,
    relay,
    /** Sends a payment to the chain; returns its id there, rejects if it would fail. */
    settle: async (payload: PaymentPayload['payload']): Promise<string> => {
      const { authorization, signature } = signedOf(payload);
      const data = settleCall(authorization, signature) as `0x${string}`;
      return relay.sendTransaction({ to, data });
    },
  };
}
