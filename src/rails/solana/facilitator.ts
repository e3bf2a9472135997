/** The embedded facilitator of Solana: it countersigns each message once, as fee payer. */

import type { PaymentPayload, PaymentRequirement } from '../../contract/x402.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ScripError } from '../../domain/message/errors.ts';
import { formatSol } from '../../domain/money/money.ts';
import type { Claim } from '../../domain/payment/claim.ts';
import { createRecent } from '../../domain/recent.ts';
import { type FacilitatorParts, facilitatorOn, requireFees } from '../facilitator.ts';
import type { Facilitator } from '../merchant-rail.ts';
import type { Signer } from '../rail.ts';
import {
  createBlocksLeft,
  createRecentChecks,
  isWithinBlock,
  refuseByChain,
} from './acceptance.ts';
import { encodeBase58 } from './address.ts';
import {
  checkPayment,
  type FacilitatorTerms,
  MAX_PRIORITY_FEE_LAMPORTS,
  REFERENCE_PREFIX,
  type Verdict,
} from './checks.ts';
import { type DecodedTransaction, encodeWire, withSignature } from './message.ts';
import type { SolanaRpc } from './rpc.ts';
import { BLOCKHASH_LIFE } from './seal.ts';
import { followClaim, type SettlementParts } from './settlement.ts';
import { EXPIRED_REASON, inWords } from './words.ts';

const FEE_PAYER_SIGNATURE = 0;

type ValidVerdict = Extract<Verdict, { readonly isValid: true }>;

export interface FacilitatorOptions extends SettlementParts, FacilitatorParts, FeeFloor {
  /** Pays the network fee of every payment; owns no tokens. */
  readonly feePayer: Signer;
  readonly network: string;
  readonly mint: string;
}

export function createFacilitator(options: FacilitatorOptions): Facilitator {
  const { network, mint, rpc, clock, feePayer } = options;
  const recent = createRecentChecks(clock);
  const blocksLeft = createBlocksLeft(rpc, clock);
  return facilitatorOn<ValidVerdict>(options, {
    network,
    feePayer: feePayer.address,
    extra: {
      feePayer: feePayer.address,
      maxPriorityFeeLamports: MAX_PRIORITY_FEE_LAMPORTS.toString(),
    },
    prefix: REFERENCE_PREFIX,
    expired: EXPIRED_REASON,
    inWords,
    check: createPaymentCheck({ network, mint, feePayer: feePayer.address }),
    checkFloor: createFloorCheck(options),
    async refuse(valid) {
      const accepted = recent.start(valid);
      const refusal = await refuseByChain({ rpc, blocksLeft }, valid.transaction);
      if (refusal === undefined) accepted();
      return refusal;
    },
    isAccepted: recent.take,
    claim: ({ transaction }, refusal) =>
      refusal === undefined
        ? countersign(options, transaction)
        : refusalClaim(options, transaction, refusal),
    follow: (claim, until) => followClaim(options, claim, until),
    sentAs: async ({ transaction }) => transaction,
  });
}

/** Creates the claim, a promise to settle; send nothing before it is stored. */
async function countersign(
  { rpc, feePayer, clock }: FacilitatorOptions,
  { messageHash, message, wire }: DecodedTransaction,
): Promise<Claim> {
  const height = await rpc.blockHeight('processed');
  const signature = await feePayer.sign(message);
  return {
    messageHash,
    transaction: encodeBase58(signature),
    wire: encodeWire(withSignature(wire, FEE_PAYER_SIGNATURE, signature)),
    // The blockhash is no newer than the tip, so it expires by then.
    validUntil: height + BLOCKHASH_LIFE,
    state: 'submitting',
    reason: null,
    createdAtMs: clock.now(),
  };
}

async function refusalClaim(
  { clock }: FacilitatorOptions,
  { messageHash }: DecodedTransaction,
  reason: string,
): Promise<Claim> {
  const createdAtMs = clock.now();
  const nothingSent = { transaction: messageHash, wire: '', validUntil: 0 };
  return { messageHash, ...nothingSent, state: 'failed', reason, createdAtMs };
}

/** Payments between verification and settlement; one that is dropped is checked again. */
const MOST_REMEMBERED = 256;

/** Remembers what is valid: the same bytes and requirement always get the same verdict. */
function createPaymentCheck(terms: FacilitatorTerms) {
  const valid = createRecent<Verdict>(MOST_REMEMBERED);
  return (payload: PaymentPayload, requirement: PaymentRequirement): Verdict => {
    const key = JSON.stringify([payload, requirement]);
    const known = valid.get(key);
    if (known) return known;
    const verdict = checkPayment(payload, requirement, terms);
    if (!verdict.isValid) return verdict;
    valid.set(key, verdict);
    return verdict;
  };
}

/** 0.01 SOL: covers hundreds of payments in progress, and far exceeds the account's rent. */
const DEFAULT_FLOOR_LAMPORTS = 10_000_000n;

export interface FeeFloor {
  readonly rpc: SolanaRpc;
  readonly feePayer: Signer;
  /** Below this balance the fee payer signs nothing; by default 0.01 SOL. */
  readonly floorLamports?: bigint | undefined;
  report?(error: ScripError): void;
}

/** Refuses while the fee payer has too little SOL. @throws {ScripError} FACILITATOR_UNAVAILABLE */
export async function checkFloor({
  rpc,
  feePayer: { address },
  floorLamports: least = DEFAULT_FLOOR_LAMPORTS,
  report,
}: FeeFloor): Promise<void> {
  const held = await rpc.balance(address);
  const inWords = (lamports: bigint) => `${formatSol(lamports)} SOL`;
  requireFees({ address, held, least, inWords, report });
}

/** The same check for many payments: a balance that was enough is asked for again after a block. */
export function createFloorCheck(
  floor: FeeFloor & { readonly clock: Pick<Clock, 'now'> },
): () => Promise<void> {
  let enoughAtMs: number | undefined;
  return async () => {
    const atMs = floor.clock.now();
    if (enoughAtMs !== undefined && isWithinBlock(enoughAtMs, atMs)) return;
    await checkFloor(floor);
    enoughAtMs = atMs;
  };
}
