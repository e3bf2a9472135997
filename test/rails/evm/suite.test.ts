import { BASE } from '../../../src/contract/usdc.ts';
import { createEvmPayer } from '../../../src/rails/evm/payer.ts';
import { EVM_MERCHANT, EVM_PAYER, evmRequirement, NETWORK } from '../../support/evm-payment.ts';
import { evmWorld } from '../../support/evm-world.ts';
import { railSuite } from '../../support/rail-suite.ts';

railSuite('the rail of Base, on a real EVM', async () => {
  const { evm, rpc, settle } = await evmWorld();
  await evm.chain.fund(EVM_PAYER.address, { usdcAtomic: 100_000_000n, wei: 0n });
  evm.clock.advance(60_000);
  return {
    rail: createEvmPayer({ rpc, network: NETWORK }),
    signer: EVM_PAYER,
    requirement: (amount) => ({ ...evmRequirement(amount), network: BASE, payTo: EVM_MERCHANT }),
    settle: async (payload) => {
      const transaction = await settle(payload).catch(() => undefined);
      evm.clock.advance(400);
      return transaction;
    },
    advance: evm.clock.advance,
    close: evm.close,
  };
});
