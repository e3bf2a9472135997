/** A good payment on Base, in parts that a test may replace. */
import { createHash } from 'node:crypto';
import type { PaymentPayload, PaymentRequirement } from '../../src/contract/x402.ts';
import { hexOf, withChecksum } from '../../src/rails/evm/address.ts';
import { type Authorization, readSigned, typedDataOf } from '../../src/rails/evm/authorization.ts';
import { type EvmNetwork, evmNetwork } from '../../src/rails/evm/networks.ts';
import { evmSigner } from '../../src/rails/evm/secp256k1.ts';
import { encodeTypedData } from '../../src/rails/evm/typed-data.ts';

const found = evmNetwork('eip155:8453');
if (found === undefined) throw new Error('Base is in no table');
export const NETWORK: EvmNetwork = found;

export const secretOf = (name: string) => createHash('sha256').update(name).digest();

export const EVM_PAYER = evmSigner(secretOf('payer'));
export const EVM_STRANGER = evmSigner(secretOf('stranger'));
export const EVM_FEE_ACCOUNT = evmSigner(secretOf('fees'));
export const EVM_MERCHANT = withChecksum(`0x${'5a'.repeat(20)}`);
export const EVM_AMOUNT = 25_500_000n;

export const evmRequirement = (amount: bigint = EVM_AMOUNT): PaymentRequirement => ({
  scheme: 'exact',
  network: NETWORK.network,
  amount: amount.toString(),
  asset: NETWORK.asset,
  payTo: EVM_MERCHANT,
  maxTimeoutSeconds: 60,
  extra: { name: NETWORK.name, version: NETWORK.version },
});

/** Signs an authorization as given, right or wrong. */
export async function payloadOfAuthorization(
  authorization: Authorization,
  { signer = EVM_PAYER, network = NETWORK } = {},
) {
  const signature = await signer.sign(encodeTypedData(typedDataOf(network, authorization)));
  return { authorization, signature: hexOf(signature) };
}

/** The authorization and signature of a payload that a rail made. */
export function signedOf(payload: PaymentPayload['payload']) {
  const signed = readSigned(payload);
  if (signed === undefined) throw new Error('no payload of this rail');
  return signed;
}
