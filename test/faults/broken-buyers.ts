/**
 * Buyers that do one thing wrong. The program is right: what a wrong one would take for true, its node
 * says to it, and what a wrong one would not have on disk in time is lost. The harness has to catch each
 * of them: a harness that finds nothing in these finds nothing at all.
 */
import type { Lie } from './fault-proxy.ts';

export type Breakage =
  /** Takes a payment without an answer for one that was not made. */
  | 're-signs on timeout'
  /** Sends while its record is still on the way to the disk. */
  | 'records after sending'
  /** Takes an error status for proof that nothing was charged. */
  | 'trusts the status';

/** What its node says instead of the truth, by how the last payment that was sent ended. */
export const LIES: Readonly<Record<Breakage, Lie>> = {
  're-signs on timeout': (seen) => (seen === 'cut' ? 'dead' : undefined),
  'trusts the status': (seen) => (typeof seen === 'number' && seen >= 400 ? 'dead' : undefined),
  // On a slow machine the chain is final by the second run, and the mark of the key would save it.
  'records after sending': () => 'blank',
};
