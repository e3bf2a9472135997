/**
 * A signer that calls a function of the embedding program: a device, a vault, a service. It receives only the
 * messages to sign.
 */

import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import type { Signer } from '../rails/rail.ts';
import { isAddress } from '../rails/solana/address.ts';
import { verifySignature } from '../rails/solana/ed25519.ts';

export interface Given {
  /** Base58. */
  readonly address: string;
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

const SIGNATURE_BYTES = 64;

/**
 * Returns a signer that calls the given function.
 * @throws {ScripError} WALLET_INVALID; from `sign` SIGNER_FAILED
 */
export function givenSigner(given: Given): Signer {
  const { address } = given;
  if (typeof address !== 'string' || !isAddress(address) || typeof given.sign !== 'function') {
    throw new ScripError('WALLET_INVALID', t`Wallet needs a Solana address and a sign function`);
  }
  return {
    address,
    sign: async (message) => {
      const signature = await answerOf(given, message);
      const isWhole = signature instanceof Uint8Array && signature.length === SIGNATURE_BYTES;
      // Check before use: the signer must have signed this message with this key.
      if (isWhole && verifySignature(address, message, signature))
        return Uint8Array.from(signature);
      throw failed(t`its signature is not that of ${address} over the message`);
    },
  };
}

/** Never quotes an error of the caller's function, but passes it on as the cause. */
async function answerOf(given: Given, message: Uint8Array): Promise<unknown> {
  try {
    return await given.sign(Uint8Array.from(message));
  } catch (cause) {
    if (cause instanceof ScripError) throw cause;
    throw failed(t`it threw an error`, cause);
  }
}

function failed(why: Message, cause?: unknown): ScripError {
  return new ScripError('SIGNER_FAILED', t`The program’s sign function failed: ${why}`, {
    cause,
    hint: t`Nothing was sent. Check what your sign function returns.`,
  });
}
