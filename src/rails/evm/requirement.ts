/** The merchant's side of the rail of EVM chains: creates requirements and reads payments. */

import type { PaymentPayload, PaymentRequirement } from '../../contract/x402.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { MerchantRail, PaymentFacts } from '../merchant-rail.ts';
import { hexOf, ZERO_ADDRESS } from './address.ts';
import { nonceKey, readSigned, typedDataOf } from './authorization.ts';
import type { EvmNetwork } from './networks.ts';
import { evmSignIn } from './secp256k1.ts';
import { MOST_SECONDS } from './terms.ts';

interface MerchantOptions {
  readonly network: EvmNetwork;
  /** Address that all sessions are paid to. */
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
}

export function createEvmMerchant({
  network,
  payTo,
  maxTimeoutSeconds,
}: MerchantOptions): MerchantRail & Required<Pick<MerchantRail, 'walletRequest'>> {
  const { asset, name, version } = network;
  const asked = (amount: string, to: Pick<PaymentRequirement, 'payTo' | 'maxTimeoutSeconds'>) => ({
    scheme: 'exact' as const,
    network: network.network,
    // The interface reads `maxAmountRequired`, the public standard `amount`.
    ...{ amount, maxAmountRequired: amount, asset, ...to },
    // No method named: that is EIP-3009.
    extra: { name, version },
  });
  return {
    network: network.network,
    ...{ asset, payTo, signIn: evmSignIn },
    requirement: async ({ amountAtomic, description }) => {
      const requirement = asked(amountAtomic.toString(), { payTo, maxTimeoutSeconds });
      return { requirement: { ...requirement, description }, destination: payTo };
    },
    async walletRequest({ payTo: to, amountAtomic, reference }) {
      const [value, nonce] = [amountAtomic.toString(), hexOf(reference)];
      const blank = { from: ZERO_ADDRESS, validAfter: '0', validBefore: '0' };
      return {
        // A person reads it before the wallet signs.
        requirement: asked(value, { payTo: to, maxTimeoutSeconds: MOST_SECONDS }),
        typedData: typedDataOf(network, { ...blank, to, value, nonce }),
        isOf: ({ payload }) => readSigned(payload)?.authorization.nonce === nonce,
      };
    },
    inspect: (payload) => readFacts(payload, network),
  };
}

/** Its message hash names the nonce: two authorizations with one are one payment. */
function readFacts({ payload }: PaymentPayload, network: EvmNetwork): PaymentFacts {
  const signed = readSigned(payload);
  if (signed === undefined) {
    throw new ScripError(
      'PAYMENT_MALFORMED',
      t`The payment is not an authorization of EIP-3009 with its signature`,
    );
  }
  const { authorization, signature } = signed;
  const { from } = authorization;
  return {
    messageHash: nonceKey(network, authorization),
    ...{ payer: from, source: from, payload: { authorization, signature } },
  };
}
