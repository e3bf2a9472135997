/** What `scrip doctor` says of a machine. */

import { describe, expect, it } from 'vitest';
import type { FolderState } from '../../src/cli/context.ts';
import {
  clockCheck,
  diskCheck,
  environmentChecks,
  folderChecks,
  nodeCheck,
} from '../../src/cli/doctor/examination.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { Survey } from '../../src/domain/journal/journal-care.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import type { NodeHealth } from '../../src/rails/rail.ts';
import { stubRail } from '../support/rails.ts';
import {
  type ContextParts,
  cannedFetch,
  merged,
  smallContext,
  smallHost,
} from '../support/small-context.ts';

const states = (findings: readonly { readonly state: string }[]) =>
  findings.map(({ state }) => state);

describe('the machine', () => {
  it.each([
    ['20.19.0', 'ok'],
    ['20.18.3', 'fail'],
    ['18.20.0', 'fail'],
    ['22.1.0', 'ok'],
    ['26.0.0', 'ok'],
  ])('with Node %s is %s', (nodeVersion, state) => {
    expect(nodeCheck({ nodeVersion }).state).toBe(state);
  });

  it.each([
    ['NODE_OPTIONS', '--require ./canary.cjs', 'warn'],
    ['NODE_EXTRA_CA_CERTS', '/canary', 'warn'],
    ['SSLKEYLOGFILE', '/canary', 'warn'],
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0', 'fail'],
  ])('names the variable %s and never its value', (name, value, state) => {
    const found = environmentChecks({ variable: (one) => (one === name ? value : undefined) });
    expect(states(found)).toEqual([state]);
    expect(String(found[0]?.detail)).toContain(name);
    expect(JSON.stringify(found)).not.toContain('canary');
  });

  it.each([['1'], ['']])('verifies certificates with NODE_TLS_REJECT_UNAUTHORIZED=%j', (value) => {
    const variable = (one: string) => (one === 'NODE_TLS_REJECT_UNAUTHORIZED' ? value : undefined);
    expect(states(environmentChecks({ variable }))).toEqual(['ok']);
  });

  const good: FolderState = { isFolder: true, mode: 0o700, owner: 'self', freeBytes: 1e9 };
  const folders: readonly (readonly [string, FolderState | undefined, readonly string[]])[] = [
    ['is not there yet', undefined, ['ok']],
    ['is private', good, ['ok']],
    ['can be read by others', { ...good, mode: 0o755 }, ['warn']],
    ['can be written by others', { ...good, mode: 0o720 }, ['fail']],
    ['is of another user', { ...good, owner: 'other' }, ['fail']],
    ['is root’s, as volumes of containers are', { ...good, owner: 'root', mode: 0o777 }, ['warn']],
    ['is a file', { ...good, isFolder: false }, ['fail']],
  ];
  it.each(folders)('whose state folder %s', (_what, state, expected) => {
    expect(states(folderChecks('state', '/x', state))).toEqual(expected);
  });

  it.each([
    [undefined, []],
    [{ ...good, isFolder: false }, []],
    [good, [{ state: 'ok', detail: '1.0 GB free at /x' }]],
    [{ ...good, freeBytes: 10_000_000 }, [{ state: 'warn', detail: '10.0 MB free at /x' }]],
    [{ ...good, freeBytes: 4_096 }, [{ state: 'fail', detail: '4 kB free at /x' }]],
  ])('with a disk of which %j is known', (state, expected) => {
    expect(diskCheck('/x', state)).toMatchObject(expected);
  });

  it.each([
    [0, 'ok'],
    [-29_000, 'ok'],
    [45_000, 'warn'],
    [-61_000, 'fail'],
    [31_536_000_000, 'fail'],
  ])('with a clock that is off by %i ms', (offMs, state) => {
    expect(clockCheck(1e12 + offMs, t`the service`, 1e12).state).toBe(state);
  });
});

const WHOLE: Survey = { whole: [], damaged: [], spendLogProblem: null, isRepairPending: false };
const LEFT = {
  folder: 'f',
  problem: 'its checksum does not match',
  intent: undefined,
  attempts: [],
  facts: [],
  lostAttempts: [],
};
const NODE: NodeHealth = {
  name: t`the RPC`,
  problem: null,
  isNetwork: true,
  hasAsset: true,
  block: 9,
};

async function doctor(parts: ContextParts, survey: Survey = WHOLE, node: NodeHealth = NODE) {
  const { fetch } = cannedFetch({ '/.well-known/x402.json': {} });
  const unasked = () => Promise.reject(new Error('nobody asks'));
  const host = smallHost(
    merged(
      {
        keys: {
          wallets: {
            ...smallContext().keys.wallets,
            open: async () => ({ address: 'wallet', sign: unasked }),
          },
        },
        parts: {
          fetch,
          signer: async () => ({ address: 'wallet', sign: unasked }),
          journal: async () => ({
            open: unasked,
            byKey: unasked,
            all: async () => [],
            recent: async () => [],
            addAttempt: unasked,
            addFact: unasked,
          }),
          journalCare: async () => ({
            forgetGoods: unasked,
            rebuild: unasked,
            survey: async () => survey,
          }),
          rail: async () => stubRail({ health: async () => ({ nodes: [node], timeMs: null }) }),
        },
      },
      parts,
    ),
  );
  const exit = await runProgram(['doctor', '--json'], host);
  const { ok, checks } = JSON.parse(host.stdout.text());
  const stderr = host.stderr.text();
  return { exit, ok, checks, error: stderr === '' ? undefined : JSON.parse(stderr).error };
}

describe('scrip doctor', () => {
  it('ends well where everything is', async () => {
    const { exit, ok, checks, error } = await doctor({});
    expect({ exit, ok, error }).toEqual({ exit: 0, ok: true, error: undefined });
    expect(checks.map(({ check }: { check: string }) => check)).toEqual([
      'node',
      'environment',
      'wallet',
      'policy',
      'state',
      'journal',
      'service',
      'manifest',
      'rpc',
      'usdc',
      'clock',
    ]);
    for (const check of checks) expect(check).toMatchObject({ state: 'ok', fix: null });
  });

  const refuse = (code: 'WALLET_MISSING' | 'WALLET_UNSAFE') => ({
    keys: {
      wallets: {
        ...smallContext().keys.wallets,
        open: () => Promise.reject(new ScripError(code, t`the file`)),
      },
    },
  });
  const away = () => Promise.reject(new ScripError('NETWORK_UNREACHABLE', t`away`));

  const cases: readonly (readonly [
    what: string,
    parts: ContextParts,
    survey: Survey,
    node: NodeHealth,
    exit: number,
    failed: readonly string[],
  ])[] = [
    ['no wallet', refuse('WALLET_MISSING'), WHOLE, NODE, 0, []],
    ['a wallet that others read', refuse('WALLET_UNSAFE'), WHOLE, NODE, 13, ['wallet']],
    ['a damaged record', {}, { ...WHOLE, damaged: [LEFT] }, NODE, 13, ['journal']],
    ['a repair cut off', {}, { ...WHOLE, isRepairPending: true }, NODE, 13, ['journal']],
    ['a damaged spend log', {}, { ...WHOLE, spendLogProblem: 'x' }, NODE, 13, ['journal']],
    [
      'a policy that cannot be read',
      {
        parts: {
          policyFile: { ...smallContext().parts.policyFile, read: async () => '{"perOrdr":"5"}' },
        },
      },
      WHOLE,
      NODE,
      2,
      ['policy'],
    ],
    ['a service that is away', { parts: { fetch: away } }, WHOLE, NODE, 4, ['service']],
    ['an RPC that is away', {}, WHOLE, { ...NODE, problem: t`away` }, 4, ['rpc']],
    ['another chain', {}, WHOLE, { ...NODE, isNetwork: false }, 4, ['rpc']],
    ['no USDC', {}, WHOLE, { ...NODE, hasAsset: false }, 4, ['usdc']],
    [
      'the worst of two',
      { parts: { fetch: away } },
      { ...WHOLE, damaged: [LEFT] },
      NODE,
      13,
      ['journal', 'service'],
    ],
  ];
  it.each(cases)('of %s', async (_what, parts, survey, node, exit, failed) => {
    const result = await doctor(parts, survey, node);
    expect(result.exit).toBe(exit);
    expect(result.ok).toBe(failed.length === 0);
    expect(result.error?.details.failed ?? []).toEqual(failed);
    for (const check of result.checks) {
      expect(check.state === 'ok' ? 'nothing' : String(check.fix)).toMatch(/\w/);
    }
  });

  it.each([
    [{ status: 404, json: {} }, 'ok', 'the built-in sandbox lists no receiving wallets'],
    [
      { payTo: ['a', 'b'], accepts: [{ payTo: 'a' }] },
      'ok',
      'receiving wallets that the built-in sandbox lists: 2',
    ],
    [{}, 'ok', 'the built-in sandbox lists no receiving wallets'],
    [[1], 'warn', 'the receiving wallets that the built-in sandbox lists cannot be read'],
  ])('looks into the manifest: %j', async (manifest, state, detail) => {
    const { fetch } = cannedFetch({ '/.well-known/x402.json': manifest });
    const { checks } = await doctor({ parts: { fetch } });
    expect(checks).toContainEqual(expect.objectContaining({ check: 'manifest', state, detail }));
  });

  it('says what of the policy is set', async () => {
    const read = async () => '{"perOrder":"5","perDay":"20"}';
    const policyFile = { ...smallContext().parts.policyFile, read };
    const { checks } = await doctor({ parts: { policyFile } });
    const detail = '/home/ada/.config/scrip/policy.json is valid; rules set: 2';
    expect(checks).toContainEqual({ check: 'policy', state: 'ok', detail, fix: null });
  });

  it('says of a damaged journal that money may be at risk and how to mend it', async () => {
    const { error } = await doctor({}, { ...WHOLE, damaged: [LEFT] });
    expect(error).toMatchObject({
      code: 'JOURNAL_UNUSABLE',
      funds_at_risk: 'possible',
      hint: expect.stringContaining('scrip doctor --repair'),
    });
  });
});
