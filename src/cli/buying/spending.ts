/** The policy that holds for a command, and what is told of it before money is agreed to. */

import {
  forecast,
  type Intention,
  leftOfDay,
  type MeasuringDeps,
  type Spending,
} from '../../api/payment/measure.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import { type Policy, usdcText } from '../../domain/policy.ts';
import { type PolicyFile, parsePolicy, policyOf } from '../../domain/policy-file.ts';
import { refusalError } from '../../domain/refusal.ts';
import { type Channel, checkParty } from '../../domain/spending.ts';
import type { Signer } from '../../rails/rail.ts';
import type { Context } from '../context.ts';
import { walletIfThere } from '../keys/wallet-if-there.ts';
import { checkRpcIsNamed, isPlayMoney } from '../settings/money.ts';

/** What the user wrote; empty where there is no file. @throws {ScripError} POLICY_INVALID */
export async function readPolicyFile({ parts: { policyFile } }: Context): Promise<PolicyFile> {
  const text = await policyFile.read();
  return text === undefined ? {} : parsePolicy(text, policyFile.path);
}

/** For payments. @throws {ScripError} SPENDING_UNKNOWN, and what `readSpending` does */
export async function openSpending(context: Context, options: SpendingOptions): Promise<Spending> {
  const spending = await readSpending(context, options);
  if (!spending.isPlayMoney) checkRpcIsNamed(context.settings);
  return spending;
}

/** For looking alone. @param channel by default a terminal where there is one, else nobody */
export async function readSpending(
  context: Context,
  { signer, merchantUrl, channel }: SpendingOptions,
): Promise<Spending> {
  const [isPlay, file, log] = await Promise.all([
    isPlayMoney(context, { address: signer.address, merchantUrl }),
    readPolicyFile(context),
    context.parts.spendLog(signer),
  ]);
  return {
    policy: policyOf(file, isPlay),
    isPlayMoney: isPlay,
    channel: channel ?? channelOf(context),
    log,
    listed: async () => {
      const { listedRecipients } = await import('../../api/checkout/manifest.ts');
      const {
        parts: { fetch, clock, signal },
      } = context;
      const { origin: baseUrl } = new URL(merchantUrl);
      return listedRecipients({ fetch, baseUrl, clock, signal });
    },
  };
}

export interface SpendingOptions {
  readonly signer: Signer;
  readonly merchantUrl: string;
  readonly channel?: Channel | undefined;
}

function channelOf({ settings }: Context): Channel {
  return settings.mayPrompt ? 'terminal' : 'unattended';
}

/**
 * Refuses a stranger, and a payment that nobody is asked about, before anything is asked of anybody.
 * @param merchant as the journal names it
 * @throws {ScripError} HOST_NOT_ALLOWED, UNATTENDED_OFF, TERMINAL_REQUIRED, POLICY_INVALID, SPENDING_UNKNOWN;
 * the codes of a wallet that is there and cannot be used
 */
export async function checkMerchant(
  context: Context,
  { merchant, merchantUrl, hasKey }: MerchantCheck,
): Promise<void> {
  const address = (await walletIfThere(context))?.address;
  const isPlay = await isPlayMoney(context, { address, merchantUrl });
  const channel = channelOf(context);
  const request = { merchant, isPlayMoney: isPlay, channel };
  const refusal = checkParty(policyOf(await readPolicyFile(context), isPlay), request);
  if (refusal !== undefined) throw refusalError(refusal, request);
  if (!isPlay) checkRpcIsNamed(context.settings);
  if (isPlay || channel === 'terminal' || hasKey) return;
  const missing = ['--idempotency-key'];
  throw new ScripError(
    'TERMINAL_REQUIRED',
    t`off a terminal real money is paid with an --idempotency-key alone`,
    { hint: t`Add --idempotency-key: the same key never buys twice.`, details: { missing } },
  );
}

interface MerchantCheck {
  readonly merchant: string;
  readonly merchantUrl: string;
  /** The caller names an idempotency key. */
  readonly hasKey: boolean;
}

/** What the policy leaves for a purchase. */
export interface Headroom {
  readonly leftAtomic: Atomic;
  readonly perDayAtomic: Atomic;
  /** So much of the day at once that the amount is to be typed. */
  readonly isLarge: boolean;
}

/**
 * What is left of the day.
 * @throws {ScripError} the refusal, where the policy would not let it be paid
 */
export async function checkIntention(deps: MeasuringDeps, intention: Intention): Promise<Headroom> {
  const { policy } = deps.spending;
  const { leftAtomic } = await forecast(deps, intention);
  const amount = intention.usdcAtomic ?? atomic(0n);
  return {
    leftAtomic,
    perDayAtomic: policy.perDay,
    isLarge: isLarge(policy, amount),
  };
}

/** The same of a payment whose goods were looked at before. @param usdcAtomic undefined for another coin */
export async function roomOf(
  deps: MeasuringDeps,
  { merchant, usdcAtomic }: { readonly merchant: string; readonly usdcAtomic: Atomic | undefined },
): Promise<Headroom | undefined> {
  if (usdcAtomic === undefined) return undefined;
  const { policy } = deps.spending;
  return {
    leftAtomic: await leftOfDay(deps, merchant),
    perDayAtomic: policy.perDay,
    isLarge: isLarge(policy, usdcAtomic),
  };
}

function isLarge({ perDay }: Policy, amount: Atomic): boolean {
  return amount * 2n >= perDay && amount > 0n;
}

/** The line of a summary that says what the policy leaves. */
export function headroomText({ leftAtomic, perDayAtomic }: Headroom): Message {
  return t`${usdcText(leftAtomic)} of ${usdcText(perDayAtomic)} USDC in 24 hours`;
}

/**
 * Asks for a yes; where much of a day is spent at once, for the amount itself.
 * @throws {ScripError} DECLINED, INTERRUPTED, TERMINAL_REQUIRED
 */
export async function confirmAmount(
  { io: { prompter } }: Pick<Context, 'io'>,
  { question, amountText, isLarge: mustType }: Question,
): Promise<boolean> {
  if (!mustType) return prompter.confirm(question);
  const typed = await prompter.text(t`${question} Type ${amountText} to agree:`);
  return typed.trim() === amountText;
}

interface Question {
  readonly question: Message;
  readonly amountText: string;
  readonly isLarge: boolean;
}
