/** A shop that is paid on the sandbox's EVM: its processes share a store, and the chain says what it got. */
import type { PaymentPayload } from '../../src/contract/x402.ts';
import type { Authorization } from '../../src/rails/evm/authorization.ts';
import { createEvmFacilitator, type FacilitatorOptions } from '../../src/rails/evm/facilitator.ts';
import { createEvmPayer } from '../../src/rails/evm/payer.ts';
import type { EvmRpc } from '../../src/rails/evm/rpc.ts';
import type { Store } from '../../src/store/store.ts';
import { claimsOf, feeTransactionsOf } from '../../src/store/store.ts';
import {
  EVM_AMOUNT,
  EVM_FEE_ACCOUNT,
  EVM_MERCHANT,
  EVM_PAYER,
  NETWORK,
  payloadOfAuthorization,
} from './evm-payment.ts';
import type { EvmWorld } from './evm-world.ts';

/** @param store asked for at every call: each test may have its own */
export function evmShop(world: EvmWorld, store: () => Store) {
  let nonces = 0;
  const nonceOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
  const authorizationNow = async (more: Partial<Authorization> = {}): Promise<Authorization> => {
    const { time } = await world.rpc.head('latest');
    nonces += 1;
    return {
      ...{ from: EVM_PAYER.address, to: EVM_MERCHANT, value: EVM_AMOUNT.toString() },
      ...{ validAfter: (time - 600).toString(), validBefore: (time + 60).toString() },
      nonce: nonceOf(nonces),
      ...more,
    };
  };
  return {
    /** A process of it. */
    facilitator: (over: Partial<EvmRpc> = {}, more: Partial<FacilitatorOptions> = {}) =>
      createEvmFacilitator({
        rpc: { ...world.rpc, ...over },
        ...{ network: NETWORK, clock: world.evm.clock, feeAccount: EVM_FEE_ACCOUNT },
        ...{ claims: claimsOf(store()), transactions: feeTransactionsOf(store()) },
        confirmTimeoutMs: 3_000,
        ...more,
      }),
    authorizationNow,
    /** Of the newest authorization. */
    lastNonce: () => nonceOf(nonces),
    good: async (more: Partial<Authorization> = {}): Promise<PaymentPayload> =>
      wrapped(await payloadOfAuthorization(await authorizationNow(more))),
    /** What came to the merchant. */
    received: async () => {
      const rail = createEvmPayer({ rpc: world.rpc, network: NETWORK });
      return (await rail.balances(EVM_MERCHANT)).usdcAtomic ?? 0n;
    },
    /** Transactions that the fee account has paid for. */
    sent: () => world.rpc.count(EVM_FEE_ACCOUNT.address),
  };
}

export const wrapped = (payload: object): PaymentPayload => ({
  ...{ x402Version: 2, accepted: { scheme: 'exact', network: NETWORK.network } },
  payload: { ...payload },
});
