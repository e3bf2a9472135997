/**
 * A signer that calls a function of the embedding program: a device, a vault, a service. It receives only the
 * messages to sign.
 */

import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import type { Signer } from '../rails/rail.ts';
import { algorithmOf, isSignedBy } from './algorithm.ts';

export interface Given {
  /** Of Solana, or of an EVM network. */
  readonly address: string;
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/**
 * Returns a signer that calls the given function.
 * @throws {ScripError} WALLET_INVALID; from `sign` SIGNER_FAILED
 */
export function givenSigner(given: Given): Signer {
  const { address } = given;
  if (
    typeof address !== 'string' ||
    algorithmOf(address) === undefined ||
    typeof given.sign !== 'function'
  ) {
    throw new ScripError(
      'WALLET_INVALID',
      t`Wallet needs an address of Solana or of an EVM network, and a sign function`,
    );
  }
  return {
    address,
    sign: async (message) => {
      const signature = await answerOf(given, message);
      // Check before use: the signer must have signed this message with this key.
      if (signature instanceof Uint8Array && (await isSignedBy(address, message, signature))) {
        return Uint8Array.from(signature);
      }
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
