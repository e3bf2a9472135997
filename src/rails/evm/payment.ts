/** What this rail records of a signed payment. */

import type { SignedPayment } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { field } from '../rpc-transport.ts';
import { bytesOf, hexOf } from './address.ts';
import { type Authorization, digestOf, domainOf, readAuthorization } from './authorization.ts';
import type { EvmNetwork } from './networks.ts';
import { signerOf } from './secp256k1.ts';

/** Its `messageHash` is the digest that was signed, its `signature` the nonce, by which the chain lists it. */
export interface EvmPayment extends SignedPayment {
  readonly domain: ReturnType<typeof domainOf>;
  readonly authorization: Authorization;
  /** The payer's signature; `0x` where only the chain shows the payment, without it. */
  readonly proof: string;
}

export function paymentOf(
  network: EvmNetwork,
  { authorization, proof }: Pick<EvmPayment, 'authorization' | 'proof'>,
): EvmPayment {
  return {
    messageHash: hexOf(digestOf(network, authorization)).slice(2),
    signature: authorization.nonce,
    payer: authorization.from,
    domain: domainOf(network),
    authorization,
    proof,
  };
}

/** Reads this rail's fields of a recorded payment. @throws {ScripError} JOURNAL_UNUSABLE */
export function recorded(payment: SignedPayment, network: EvmNetwork): EvmPayment {
  const { messageHash, signature, payer } = payment;
  const domain = field(payment, 'domain');
  const authorization = readAuthorization(field(payment, 'authorization'));
  const proof = field(payment, 'proof');
  const own = domainOf(network);
  const isOfNetwork = JSON.stringify(domain) === JSON.stringify(own);
  if (authorization !== undefined && typeof proof === 'string' && isOfNetwork) {
    return { messageHash, signature, payer, domain: own, authorization, proof };
  }
  throw new ScripError(
    'JOURNAL_UNUSABLE',
    t`The payment ${signature} was not signed for ${network.network}`,
  );
}

/** Whether the parts of a record agree, and its payer signed them. */
export function isGenuine(payment: EvmPayment, network: EvmNetwork): boolean {
  const { messageHash, signature, payer, authorization, proof } = payment;
  const own = paymentOf(network, { authorization, proof });
  return (
    own.messageHash === messageHash &&
    own.signature === signature &&
    own.payer === payer &&
    signerOf(digestOf(network, authorization), bytesOf(proof)) === payer
  );
}
