/** A signer that is a device or a service may take long, or never answer. */
import type { Signer } from '../rails/rail.ts';

/** @param heed waits for work, and no longer than its caller wants to */
export function heedingSigner(
  signer: Signer,
  heed: <T>(work: () => Promise<T>) => Promise<T>,
): Signer {
  return { address: signer.address, sign: (message) => heed(() => signer.sign(message)) };
}
