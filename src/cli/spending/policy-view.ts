/** Shows the spending policy, and checks an imagined payment against it. */

import { checkoutHostName } from '../../api/checkout/merchant.ts';
import { isPlayMoney } from '../../api/payment/play-money.ts';
import { readPolicyFile } from '../../api/payment/spending.ts';
import { ScripError } from '../../domain/errors.ts';
import { t, verbatim } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import { type Policy, usdcText } from '../../domain/policy.ts';
import { type PolicyFile, policyOf, policyRecord } from '../../domain/policy-file.ts';
import { refusalError } from '../../domain/refusal.ts';
import { padCents } from '../../domain/shown-amount.ts';
import { checkRules, type SpendRequest } from '../../domain/spend-rules.ts';
import { checkSpending, DAY_MS, spentSince } from '../../domain/spending.ts';
import type { With } from '../context.ts';
import type { Line, RecordView } from '../output/view.ts';
import type { ShownPolicy } from '../schemas/machine.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { moneyText } from '../settings/money.ts';
import {
  countedText,
  countingDeps,
  leftAt,
  nothingSpent,
  payerIfThere,
  readStock,
  walletSpending,
} from './wallet-spending.ts';

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

export interface CheckInput {
  readonly amountAtomic: Atomic;
  readonly host?: string;
  readonly to?: string;
  readonly kind?: string;
  readonly unattended?: boolean;
}

/**
 * Checks a payment that is only imagined.
 * @throws {ScripError} the refusal if a rule refuses it; for real money also errors of reading the chain
 */
export async function checkView(context: ScripContext, input: CheckInput): Promise<RecordView> {
  const { merchant, merchantUrl } = merchantOf(context, input.host);
  const signer = await payerIfThere(context);
  const isPlay = await isPlayMoney(scripDeps(context), { address: signer?.address, merchantUrl });
  const file = policyOf(await readPolicyFile(context.parts), isPlay);
  // Without a wallet there is no balance to reserve.
  const reserve = signer === undefined ? { minReserve: ZERO } : {};
  const policy = { ...file, ...reserve, ...unnamed(input) };
  const request: SpendRequest = {
    amountAtomic: input.amountAtomic,
    merchant,
    isPlayMoney: isPlay,
    channel: input.unattended === true ? 'unattended' : 'terminal',
    kinds: input.kind === undefined ? [] : [input.kind],
    recipients: input.to === undefined ? [] : [input.to],
    nowMs: context.parts.clock.now(),
  };
  const refusal = checkRules(policy, request);
  if (refusal !== undefined) throw refusalError(refusal, request);
  const { history, ...now } =
    signer === undefined
      ? nothingSpent(context)
      : await readStock(context, await countingDeps(context, { signer, merchantUrl }));
  const decision = checkSpending(policy, history, { ...request, ...now });
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
