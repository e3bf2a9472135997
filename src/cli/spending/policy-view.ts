/** Shows the spending policy and what the wallet has spent, and checks an imagined payment against both. */

import { checkoutHostName } from '../../api/checkout/merchant.ts';
import { type MeasuringDeps, takeStock } from '../../api/payment/measure.ts';
import {
  checkRpcIsNamed,
  isPlayMoney,
  readPolicyFile,
  readSpending,
  type SpendingOptions,
} from '../../api/payment/spending.ts';
import { walletIfThere } from '../../api/scrip.ts';
import { expected } from '../../domain/attempt.ts';
import type { Entry, Journal } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t, verbatim } from '../../domain/message/message.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import { padCents } from '../../domain/money/shown-amount.ts';
import { type Policy, usdcText } from '../../domain/policy/policy.ts';
import { type PolicyFile, policyOf, policyRecord } from '../../domain/policy/policy-file.ts';
import { refusalError } from '../../domain/policy/refusal.ts';
import { historyOf } from '../../domain/policy/spend-log.ts';
import { checkRules, type SpendRequest } from '../../domain/policy/spend-rules.ts';
import {
  checkSpending,
  DAY_MS,
  headroom,
  type SpendHistory,
  spentSince,
} from '../../domain/policy/spending.ts';
import type { Signer } from '../../rails/rail.ts';
import type { With } from '../context.ts';
import type { Line, RecordView } from '../output/view.ts';
import type { ShownPolicy } from '../schemas/machine.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { moneyText } from '../settings/config-change.ts';

const ZERO = atomic(0n);

/** Shows every rule with its source, and how much may still be spent today. */
export async function policyView(context: ScripContext): Promise<RecordView> {
  const {
    settings,
    parts: { policyFile },
  } = context;
  const wallet = await walletSpending(context);
  const { address, isPlayMoney: isPlay, file, policy, history, nowMs, isChainCounted } = wallet;
  const today = {
    spent: usdcText(spentSince(history, nowMs - DAY_MS)),
    left: leftAt(wallet, checkoutHostName(settings)),
    open_payments: history.openIntents,
    counted: isChainCounted ? 'chain' : 'journal',
  } satisfies ShownPolicy['today'];
  const stated = statedKeys(file);
  return {
    kind: 'record',
    record: {
      path: policyFile.path,
      money: isPlay ? 'play' : 'real',
      policy: policyRecord(policy),
      stated: [...stated],
      wallet: address ?? null,
      today,
    },
    title: isPlay
      ? t`Rules for test money. Real money has the rules set in the file and stricter defaults.`
      : t`Rules for real money.`,
    lines: [
      ...ruleLines(policy).map(([key, value]) => {
        const isStated = stated.has(String(key));
        return [key, isStated ? value : t`${value} (default)`] as const;
      }),
      ...hostLines(policy),
      [t`Money`, moneyText(isPlay ? 'play' : 'real')],
      [t`Spent`, t`${padCents(today.spent)} USDC in 24 hours`],
      [t`Left`, `${padCents(today.left)} USDC`],
      [t`Counted from`, countedText(wallet)],
      [t`Policy file`, policyFile.path],
    ],
  };
}

function statedKeys(file: PolicyFile): ReadonlySet<string> {
  const nested = (['nonInteractive', 'mcp'] as const).flatMap((part) =>
    Object.keys(file[part] ?? {}).map((key) => `${part}.${key}`),
  );
  return new Set([...Object.keys(file), ...nested]);
}

function ruleLines(policy: Policy): readonly Line[] {
  const { nonInteractive, mcp } = policy;
  const usdc = (amount: Atomic) => `${usdcText(amount)} USDC`;
  return [
    [verbatim('perOrder'), usdc(policy.perOrder)],
    [verbatim('perDay'), usdc(policy.perDay)],
    [verbatim('perMerchantPerDay'), usdc(policy.perMerchantPerDay)],
    [verbatim('maxOpenIntents'), String(policy.maxOpenIntents)],
    [verbatim('minReserve'), usdc(policy.minReserve)],
    [verbatim('recipients'), policy.recipients?.join(', ') ?? t`anyone`],
    [verbatim('kinds'), policy.kinds?.join(', ') ?? t`any kind`],
    [verbatim('nonInteractive.enabled'), String(nonInteractive.enabled)],
    [verbatim('nonInteractive.perOrder'), usdc(nonInteractive.perOrder)],
    [verbatim('mcp.pay'), mcp.pay],
    [verbatim('mcp.revealCodes'), mcp.revealCodes ? t`only with --reveal-codes` : t`never`],
  ];
}

function hostLines({ hosts }: Policy): readonly Line[] {
  if (hosts === undefined) return [[verbatim('hosts'), t`any sandbox on this machine`]];
  if (hosts.size === 0) return [[verbatim('hosts'), t`none`]];
  return [...hosts].map(([host, { payTo, feePayers, memo }]) => {
    const to = typeof payTo === 'string' ? payTo : payTo.join(', ');
    const through = feePayers === undefined ? '' : t`; fee payers ${feePayers.join(', ')}`;
    return [
      verbatim(`hosts.${host}`),
      t`pay to ${to}${through}${memo === 'off' ? t`; no memo` : ''}`,
    ];
  });
}

interface CheckInput {
  readonly amountAtomic: Atomic;
  readonly host: string | undefined;
  readonly to: string | undefined;
  readonly kind: string | undefined;
  readonly unattended: boolean | undefined;
}

/**
 * Checks a payment that is only imagined.
 * @throws {ScripError} the refusal if a rule refuses it; for real money also errors of reading the chain
 */
export async function checkView(context: ScripContext, input: CheckInput): Promise<RecordView> {
  const { merchant, merchantUrl } = merchantOf(context, input.host);
  const wallet = await walletSpending(context, merchantUrl);
  const { isPlayMoney: isPlay, history, nowMs, balanceAtomic, problem } = wallet;
  // Without a wallet there is no balance to reserve.
  const reserve = wallet.address === undefined ? { minReserve: ZERO } : {};
  const policy = { ...wallet.policy, ...reserve, ...unnamed(input) };
  const request: SpendRequest = {
    amountAtomic: input.amountAtomic,
    merchant,
    isPlayMoney: isPlay,
    channel: input.unattended === true ? 'unattended' : 'terminal',
    kinds: input.kind === undefined ? [] : [input.kind],
    recipients: input.to === undefined ? [] : [input.to],
    nowMs,
  };
  const refusal = checkRules(policy, request);
  if (refusal !== undefined) throw refusalError(refusal, request);
  if (problem !== undefined) throw problem;
  const decision = checkSpending(policy, history, { ...request, balanceAtomic });
  if (decision.kind === 'refused') throw refusalError(decision, request);
  const left = usdcText(decision.remainingAtomic);
  return {
    kind: 'record',
    record: { allowed: true, amount: usdcText(input.amountAtomic), merchant, left_after: left },
    lines: [
      [t`Allowed`, t`${usdcText(input.amountAtomic)} USDC to ${merchant}`],
      [t`Left after`, t`${left} USDC in 24 hours`],
    ],
  };
}

/** Drops rules about values that the user did not give. */
function unnamed({ to, kind }: CheckInput): Partial<Policy> {
  return {
    ...(to === undefined ? { recipients: undefined } : {}),
    ...(kind === undefined ? { kinds: undefined } : {}),
  };
}

function merchantOf(
  { settings }: With<'settings'>,
  host: string | undefined,
): { readonly merchant: string; readonly merchantUrl: string } {
  if (host === undefined) {
    return { merchant: checkoutHostName(settings), merchantUrl: settings.checkoutUrl };
  }
  const address = host.includes('://') ? host : `https://${host}`;
  if (!URL.canParse(address)) {
    throw new ScripError('INPUT_INVALID', t`"${host}" is not a host such as x402.example`);
  }
  const { origin } = new URL(address);
  return { merchant: origin, merchantUrl: origin };
}

/** What the configured wallet has spent; empty without a wallet. */
interface WalletSpending {
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
function payerIfThere({ parts }: With<'parts'>): Promise<Signer | undefined> {
  return walletIfThere(parts).catch(expected(() => undefined, 'WALLET_PROFILE_MISMATCH'));
}

/**
 * Reads what the wallet has spent.
 * @throws {ScripError} POLICY_INVALID, JOURNAL_UNUSABLE, and the codes of an existing but unusable wallet
 */
export async function walletSpending(
  context: ScripContext,
  merchantUrl = context.settings.checkoutUrl,
): Promise<WalletSpending> {
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

function nothingSpent({ parts: { clock } }: With<'parts'>) {
  const history: SpendHistory = { spent: [], openIntents: 0, pendingAtomic: ZERO };
  return { entries: [], history, nowMs: clock.now(), isChainCounted: false };
}

type Counted = Pick<WalletSpending, 'history' | 'nowMs' | 'isChainCounted'> &
  Partial<Pick<Awaited<ReturnType<typeof takeStock>>, 'balanceAtomic'>>;
type CountingDeps = Pick<MeasuringDeps, 'spending' | 'signer'> & {
  readonly journal: Pick<Journal, 'all' | 'recent'>;
};

async function countingDeps(
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
async function readStock(
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
