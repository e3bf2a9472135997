/** What decides a claim, and how often the chain is asked about it. */

import { describe, expect, test } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import type { Claim } from '../../src/domain/payment/claim.ts';
import { landedAtOf, type Until } from '../../src/rails/settling.ts';
import { EXPIRY_MARGIN_BLOCKS } from '../../src/rails/solana/fate.ts';
import type { SolanaRpc } from '../../src/rails/solana/rpc.ts';
import type { SignatureStatus } from '../../src/rails/solana/rpc-answers.ts';
import {
  followClaim,
  readOutcome,
  type SettlementParts,
} from '../../src/rails/solana/settlement.ts';
import { START_MS, skippingClock } from '../support/manual-clock.ts';
import { REQUIREMENT } from '../support/solana-payment.ts';

const LAST_HEIGHT = 1_000;
const CLAIM: Claim = {
  ...{ messageHash: 'message', transaction: 'tx', wire: 'AQID', state: 'submitting' },
  ...{ validUntil: LAST_HEIGHT, reason: null, createdAtMs: START_MS },
};
const MOST_LOOKS = 30;

type Status = SignatureStatus | null;

function status(commitment: SignatureStatus['commitment'], error: unknown = null): SignatureStatus {
  return { slot: 1, commitment, error };
}

/** The statuses of a transaction, look by look, and the last final block. */
type Shown = readonly [statuses: readonly Status[], height?: number];

/** A node that shows one status after the other; the last one stays. */
function node(statuses: readonly Status[], height = 0): SolanaRpc {
  let looks = 0;
  const rpc: Pick<SolanaRpc, 'signatureStatuses' | 'blockHeight'> = {
    signatureStatuses: async ([id]) => {
      const shown = statuses[Math.min(looks, statuses.length - 1)];
      looks += 1;
      return id === CLAIM.transaction && shown !== undefined ? [shown] : [];
    },
    blockHeight: async (commitment) => (commitment === 'finalized' ? height : Infinity),
  };
  return rpc as SolanaRpc;
}

describe('what the chain shows', () => {
  const OVER = LAST_HEIGHT + EXPIRY_MARGIN_BLOCKS + 1;
  const failure = { InstructionError: [2, 'Custom'] };
  const failed = { state: 'failed', reason: JSON.stringify(failure) };
  const expired = { state: 'expired', reason: expect.any(String) };
  const landed = { state: 'landed', reason: null };

  test.each<[string, Shown, Shown | undefined, 'confirmed' | 'finalized', unknown]>([
    ['nothing yet', [[null]], undefined, 'confirmed', 'absent'],
    ['no answer', [[], OVER], undefined, 'confirmed', expired],
    ['nothing at the last block', [[null], OVER - 1], undefined, 'confirmed', 'absent'],
    ['nothing after the last block', [[null], OVER], undefined, 'confirmed', expired],
    [
      'it at the second look',
      [[null, status('processed')], OVER],
      undefined,
      'confirmed',
      'absent',
    ],
    ['nothing, on two nodes', [[null], OVER], [[null], OVER], 'confirmed', expired],
    ['nothing, and one is behind', [[null], OVER], [[null], OVER - 1], 'confirmed', 'absent'],
    [
      'it late on the other',
      [[null], OVER],
      [[null, status('processed')], OVER],
      'confirmed',
      'absent',
    ],
    ['it processed', [[status('processed')]], undefined, 'confirmed', 'open'],
    ['it confirmed', [[status('confirmed')]], undefined, 'confirmed', landed],
    ['it confirmed, not final', [[status('confirmed')]], undefined, 'finalized', 'open'],
    ['it final', [[status('finalized')]], undefined, 'finalized', landed],
    ['it final where less is asked', [[status('finalized')]], undefined, 'confirmed', landed],
    ['it on the own node alone', [[status('finalized')]], [[null]], 'confirmed', 'open'],
    ['it on the other alone', [[null], OVER], [[status('finalized')], OVER], 'confirmed', 'open'],
    ['a failure', [[status('confirmed', failure)]], undefined, 'confirmed', 'open'],
    ['a final failure', [[status('finalized', failure)]], undefined, 'confirmed', failed],
    [
      'a final failure on one node',
      [[status('finalized', failure)]],
      [[status('confirmed', failure)]],
      'confirmed',
      'open',
    ],
    [
      'a failure that the other lacks',
      [[status('finalized', failure)]],
      [[null]],
      'confirmed',
      'open',
    ],
    [
      'a failure that the other denies',
      [[status('finalized', failure)]],
      [[status('finalized')]],
      'confirmed',
      'open',
    ],
    [
      'a final failure on both',
      [[status('finalized', failure)]],
      [[status('finalized', 'x')]],
      'confirmed',
      failed,
    ],
  ])('is %s', async (_what, own, other, landedAt, outcome) => {
    const nodes = { rpc: node(...own), witness: other && node(...other) };
    expect(await readOutcome(nodes, CLAIM, landedAt)).toEqual(outcome);
  });
});

interface Followed {
  readonly did: readonly string[];
  readonly outcome: unknown;
}

/** Follows the claim for a time; each look of the chain gets the next status, and an error is thrown. */
async function follow(
  shown: (look: number) => Status | Error,
  { until, ...more }: Partial<SettlementParts> & { readonly until?: Until } = {},
): Promise<Followed> {
  const clock = skippingClock();
  const did: string[] = [];
  let looks = 0;
  const rpc: Pick<SolanaRpc, 'signatureStatuses' | 'blockHeight' | 'send'> = {
    signatureStatuses: async () => {
      if (looks > MOST_LOOKS) throw new RangeError('it goes on');
      did.push(`look at ${clock.now() - START_MS}`);
      const seen = shown(looks);
      looks += 1;
      if (seen instanceof Error) throw seen;
      return [seen];
    },
    blockHeight: async () => 0,
    send: async (wire) => {
      did.push(`send ${Buffer.from(wire).toString('base64')} at ${clock.now() - START_MS}`);
      return CLAIM.transaction;
    },
  };
  const claims: SettlementParts['claims'] = {
    claim: async (claim) => claim,
    byMessage: async () => CLAIM,
    decide: async (messageHash, { state, reason }) => {
      did.push(`decide ${messageHash} ${state} ${reason}`);
      return undefined;
    },
  };
  const parts = { rpc: rpc as SolanaRpc, claims, clock, confirmTimeoutMs: 3_300, ...more };
  return { outcome: await followClaim(parts, CLAIM, until), did };
}

const LANDED = { state: 'landed', reason: null };
const down = new ScripError('CHAIN_UNREACHABLE', t`down`);

describe('a claim', () => {
  test('that is new is sent before the chain is asked, and again with every fourth look', async () => {
    expect(await follow(() => null, { until: { isNew: true } })).toEqual({
      outcome: undefined,
      did: [
        'send AQID at 0',
        ...['look at 50', 'look at 150', 'look at 300', 'look at 500', 'send AQID at 500'],
        ...['look at 800', 'look at 1300', 'look at 2300', 'look at 3300', 'send AQID at 3300'],
      ],
    });
  });

  test('that is not new is looked for first, and not sent where the chain shows it', async () => {
    const { did, outcome } = await follow((look) => status(look < 2 ? 'processed' : 'confirmed'));
    expect(did).toEqual(['look at 0', 'look at 50', 'look at 150', 'decide message landed null']);
    expect(outcome).toEqual(LANDED);
  });

  test('has to be final where that is asked', async () => {
    const shown = (look: number) => status(look < 1 ? 'confirmed' : 'finalized');
    const { did } = await follow(shown, { until: { landedAt: 'finalized' } });
    expect(did).toEqual(['look at 0', 'look at 50', 'decide message landed null']);
  });

  test('waits for the next block where that takes longer', async () => {
    const waits = [400, 0];
    const nextBlockMs = async () => waits.shift() ?? 0;
    const { did } = await follow((look) => status(look < 2 ? 'processed' : 'confirmed'), {
      nextBlockMs,
    });
    expect(did.slice(0, 3)).toEqual(['look at 0', 'look at 400', 'look at 500']);
  });

  test('is what another process decided before', async () => {
    const decided = { ...CLAIM, state: 'expired', reason: 'theirs' } as const;
    const claims = {
      claim: async () => CLAIM,
      byMessage: async () => CLAIM,
      decide: async () => decided,
    };
    const { outcome } = await follow(() => status('confirmed'), { claims });
    expect(outcome).toEqual({ ...decided });
  });

  test('is looked for once more when its caller gives up', async () => {
    const stop = new AbortController();
    const shown = (look: number) => {
      if (look === 1) stop.abort();
      return status('processed');
    };
    const { did, outcome } = await follow(shown, { until: { signal: stop.signal } });
    expect([did, outcome]).toEqual([['look at 0', 'look at 50'], undefined]);
    const clock = { ...skippingClock(), sleep: () => Promise.reject(new Error('aborted')) };
    const once = new AbortController();
    const late = (look: number) => {
      if (look === 2) once.abort();
      return status('processed');
    };
    expect((await follow(late, { until: { signal: once.signal }, clock })).did).toHaveLength(3);
  });

  test('stays open while the chain cannot be asked', async () => {
    const { did, outcome } = await follow((look) => (look < 2 ? down : status('confirmed')));
    expect(did).toEqual(['look at 0', 'look at 50', 'look at 150', 'decide message landed null']);
    expect(outcome).toEqual(LANDED);
  });

  test.each([
    new TypeError('ours'),
    new ScripError('INTERNAL', t`ours`),
    Object.assign(new Error('a code alone'), { code: 'CHAIN_UNREACHABLE' }),
  ])('fails with %s', async (error) => {
    await expect(follow(() => error)).rejects.toBe(error);
  });
});

test.each([
  [undefined, 'confirmed'],
  [25_500_001n, 'confirmed'],
  [25_500_000n, 'finalized'],
] as const)(
  'with %s as the least final amount, one of 25.5 counts once %s',
  (finalFromAtomic, at) => {
    expect(landedAtOf(REQUIREMENT, { finalFromAtomic })).toBe(at);
  },
);
