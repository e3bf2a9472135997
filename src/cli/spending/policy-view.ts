/** Shows the spending policy and what the wallet has spent, and checks an imagined payment against both. */

import { checkoutHostName } from '../../api/checkout/merchant.ts';
import { otherRails } from '../../api/paying.ts';
import { takeStock } from '../../api/payment/measure.ts';
import {
  checkRpcIsNamed,
  isPlayMoney,
  readPolicyFile,
  readSpending,
} from '../../api/payment/spending.ts';
import { walletIfThere } from '../../api/scrip.ts';
import { expected } from '../../domain/attempt.ts';
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
import type { With } from '../context.ts';
import { given, type Line, type RecordView } from '../output/view.ts';
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
    ...given(verbatim('mcp.askAbove'), mcp.askAbove === undefined ? undefined : usdc(mcp.askAbove)),
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
  const { recipients, kinds, minReserve } = wallet.policy;
  // Rules about values that were not given do not apply; without a wallet there is no balance to reserve.
  const policy = {
    ...wallet.policy,
    recipients: input.to === undefined ? undefined : recipients,
    kinds: input.kind === undefined ? undefined : kinds,
    minReserve: wallet.address === undefined ? ZERO : minReserve,
  };
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

function merchantOf({ settings }: With<'settings'>, host: string | undefined) {
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

type WalletSpending = Awaited<ReturnType<typeof walletSpending>>;

/**
 * Reads what the configured wallet has spent; without one, nothing. A wallet for test money cannot pay a live
 * host, so it counts as no wallet there.
 * @returns `problem`, why a payment would be refused now: the chain cannot be read, and the policy needs its data
 * @throws {ScripError} POLICY_INVALID, JOURNAL_UNUSABLE, and the codes of an existing but unusable wallet
 */
export async function walletSpending(
  context: ScripContext,
  merchantUrl = context.settings.checkoutUrl,
) {
  const { parts, settings, io } = context;
  const { clock } = parts;
  const deps = scripDeps(context);
  const signer = await walletIfThere(parts).catch(
    expected(() => undefined, 'WALLET_PROFILE_MISMATCH'),
  );
  const address = signer?.address;
  const isPlay = await isPlayMoney(deps, { address, merchantUrl });
  const file = await readPolicyFile(parts);
  const policy = policyOf(file, isPlay);
  const known = { address, isPlayMoney: isPlay, file, policy };
  const unread = { isChainCounted: false, balanceAtomic: undefined, problem: undefined };
  if (signer === undefined) {
    const history: SpendHistory = { spent: [], openIntents: 0, pendingAtomic: ZERO };
    return { ...known, ...unread, entries: [], history, nowMs: clock.now() };
  }
  const [spending, journal] = await Promise.all([
    readSpending(deps, { wallet: signer.address, merchantUrl }),
    parts.journal(signer),
  ]);
  const entries = await journal.all();
  const recorded = async (problem?: ScripError) => {
    const { held } = await spending.log.read();
    const nowMs = clock.now();
    return {
      ...known,
      ...unread,
      entries,
      history: historyOf({ entries, held, nowMs }),
      nowMs,
      problem,
    };
  };
  // Of test money only the balance is read from the chain.
  if (isPlay && policy.minReserve === ZERO) return recorded();
  try {
    const network = settings.payNetwork ?? (await parts.network());
    if (!isPlay) checkRpcIsNamed(settings, network);
    io.progress.step(t`Reading the wallet’s payments from the chain`);
    const [rail, payer] = await Promise.all([parts.rail(network), parts.payer(network)]);
    const others = () => otherRails(deps, { network, isChecked: !isPlay });
    const stock = await takeStock({ spending, journal, signer: payer, clock, rail, others });
    io.progress.done();
    // All USDC that left the wallet, not only by this machine's payments.
    return { ...known, entries, ...stock, isChainCounted: !isPlay, problem: undefined };
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'JOURNAL_UNUSABLE') throw error;
    return recorded(error);
  }
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
