/** The merchant's side of the rail of EVM chains: creates requirements and reads payments. */

import type { PaymentPayload } from '../../contract/x402.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { MerchantRail, PaymentFacts } from '../merchant-rail.ts';
import { nonceKey, readSigned } from './authorization.ts';
import type { EvmNetwork } from './networks.ts';
import { evmSignIn } from './secp256k1.ts';

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
}: MerchantOptions): MerchantRail {
  const { asset, name, version } = network;
  return {
    network: network.network,
    ...{ asset, payTo, signIn: evmSignIn },
    requirement: async ({ amountAtomic, description }) => {
      const amount = amountAtomic.toString();
      const requirement = {
        scheme: 'exact' as const,
        network: network.network,
        // The interface reads `maxAmountRequired`, the public standard `amount`.
        ...{ amount, maxAmountRequired: amount, asset, payTo, maxTimeoutSeconds },
        // No method named: that is EIP-3009.
        extra: { name, version },
        description,
      };
      return { requirement, destination: payTo };
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
