/** The sandbox's EVM, a node over it for the rail, and somebody who settles what payers signed. */
import { concat, type Hex, pad, toHex } from 'viem';
import type { PaymentPayload } from '../../src/contract/x402.ts';
import { createEvmRpc } from '../../src/rails/evm/rpc.ts';
import { settleCall } from '../../src/rails/evm/usdc.ts';
import { NETWORK, signedOf } from './evm-payment.ts';
import { deploying, liveEvm } from './live-evm.ts';
import { skippingClock } from './manual-clock.ts';

export type EvmWorld = Awaited<ReturnType<typeof evmWorld>>;

export type ContractCall = readonly [to: Hex, data: Hex];

/** Makes the calls that it is called with: of each the address, the length and the data. Reverts with any of them. */
const BATCH: Hex = `0x${'60005b803611156032578035816020013580836040016000376000600082' + '60006000865af1156034579050016040016002565b005b60006000fd'}`;

export async function evmWorld(clock = skippingClock()) {
  const evm = await liveEvm(clock);
  const rpc = createEvmRpc({ url: evm.url, fetch, clock });
  const relay = await evm.walletOf('relay', 0n);
  const to = NETWORK.asset as Hex;
  const callOf = (payload: PaymentPayload['payload']): ContractCall => {
    const { authorization, signature } = signedOf(payload);
    return [to, settleCall(authorization, signature) as Hex];
  };
  const deploy = async (code: Hex): Promise<Hex> => {
    const hash = await relay.sendTransaction({ data: deploying(code) });
    const { contractAddress } = await relay.waitForTransactionReceipt({ hash });
    if (!contractAddress) throw new Error('the contract was not deployed');
    return contractAddress;
  };
  let batch: Promise<Hex> | undefined;
  /** The contract that makes the calls of `together`. */
  const batchAddress = () => {
    batch ??= deploy(BATCH);
    return batch;
  };
  /** Makes all calls in one transaction; returns its id, rejects if one would fail. */
  const together = async (calls: readonly ContractCall[]): Promise<Hex> => {
    const data = concat(
      calls.flatMap(([at, call]) => [pad(at), pad(toHex((call.length - 2) / 2)), call]),
    );
    return relay.sendTransaction({ to: await batchAddress(), data });
  };
  return {
    evm,
    rpc,
    relay,
    ...{ deploy, batchAddress, together, callOf },
    /** As `settle`, of several in one transaction. */
    settleTogether: (payloads: readonly PaymentPayload['payload'][]) =>
      together(payloads.map(callOf)),
    /** Sends a payment to the chain; returns its id there, rejects if it would fail. */
    settle: async (payload: PaymentPayload['payload']): Promise<string> => {
      const [, data] = callOf(payload);
      return relay.sendTransaction({ to, data });
    },
  };
}
