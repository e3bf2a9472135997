/** A payer of the public x402 libraries, with play money of a served sandbox. */
import { randomBytes } from 'node:crypto';
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { x402Client } from '@x402/fetch';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { ExactSvmScheme as FacilitatorScheme } from '@x402/svm/exact/facilitator';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';

export interface FacilitatorBody {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}

export interface X402Payer {
  readonly address: string;
  /** A signed payment of what is required; another one each time. */
  pay(requirement: PaymentRequirements): Promise<FacilitatorBody>;
}

export async function x402Payer(url: string): Promise<X402Payer> {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  await rpc(url, 'sandboxFaucet', [signer.address, { usdc: '1000000000', lamports: '0' }]);
  const client = new x402Client().register(
    'solana:*',
    new ExactSvmScheme(signer, { rpcUrl: `${url}/rpc` }),
  );
  client.setSpendControls(false);
  return {
    address: signer.address,
    pay: async (requirement) => ({
      paymentPayload: await client.createPaymentPayload({
        x402Version: 2,
        resource: { url },
        accepts: [requirement],
      }),
      paymentRequirements: requirement,
    }),
  };
}

/** The network and fee payer of a facilitator, and what it asks for a transfer to this owner. */
export async function requirementTo(url: string, payTo: string): Promise<PaymentRequirements> {
  const reply = await fetch(`${url}/supported`);
  const { kinds } = (await reply.json()) as {
    kinds: [{ network: PaymentRequirements['network']; extra: { feePayer: string } }];
  };
  const [{ network, extra }] = kinds;
  const amount = '1';
  return {
    scheme: 'exact',
    network,
    amount,
    asset: USDC_MINT,
    payTo,
    maxTimeoutSeconds: 60,
    extra,
  };
}

export async function rpc<T>(url: string, method: string, params: unknown[]): Promise<T> {
  const response = await fetch(`${url}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return ((await response.json()) as { result: T }).result;
}

/** The public libraries’ own facilitator; its fee payer has nothing yet. */
export async function referenceFacilitator(rpcUrl: string) {
  const signer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  const scheme = new FacilitatorScheme(toFacilitatorSvmSigner(signer, { defaultRpcUrl: rpcUrl }));
  const facilitator = new x402Facilitator().register([SOLANA_MAINNET], scheme);
  return { facilitator, address: signer.address };
}
