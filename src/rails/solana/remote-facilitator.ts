/**
 * Has payments settled by a facilitator elsewhere. Its words decide nothing: a payment is made when our
 * own nodes show it, and failed when they prove that it can never land (docs/inside/checkout.md).
 */

import type { PaymentPayload, PaymentRequirement, SettleResponse } from '../../contract/x402.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { invalidReply, oneAtATime, refusedReply } from '../facilitator.ts';
import {
  contradicted,
  type FacilitatorClient,
  handOver,
  NO_TERMS,
  quoted,
  readFacilitatorTerms,
} from '../facilitator-http.ts';
import type { Facilitator } from '../merchant-rail.ts';
import { type Finality, landedAtOf } from '../settling.ts';
import { createBlocksLeft, refuseByChain } from './acceptance.ts';
import { checkPayment, type Verdict } from './checks.ts';
import {
  createMerchantFates,
  type MerchantFate,
  type MerchantFateOptions,
} from './merchant-fate.ts';
import { EXPIRED_REASON, FAILED_REASON, inWords } from './words.ts';

export interface RemoteFacilitatorOptions extends MerchantFateOptions, Finality {
  /** Undefined once the shop has none: what was handed over before is still looked for. */
  readonly client: FacilitatorClient | undefined;
  readonly mint: string;
  readonly clock: Clock;
  /** After this time, a later call continues the settlement. */
  readonly confirmTimeoutMs: number;
  /** Receives what the operator has to know of the facilitator: it is away, refuses, or contradicts the chain. */
  report?(error: ScripError): void;
}

const POLL_MS = 500;
const PENDING = 'settlement_pending';

type ValidVerdict = Extract<Verdict, { readonly isValid: true }>;

interface Parts extends RemoteFacilitatorOptions {
  fateOf(payment: Payment): Promise<MerchantFate>;
}

interface Payment {
  readonly payload: PaymentPayload;
  readonly requirement: PaymentRequirement;
  readonly verdict: ValidVerdict;
  readonly signal: AbortSignal | undefined;
  readonly sinceMs: number | undefined;
}

export function createRemoteFacilitator(options: RemoteFacilitatorOptions): Facilitator {
  const { network, client, clock, rpc } = options;
  const blocksLeft = createBlocksLeft(rpc, clock);
  const terms = client === undefined ? NO_TERMS : readFacilitatorTerms(client, options);
  const fates = createMerchantFates(options);
  const parts: Parts = {
    ...options,
    fateOf: ({ payload, requirement, sinceMs }) =>
      fates.fateOf(payload, { landedAt: landedAtOf(requirement, options), sinceMs }),
  };
  const alone = oneAtATime<SettleResponse>();
  return {
    supported: terms.current,
    checkFunds: async () => void (await terms.current()),
    async verify(payload, requirement) {
      if (!(await terms.isManaged(requirement.extra?.feePayer))) {
        return invalidReply(
          inEnglish('invalid_exact_svm_fee_payer_not_managed_by_facilitator', undefined),
        );
      }
      const verdict = checkBytes(options, payload, requirement);
      if (!verdict.isValid) return invalidReply(inEnglish(verdict.reason, verdict.payer));
      const { payer, transaction } = verdict;
      // What has landed before it came to us may be another caller's: the chain shows it to all.
      const refusal = await refuseByChain({ rpc, blocksLeft }, transaction);
      return refusal === undefined
        ? { isValid: true, payer }
        : invalidReply(inEnglish(refusal, payer));
    },
    async settle(payload, requirement, { signal, sinceMs } = {}) {
      const verdict = checkBytes(options, payload, requirement);
      if (!verdict.isValid) return refusedReply(network, inEnglish(verdict.reason, verdict.payer));
      const { messageHash } = verdict.transaction;
      return alone(messageHash, () => {
        const isNew = !fates.isWatched(messageHash);
        const untilMs = clock.now() + options.confirmTimeoutMs;
        const payment = { payload, requirement, verdict, signal, sinceMs };
        return settle(parts, payment, { isNew, untilMs });
      });
    },
  };
}

/** The fee payer is the one of the stored requirement: the facilitator may have changed it since. */
function checkBytes(
  { network, mint }: Pick<RemoteFacilitatorOptions, 'network' | 'mint'>,
  payload: PaymentPayload,
  requirement: PaymentRequirement,
): Verdict {
  const { feePayer = '' } = requirement.extra ?? {};
  return checkPayment(payload, requirement, { network, mint, feePayer });
}

/**
 * Asked again, the facilitator cannot make a second payment: all it can add to the same message is the
 * same signature, and the chain takes a message once.
 * @param isNew whether the facilitator cannot have the payment yet, as far as this process knows
 */
async function settle(
  parts: Parts,
  payment: Payment,
  { isNew, untilMs }: { readonly isNew: boolean; readonly untilMs: number },
): Promise<SettleResponse> {
  const { clock } = parts;
  const before = isNew ? undefined : decided(parts, payment, await parts.fateOf(payment));
  if (before !== undefined) return before;
  const said = await handOver(parts.client, parts.report, payment.payload, payment.requirement);
  for (;;) {
    const fate = await parts.fateOf(payment);
    const response = decided(parts, payment, fate, said);
    if (response !== undefined) return response;
    if (said?.success !== true || clock.now() >= untilMs || payment.signal?.aborted) break;
    await clock.sleep(POLL_MS, payment.signal).catch(() => undefined);
  }
  noteContradiction(parts, said, '');
  return refusedReply(parts.network, inEnglish(PENDING, payment.verdict.payer));
}

/** Undefined while the chain leaves it open. */
function decided(
  parts: Parts,
  { verdict: { payer } }: Payment,
  fate: MerchantFate,
  said?: SettleResponse,
): SettleResponse | undefined {
  if (fate.fate === 'open') return undefined;
  if (fate.fate === 'expired') {
    noteContradiction(parts, said, '');
    return refusedReply(parts.network, inEnglish(EXPIRED_REASON, payer));
  }
  const { transaction } = fate;
  if (fate.fate === 'failed') {
    return { ...refusedReply(parts.network, inEnglish(FAILED_REASON, payer)), transaction };
  }
  noteContradiction(parts, said, transaction);
  return { success: true, transaction, network: parts.network, payer };
}

/** @param transaction what the chain shows; empty if nothing */
function noteContradiction(
  { report }: Parts,
  said: SettleResponse | undefined,
  transaction: string,
): void {
  if (said?.success !== true || said.transaction === transaction) return;
  const claimed = quoted(said.transaction);
  report?.(
    contradicted(
      transaction === ''
        ? t`The facilitator says that it settled ${claimed}, which our nodes do not show`
        : t`The facilitator says that it settled ${claimed}, but the payment is ${transaction}`,
    ),
  );
}

const inEnglish = (reason: string, payer: string | undefined) => ({
  ...{ reason, payer, message: inWords(reason) },
});
