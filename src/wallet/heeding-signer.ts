/** Limits the wait for a signer: a device or a service may take long, or never answer. */
import type { Signer } from '../rails/rail.ts';

/** @param heed awaits the work until the caller stops waiting */
export function heedingSigner(
  signer: Signer,
  heed: <T>(work: () => Promise<T>) => Promise<T>,
): Signer {
  return { address: signer.address, sign: (message) => heed(() => signer.sign(message)) };
}
