import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/usdc.ts';
import { decodePayment, withSignature } from '../../src/rails/solana/message.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import { fundedChain } from '../support/live-chain.ts';
import { skippingClock } from '../support/manual-clock.ts';
import { railSuite } from '../support/rail-suite.ts';
import { FEE_PAYER, PAYER, REQUIREMENT } from '../support/solana-payment.ts';

railSuite('the rail of Solana, on a real VM', async () => {
  const clock = skippingClock();
  const { rpc, close } = await fundedChain(clock);
  return {
    rail: createSolanaPayer({ rpc, network: SOLANA_MAINNET, mint: USDC_MINT }),
    signer: PAYER,
    requirement: (amount) => ({
      ...REQUIREMENT,
      amount: String(amount),
      maxAmountRequired: String(amount),
    }),
    settle: async ({ transaction = '' }) => {
      const { message, wire } = decodePayment(transaction);
      const id = await rpc.send(withSignature(wire, 0, await FEE_PAYER.sign(message)));
      clock.advance(400);
      return id;
    },
    advance: clock.advance,
    close,
  };
});
