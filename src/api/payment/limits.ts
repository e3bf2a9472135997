/** How often a payment is signed for, and how long it is settled. */

/** The first signature and, each after proof that the one before is dead, two more. */
export const MAX_SIGNATURES = 3;
/** Long enough for a payment to expire, finalized, and be proven dead: about 85 s on mainnet. */
export const SETTLE_MS = 150_000;
