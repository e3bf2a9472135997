import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/usdc.ts';
import { decodePayment, withSignature } from '../../src/rails/solana/message.ts';
import { createSolanaPayer } from '../../src/rails/solana/payer.ts';
import { createSolanaRpc } from '../../src/rails/solana/rpc.ts';
import { openChain } from '../../src/sandbox/chain/chain.ts';
import { createRpcEndpoint } from '../../src/sandbox/rpc/handler.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';
import { skippingClock } from '../support/manual-clock.ts';
import { railSuite } from '../support/rail-suite.ts';
import { FEE_PAYER, MERCHANT, PAYER, REQUIREMENT } from '../support/solana-payment.ts';
import { TIMED_ASSET, TIMED_NETWORK, timedChain, timedSigner } from '../support/timed-rail.ts';

const FUNDS = 100_000_000n;

railSuite('the rail of Solana, on a real VM', async () => {
  const clock = skippingClock();
  const store = await openSqliteChain(':memory:');
  const chain = await openChain({ store, clock });
  const answer = createRpcEndpoint(chain);
  const rpc = createSolanaRpc({
    url: 'http://chain.invalid/rpc',
    fetch: (url, init) => answer(new Request(url, init)),
    clock,
  });
  await chain.airdrop(FEE_PAYER.address, 1_000_000_000n);
  await chain.fundUsdc(PAYER.address, FUNDS);
  await chain.openForPayments(MERCHANT.address);
  clock.advance(40 * 400);
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
    close: () => store.close(),
  };
});

railSuite('a rail whose payments are valid up to an instant', async () => {
  const clock = skippingClock();
  const chain = timedChain(clock);
  const signer = timedSigner('buyer');
  chain.fund(signer.address, FUNDS);
  return {
    rail: chain.rail,
    signer,
    requirement: (amount) => ({
      scheme: 'exact',
      network: TIMED_NETWORK,
      amount: String(amount),
      asset: TIMED_ASSET,
      payTo: timedSigner('merchant').address,
      extra: { name: 'USD Coin', version: '2' },
    }),
    settle: async (payload) => chain.settle(payload),
    advance: clock.advance,
  };
});
