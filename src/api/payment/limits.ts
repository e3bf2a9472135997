/** How often a payment is signed, and how long it may take to settle. */

/** The first signature, and up to two more, each after proof that the previous payment is dead. */
export const MAX_SIGNATURES = 3;
/** Long enough for a payment to expire, finalized, and be proven dead: about 85 s on mainnet. */
export const SETTLE_MS = 150_000;
