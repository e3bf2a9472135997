/** Changes a policy key by key, and detects changes that loosen it. */

import { commandText, wordList } from '../message/command-text.ts';
import { ScripError } from '../message/errors.ts';
import { joined, t } from '../message/message.ts';
import type { Atomic } from '../money/money.ts';
import { checkThousands } from '../money/money.ts';
import { nearest } from '../product/catalog-query.ts';
import { AGENT_PAY, type HostRule, type Policy } from './policy.ts';
import { type PolicyFile, parsePolicyJson, policyRecord, readPolicy } from './policy-file.ts';

/** The keys that `scrip policy set` accepts; a host's key is `hosts.<host>`. */
export const POLICY_KEYS = [
  'perOrder',
  'perDay',
  'perMerchantPerDay',
  'maxOpenIntents',
  'minReserve',
  'recipients',
  'kinds',
  'nonInteractive.enabled',
  'nonInteractive.perOrder',
  'mcp.pay',
  'mcp.revealCodes',
  'mcp.askAbove',
] as const;

/**
 * Returns the file with one key changed.
 * @param typed an amount, `true`, a comma-separated list, or JSON; `default` removes the key. For
 * `hosts.<host>`: `any`, `manifest`, addresses, a rule in JSON, or `off`
 * @throws {ScripError} POLICY_INVALID; INPUT_INVALID for an unknown key
 */
export function setPolicyKey(file: PolicyFile, key: string, typed: string): PolicyFile {
  const isHostKey = key.startsWith('hosts.');
  if (!isHostKey && !POLICY_KEYS.some((known) => known === key)) {
    const [near] = nearest(POLICY_KEYS, key, 1);
    const meant = near === undefined ? [] : [commandText`Did you mean ${near}?`];
    throw new ScripError('INPUT_INVALID', t`"${key}" is not a policy key`, {
      hint: joined(
        [...meant, commandText`Keys are ${wordList(POLICY_KEYS)} and hosts.<host>.`],
        ' ',
      ),
    });
  }
  const path = isHostKey ? ['hosts', key.slice('hosts.'.length)] : key.split('.');
  const value = isHostKey ? hostValue(typed) : typedValue(key, typed);
  const changed = withPath(policyRecord(file), path, value);
  try {
    return readPolicy(changed, { source: t`The policy`, key: '' });
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    // The file was valid before, so the given value is at fault.
    throw new ScripError(error.code, error.sentence, {
      cause: error,
      hint: t`Nothing was changed. scrip policy set --help lists the allowed values.`,
    });
  }
}

function hostValue(typed: string): unknown {
  if (typed === 'off' || typed === 'default') return undefined;
  if (typed.startsWith('{')) return parsePolicyJson(typed, t`the rule`);
  return { payTo: typed === 'any' || typed === 'manifest' ? typed : listOf(typed) };
}

function typedValue(key: string, typed: string): unknown {
  if (typed === 'default') return undefined;
  if (key === 'recipients' || key === 'kinds') return listOf(typed);
  if (key === 'maxOpenIntents') return /^\d{1,7}$/.test(typed) ? Number(typed) : typed;
  if (typed === 'true' || typed === 'false') return typed === 'true';
  checkThousands(typed);
  return typed;
}

function listOf(typed: string): readonly string[] {
  return typed
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** Returns a copy with another value at a path, or without the key if the value is undefined. */
function withPath(
  source: Readonly<Record<string, unknown>>,
  [head = '', ...rest]: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  const inner = source[head];
  const below = typeof inner === 'object' && inner !== null ? { ...inner } : {};
  const next = rest.length === 0 ? value : withPath(below, rest, value);
  const others = Object.entries(source).filter(([key]) => key !== head);
  return Object.fromEntries(next === undefined ? others : [...others, [head, next]]);
}

/** Returns the keys with which a change newly allows something; empty for one that only restricts. */
export function loosened(before: Policy, after: Policy): readonly string[] {
  const isMore: Readonly<Record<string, boolean>> = {
    perOrder: after.perOrder > before.perOrder,
    perDay: after.perDay > before.perDay,
    perMerchantPerDay: after.perMerchantPerDay > before.perMerchantPerDay,
    maxOpenIntents: after.maxOpenIntents > before.maxOpenIntents,
    minReserve: after.minReserve < before.minReserve,
    recipients: isWider(before.recipients, after.recipients),
    kinds: isWider(before.kinds, after.kinds),
    'nonInteractive.enabled': after.nonInteractive.enabled && !before.nonInteractive.enabled,
    'nonInteractive.perOrder': after.nonInteractive.perOrder > before.nonInteractive.perOrder,
    'mcp.pay': AGENT_PAY.indexOf(after.mcp.pay) > AGENT_PAY.indexOf(before.mcp.pay),
    'mcp.revealCodes': after.mcp.revealCodes && !before.mcp.revealCodes,
    'mcp.askAbove': isAskedLess(before.mcp.askAbove, after.mcp.askAbove),
  };
  const keys = Object.keys(isMore).filter((key) => isMore[key]);
  return [...keys, ...looserHosts(before, after)];
}

/** Without an amount nothing is asked. */
function isAskedLess(before: Atomic | undefined, after: Atomic | undefined): boolean {
  return before !== undefined && (after === undefined || after > before);
}

/** An omitted list allows everything. */
function isWider(
  before: readonly string[] | undefined,
  after: readonly string[] | undefined,
): boolean {
  if (before === undefined) return false;
  return after === undefined || after.some((one) => !before.includes(one));
}

/**
 * Ours: removing a host's rule, or only narrowing its `payTo`, needs no confirmation; any other change to it
 * does.
 */
function looserHosts(before: Policy, after: Policy): readonly string[] {
  const { hosts } = before;
  // Before, any host could be paid; listing some only restricts.
  if (hosts === undefined) return [];
  return [...(after.hosts ?? [])]
    .filter(([host, rule]) => !isWithin(hosts.get(host), rule))
    .map(([host]) => `hosts.${host}`);
}

function isWithin(before: HostRule | undefined, after: HostRule): boolean {
  if (before === undefined) return false;
  const isElseSame = JSON.stringify(besidesPayTo(before)) === JSON.stringify(besidesPayTo(after));
  return isElseSame && paysWithin(before.payTo, after.payTo);
}

function besidesPayTo({ network, mint, feePayers, memo }: HostRule): readonly unknown[] {
  return [network, mint, feePayers ?? null, memo];
}

/**
 * Whether `payTo` allows no more than before. The host controls what its manifest lists, so `manifest` is
 * never comparable with a list.
 */
function paysWithin(before: HostRule['payTo'], after: HostRule['payTo']): boolean {
  if (before === 'any' || before === after) return true;
  if (typeof before === 'string' || typeof after === 'string') return false;
  return after.every((address) => before.includes(address));
}
