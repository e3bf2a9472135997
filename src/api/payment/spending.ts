/** The policy for a run's payments, and what it leaves for a payment before the user confirms it. */

import { networkTitle, USUAL_RPCS } from '../../contract/usdc.ts';
import { isOnThisMachine } from '../../domain/address/loopback.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import { dayLimit, type Policy } from '../../domain/policy/policy.ts';
import { type PolicyFile, parsePolicy, policyOf } from '../../domain/policy/policy-file.ts';
import { refusalError } from '../../domain/policy/refusal.ts';
import { type Channel, checkParty } from '../../domain/policy/spend-rules.ts';
import type { PlayMarks } from '../../wallet/play-marks.ts';
import { isMarked, networkOf, type Place, type ScripDeps, walletIfThere } from '../scrip.ts';
import {
  forecast,
  type Intention,
  leftOfDay,
  type MeasuringDeps,
  type Spending,
} from './measure.ts';

type SpendingDeps = Pick<
  ScripDeps,
  'policyFile' | 'playMarks' | 'spendLog' | 'channel' | 'place' | 'fetch' | 'clock' | 'signal'
>;

/** Reads the user's policy; empty if there is no file. @throws {ScripError} POLICY_INVALID */
export async function readPolicyFile({
  policyFile,
}: Pick<ScripDeps, 'policyFile'>): Promise<PolicyFile> {
  const text = await policyFile.read();
  return text === undefined ? {} : parsePolicy(text, policyFile.path);
}

export interface SpendingOptions {
  /** The wallet's name in the records. */
  readonly wallet: string;
  readonly merchantUrl: string;
  /** Who decides; default: the run's channel. */
  readonly channel?: Channel | undefined;
}

/** Opens policy and log for payments. @throws {ScripError} SPENDING_UNKNOWN, and what `readSpending` does */
export async function openSpending(
  deps: SpendingDeps,
  { network, ...options }: SpendingOptions & { readonly network: string },
): Promise<Spending> {
  const spending = await readSpending(deps, options);
  if (!spending.isPlayMoney) checkRpcIsNamed(deps.place, network);
  return spending;
}

/** Opens policy and log for displaying them only. */
export async function readSpending(
  deps: SpendingDeps,
  { wallet, merchantUrl, channel = deps.channel }: SpendingOptions,
): Promise<Spending> {
  const [isPlay, file, log] = await Promise.all([
    isPlayMoney(deps, { address: wallet, merchantUrl }),
    readPolicyFile(deps),
    deps.spendLog({ address: wallet }),
  ]);
  return {
    policy: policyOf(file, isPlay),
    isPlayMoney: isPlay,
    channel,
    log,
    listed: async () => {
      const { listedRecipients } = await import('../checkout/listed-recipients.ts');
      return listedRecipients(deps, new URL(merchantUrl).origin);
    },
  };
}

/**
 * Refuses an unlisted host and a forbidden non-interactive payment before any request is sent.
 * @param merchant its name in the journal, and its base address
 * @throws {ScripError} HOST_NOT_ALLOWED, UNATTENDED_OFF, USAGE, POLICY_INVALID, SPENDING_UNKNOWN;
 * the codes of an existing wallet that cannot be used
 */
export async function checkMerchant(
  deps: SpendingDeps & Pick<ScripDeps, 'signer' | 'network'>,
  merchant: { readonly host: string; readonly url: string },
  hasKey: boolean,
): Promise<void> {
  const { channel, place } = deps;
  const address = (await walletIfThere(deps))?.address;
  const isPlay = await isPlayMoney(deps, { address, merchantUrl: merchant.url });
  const request = { merchant: merchant.host, isPlayMoney: isPlay, channel };
  const refusal = checkParty(policyOf(await readPolicyFile(deps), isPlay), request);
  if (refusal !== undefined) throw refusalError(refusal, request);
  if (!isPlay) checkRpcIsNamed(place, await networkOf(deps));
  if (isPlay || channel === 'terminal' || hasKey) return;
  const missing = ['--idempotency-key'];
  throw new ScripError('USAGE', t`Required option not given: ${missing.join(', ')}`, {
    hint: t`Non-interactive payments of real money need one, such as --idempotency-key gift-2026-11: the same key never buys twice.`,
    details: { missing },
  });
}

/** What the policy leaves for a purchase. */
export interface Headroom {
  readonly leftAtomic: Atomic;
  /** What the merchant may be paid in 24 hours. */
  readonly perDayAtomic: Atomic;
  /** Whether the amount is so large a part of the day's limit that the user must type it. */
  readonly isLarge: boolean;
}

/**
 * Returns what the policy leaves of the day.
 * @throws {ScripError} the refusal, if the policy does not allow the purchase
 */
export async function checkIntention(deps: MeasuringDeps, intention: Intention): Promise<Headroom> {
  const { policy } = deps.spending;
  const { leftAtomic } = await forecast(deps, intention);
  const amount = intention.usdcAtomic ?? atomic(0n);
  return { leftAtomic, perDayAtomic: dayLimit(policy), isLarge: isLarge(policy, amount) };
}

/**
 * The same for a payment whose products were checked earlier.
 * @param usdcAtomic undefined for another coin
 */
export async function roomOf(
  deps: MeasuringDeps,
  { merchant, usdcAtomic }: { readonly merchant: string; readonly usdcAtomic: Atomic | undefined },
): Promise<Headroom | undefined> {
  if (usdcAtomic === undefined) return undefined;
  const { policy } = deps.spending;
  return {
    leftAtomic: await leftOfDay(deps, merchant),
    perDayAtomic: dayLimit(policy),
    isLarge: isLarge(policy, usdcAtomic),
  };
}

function isLarge({ perDay }: Policy, amount: Atomic): boolean {
  return amount * 2n >= perDay && amount > 0n;
}

/**
 * Whether a payment is of test money. Outside this machine, a test-money wallet pays by the rules for real
 * money.
 * @param stake address of the wallet, if there is one; base address of the host to pay
 * @throws {ScripError} WALLET_UNSAFE, WALLET_INVALID for a mark that is not trustworthy
 */
export async function isPlayMoney(
  deps: { readonly place: Pick<Place, 'rpcs' | 'isSandboxKey'>; readonly playMarks: PlayMarks },
  { address, merchantUrl }: { readonly address: string | undefined; readonly merchantUrl: string },
): Promise<boolean> {
  const { place, playMarks } = deps;
  const rpcUrls = Object.values(place.rpcs).map(({ url }) => url);
  const isHere = [...rpcUrls, merchantUrl].every(isOnThisMachine);
  return isHere && (await isMarked(playMarks, address, place));
}

/**
 * Requires the user's own RPC. The RPC reports the day's spending and whether a payment is dead; with real
 * money, the merchant must not decide either. A merchant on this machine also provides the default RPC.
 * @throws {ScripError} SPENDING_UNKNOWN
 */
export function checkRpcIsNamed(
  { isEmbedded, rpcs, checkoutUrl }: Pick<Place, 'isEmbedded' | 'rpcs' | 'checkoutUrl'>,
  network: string,
): void {
  // The embedded chain runs in this process, so no merchant controls it.
  if (isEmbedded || rpcs[network]?.isNamed === true || !isOnThisMachine(checkoutUrl)) return;
  const { host } = new URL(checkoutUrl);
  const usual = Object.entries(USUAL_RPCS).find(([id]) => id === network)?.[1];
  throw new ScripError(
    'SPENDING_UNKNOWN',
    t`No RPC is set, and ${host} is not trusted to confirm its own payments; nothing was signed`,
    {
      hint:
        usual &&
        commandText`Name your own RPC of ${networkTitle(network)} with ${usual.option}, such as ${usual.option} ${usual.url}. If the wallet holds only test money: scrip wallet mark-play`,
    },
  );
}
