/** Reads what the wallet has spent, for display: from the journal and, for real money, from the chain too. */

import { type MeasuringDeps, type Stock, takeStock } from '../../api/payment/measure.ts';
import { checkRpcIsNamed, isPlayMoney } from '../../api/payment/play-money.ts';
import { readPolicyFile, readSpending, type SpendingOptions } from '../../api/payment/spending.ts';
import { walletIfThere } from '../../api/wallet-if-there.ts';
import { ScripError } from '../../domain/errors.ts';
import type { Entry, Journal } from '../../domain/journal.ts';
import { type Message, t } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import { type Policy, usdcText } from '../../domain/policy.ts';
import { type PolicyFile, policyOf } from '../../domain/policy-file.ts';
import { historyOf } from '../../domain/spend-log.ts';
import { headroom, type SpendHistory } from '../../domain/spending.ts';
import type { Signer } from '../../rails/rail.ts';
import type { With } from '../context.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

const ZERO = atomic(0n);

/** What the configured wallet has spent; empty without a wallet. */
export interface WalletSpending {
  readonly address: string | undefined;
  readonly isPlayMoney: boolean;
  readonly file: PolicyFile;
  readonly policy: Policy;
  readonly entries: readonly Entry[];
  readonly history: SpendHistory;
  readonly nowMs: number;
  /**
   * Whether the history counts all USDC that left the wallet on the chain, not only this machine's payments.
   */
  readonly isChainCounted: boolean;
  /** Only read if the policy has a minimum reserve. */
  readonly balanceAtomic?: Atomic | undefined;
  /** Why a payment would be refused now: the chain cannot be read, and the policy needs its data. */
  readonly problem?: ScripError;
}

/**
 * The wallet whose spending is shown; undefined without one. A wallet for test money cannot pay a live host,
 * so it counts as no wallet there.
 */
export async function payerIfThere({ parts }: With<'parts'>): Promise<Signer | undefined> {
  try {
    return await walletIfThere(parts);
  } catch (error) {
    if (error instanceof ScripError && error.code === 'WALLET_PROFILE_MISMATCH') return undefined;
    throw error;
  }
}

/**
 * Reads what the wallet has spent.
 * @throws {ScripError} POLICY_INVALID, JOURNAL_UNUSABLE, and the codes of an existing but unusable wallet
 */
export async function walletSpending(context: ScripContext): Promise<WalletSpending> {
  const merchantUrl = context.settings.checkoutUrl;
  const signer = await payerIfThere(context);
  const address = signer?.address;
  const isPlay = await isPlayMoney(scripDeps(context), { address, merchantUrl });
  const file = await readPolicyFile(context.parts);
  const common = { address, isPlayMoney: isPlay, file, policy: policyOf(file, isPlay) };
  if (signer === undefined) return { ...common, ...nothingSpent(context) };
  const deps = await countingDeps(context, { signer, merchantUrl });
  const entries = await deps.journal.all();
  try {
    return { ...common, entries, ...(await readStock(context, deps)) };
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'JOURNAL_UNUSABLE') throw error;
    return { ...common, entries, ...(await readRecords(context, deps)), problem: error };
  }
}

export function nothingSpent({ parts: { clock } }: With<'parts'>) {
  const history: SpendHistory = { spent: [], openIntents: 0, pendingAtomic: ZERO };
  return { entries: [], history, nowMs: clock.now(), isChainCounted: false };
}

type Counted = Pick<WalletSpending, 'history' | 'nowMs' | 'isChainCounted'> &
  Partial<Pick<Stock, 'balanceAtomic'>>;
type CountingDeps = Pick<MeasuringDeps, 'spending' | 'signer'> & {
  readonly journal: Pick<Journal, 'all' | 'recent'>;
};

export async function countingDeps(
  context: ScripContext,
  options: SpendingOptions,
): Promise<CountingDeps> {
  const { signer } = options;
  const [spending, journal] = await Promise.all([
    readSpending(scripDeps(context), options),
    context.parts.journal(signer),
  ]);
  return { spending, journal, signer };
}

/**
 * Measures as payments do. For test money reads only the balance from the chain.
 * @throws {ScripError} as `takeStock`
 */
export async function readStock(
  context: With<'settings' | 'io' | 'parts'>,
  deps: CountingDeps,
): Promise<Counted> {
  const { isPlayMoney: isPlay, policy } = deps.spending;
  if (isPlay && policy.minReserve === ZERO) return readRecords(context, deps);
  if (!isPlay) checkRpcIsNamed(context.settings);
  context.io.progress.step(t`Reading the wallet’s payments from the chain`);
  const rail = await context.parts.rail();
  const stock = await takeStock({ ...deps, clock: context.parts.clock, rail });
  context.io.progress.done();
  return { ...stock, isChainCounted: !isPlay };
}

/** Reads only this machine's records. */
async function readRecords(
  { parts: { clock } }: With<'parts'>,
  { spending, journal }: CountingDeps,
): Promise<Counted> {
  const { held } = await spending.log.read();
  const entries = await journal.all();
  const nowMs = clock.now();
  return { history: historyOf({ entries, held, nowMs }), nowMs, isChainCounted: false };
}

/** What may still be spent at a merchant within 24 hours; zero if a payment would be refused. */
export function leftAt({ policy, history, problem, ...now }: WalletSpending, merchant: string) {
  return usdcText(problem === undefined ? headroom(policy, history, { ...now, merchant }) : ZERO);
}

/** What was counted, for the user. */
export function countedText({ isChainCounted, problem }: WalletSpending): Message {
  if (problem !== undefined) return t`the payments of this machine; ${problem.sentence}`;
  return isChainCounted
    ? t`the payments of this machine, and all USDC that left the wallet on the chain`
    : t`the payments of this machine`;
}
