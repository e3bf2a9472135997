/** Requests a challenge, signs a payment for it, and journals it. */

import type { Fetch } from '../../contract/fetch.ts';
import { encodeHeader } from '../../contract/x402.ts';
import { type Attempt, type Entry, type Intent, nextNumber } from '../../domain/journal/journal.ts';
import { requestIn } from '../../domain/journal/paid-request.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Atomic } from '../../domain/money/money.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { mppPayment } from '../../domain/payment/mpp.ts';
import {
  challengeExpiry,
  checkFresh,
  checkRequirement,
  checkSame,
  chooseRequirement,
  paymentPayload,
} from '../../domain/payment/payment.ts';
import { RETRYABLE_WHILE_SIGNING, waitBeforeRetry } from '../../domain/payment/retry.ts';
import { usdcText } from '../../domain/policy/policy.ts';
import { CHALLENGE_TIMEOUT_MS, type Challenge, challenge } from '../checkout/checkout.ts';
import { offerOf } from '../checkout/evidence.ts';
import type { PurchaseDeps } from '../checkout/purchase-deps.ts';
import { pause, startStopwatch } from '../http/pause.ts';
import { adoptPayment } from '../recovery/adopt.ts';
import { authorizePayment } from './authorize.ts';
import { type KeyWatch, nextTag, paymentIdOf } from './payment-tag.ts';

const CHALLENGE_TRIES = 3;
const LEAST_TRY_MS = 1_000;

/**
 * Signs for one challenge and journals the attempt. Nothing has been sent when this returns. If the key has
 * paid elsewhere, journals that payment instead and signs nothing.
 * @returns whether ours is the journaled one: if another process was faster, ours is dropped
 * @throws {ScripError} the reason not to pay: REQUIREMENT_UNACCEPTABLE, AMOUNT_OVER_CAP, CHALLENGE_EXPIRED,
 * FUNDS_TOO_LOW, CHAIN_UNREACHABLE, JOURNAL_UNUSABLE, and what `authorizePayment`, `challenge` and
 * `adoptPayment` throw
 */
export async function signAttempt(
  deps: PurchaseDeps,
  entry: Entry,
  { capAtomic, watch }: { readonly capAtomic: Atomic; readonly watch: KeyWatch },
): Promise<boolean> {
  const adoptPaid = () => adoptPayment(deps, entry, watch);
  // Read long histories before the challenge, which is valid for only a minute.
  if ((await adoptPaid()) !== undefined) return false;
  deps.progress?.step(t`Asking the merchant for the payment request`);
  const asked = agreedChallenge(deps) ?? (await askChallenge(deps, entry.intent));
  deps.failPoint?.('challenge-read');
  deps.progress?.step(t`Checking the payment request and signing`);
  try {
    const isOurs = await signChallenge(deps, asked, { entry, capAtomic }, adoptPaid);
    if (isOurs) deps.progress?.done(t`Signed and recorded`);
    deps.failPoint?.('attempt-written');
    return isOurs;
  } catch (error) {
    // The missing money may have just paid for this very key.
    const isPoor = error instanceof ScripError && error.code === 'FUNDS_TOO_LOW';
    if (isPoor && (await adoptPaid()) !== undefined) return false;
    throw error;
  }
}

/** The challenge that the user has just seen, while it is valid. */
function agreedChallenge({ agreed, clock }: PurchaseDeps): Challenge | undefined {
  if (agreed === undefined) return undefined;
  const { required, receivedAtMs } = agreed.challenge;
  return clock.now() < challengeExpiry(required, receivedAtMs) ? agreed.challenge : undefined;
}

async function askChallenge(deps: PurchaseDeps, intent: Intent): Promise<Challenge> {
  const { fetch, checkoutUrl: baseUrl, clock, signal } = deps;
  const network = deps.rail.name;
  const { body } = intent;
  const ask = { fetch: answered(fetch, deps), baseUrl, body, clock, network, signal };
  const request = { ...ask, request: requestIn(intent) };
  const watch = startStopwatch(clock);
  for (let tried = 1; ; tried += 1) {
    const leftMs = CHALLENGE_TIMEOUT_MS - watch.elapsedMs();
    try {
      return await challenge({ ...request, timeoutMs: Math.max(LEAST_TRY_MS, leftMs) });
    } catch (error) {
      const waitMs =
        tried < CHALLENGE_TRIES
          ? waitBeforeRetry(error, tried, RETRYABLE_WHILE_SIGNING)
          : undefined;
      // All tries share one deadline, so a host that never answers costs one wait, not three.
      const isOver = watch.elapsedMs() + (waitMs ?? 0) >= CHALLENGE_TIMEOUT_MS;
      if (waitMs === undefined || isOver) throw error;
      await pause(clock, waitMs, signal);
      watch.waited(waitMs);
    }
  }
}

function answered(fetch: Fetch, { failPoint }: PurchaseDeps): Fetch {
  if (failPoint === undefined) return fetch;
  return async (url, init) => {
    const reply = await fetch(url, init);
    failPoint('challenge-answered');
    return reply;
  };
}

async function signChallenge(
  deps: PurchaseDeps,
  { required, sessionId, receivedAtMs }: Challenge,
  { entry, capAtomic }: { readonly entry: Entry; readonly capAtomic: Atomic },
  adoptPaid: () => Promise<Attempt | undefined>,
): Promise<boolean> {
  const { rail, signer, clock } = deps;
  const { intent } = entry;
  const number = nextNumber(entry);
  const { network } = rail;
  const asset = deps.asset ?? rail.usdc.asset;
  const expiresAtMs = challengeExpiry(required, receivedAtMs);
  const { requirement, accepted } = chooseRequirement(required, { network, asset });
  if (deps.agreed !== undefined) checkSame(requirement, deps.agreed.requirement);
  const limits = { capAtomic, expiresAtMs, nowMs: clock.now() };
  const amountAtomic = checkRequirement(requirement, limits);
  await rail.checkRequirement(requirement, signer.address);
  deps.progress?.done(t`Price confirmed ${priceText(usdcText(amountAtomic), 'USDC')} USDC`);
  deps.progress?.step(t`Checking the payment request and signing`);
  const tag = nextTag(deps.vault, intent, number);
  const { payTo, extra } = requirement;
  const paymentId = paymentIdOf(deps.vault, intent);
  const { origin } = await authorizePayment(deps, {
    intent,
    number,
    order: { way: 'x402', requirement, amountAtomic, signer, tag },
    terms: { network, asset, payTo, feePayer: extra?.feePayer, memo: extra?.memo },
    usdcAtomic: amountAtomic,
    lastLook: adoptPaid,
    toAttempt: (payment) => {
      // Reading the chain took time: don't send for a challenge that has expired meanwhile.
      checkFresh({ expiresAtMs, nowMs: clock.now() });
      const payload = rail.payload(payment);
      return {
        ...payment,
        number,
        header:
          mppPayment(accepted, payload) ??
          encodeHeader(paymentPayload(accepted, required, { payload, paymentId })),
        sessionId,
        requirement: JSON.stringify(accepted),
        amountAtomic: amountAtomic.toString(),
        asset,
        payTo,
        offer: offerOf(required, requirement),
      };
    },
  });
  return origin === 'ours';
}
