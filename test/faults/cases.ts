/** What is tried: the matrix, the pairs, every hit of every point, and cases drawn from a seed. */
import {
  CLIENT_POINTS,
  type ClientPoint,
  FEE_POINTS,
  REFUND_POINTS,
  SERVICE_POINTS,
} from '../../src/domain/journal/fail-points.ts';
import { hash32, mix } from '../../src/sandbox/catalog/draw.ts';
import type { Breakage } from './broken-buyers.ts';
import { ALWAYS, NETWORK_MODES, type NetworkFault, PHASES } from './fault-proxy.ts';
import { BROKEN_REFUNDS, REFUND_KINDS, type RefundKind } from './refund-case.ts';

/** One run of the buyer's program. */
export interface Run {
  readonly dieAt?: string;
  readonly network?: readonly NetworkFault[];
  readonly shopDiesAt?: string;
  readonly clockOffsetMs?: number;
  /** What the chain does from the payment on. */
  readonly chain?: ChainTrouble;
}

/** Of Base: its newest blocks are replaced over and over, or no more become final while the run lasts. */
export type ChainTrouble = 'reorganized' | 'not final';

/** One purchase: these runs, one after the other, and then as many quiet ones as it takes. */
export interface Case {
  readonly name: string;
  readonly runs: readonly Run[];
  /** Buyers at work at once with one key. */
  readonly buyers: 1 | 2;
  readonly broken?: Breakage;
  /** Where it is paid; by default on Solana. */
  readonly network?: 'base';
  /** Not a purchase but a refund: the runs name where the shop dies. */
  readonly refund?: RefundKind;
}

const DAY_MS = 86_400_000;

/** Points that a purchase without trouble never comes to, and the trouble that leads there. */
const WAYS: Partial<Record<ClientPoint, readonly Run[]>> = {
  'dead-recorded': [{ network: [{ phase: 'payment', mode: 'reset before', times: ALWAYS }] }],
  'landed-recorded': [{ network: [{ phase: 'payment', mode: 'drop reply', times: ALWAYS }] }],
  'attention-recorded': [
    { network: [{ phase: 'payment', mode: '404 after', times: ALWAYS }] },
    {
      network: [{ phase: 'payment', mode: '404 after', times: ALWAYS }],
      clockOffsetMs: DAY_MS + 3_600_000,
    },
  ],
};

/** The runs that bring a buyer to a point, the last of which dies there. */
function runsTo(
  point: ClientPoint,
  nth = 1,
  network: readonly NetworkFault[] = [],
): readonly Run[] {
  const way = WAYS[point] ?? [{}];
  return way.map((run, index) => ({
    ...run,
    network: [...network, ...(run.network ?? [])],
    ...(index === way.length - 1 ? { dieAt: `${point}:${nth}` } : {}),
  }));
}

/** Every client point with every network fault, at the payment and at one more phase in turn. */
function clientMatrix(): readonly Case[] {
  return CLIENT_POINTS.flatMap((point, row) =>
    NETWORK_MODES.flatMap((mode, column) => {
      const other = PHASES[(row + column) % PHASES.length] ?? 'order';
      const phases = other === 'payment' ? (['payment'] as const) : (['payment', other] as const);
      return phases.map(
        (phase): Case => ({
          name: `${point} x ${mode} at ${phase}`,
          runs: [...runsTo(point, 1, [{ phase, mode, times: 1 }])],
          buyers: 1,
        }),
      );
    }),
  );
}

function serviceMatrix(): readonly Case[] {
  return SERVICE_POINTS.flatMap((point) =>
    NETWORK_MODES.map(
      (mode): Case => ({
        name: `${point} x ${mode}`,
        runs: [{ shopDiesAt: point, network: [{ phase: 'payment', mode, times: 1 }] }],
        buyers: 1,
      }),
    ),
  );
}

function pairs(): readonly Case[] {
  return CLIENT_POINTS.flatMap((client) =>
    SERVICE_POINTS.map((service): Case => {
      const runs = runsTo(client);
      return {
        name: `${client} x ${service}`,
        runs: runs.map((run, index) => (index === 0 ? { ...run, shopDiesAt: service } : run)),
        buyers: 1,
      };
    }),
  );
}

/** The n-th hit of each point: later records, repeated sends. */
function laterHits(): readonly Case[] {
  return CLIENT_POINTS.filter((point) => !(point in WAYS)).flatMap((point) =>
    [2, 3, 4, 5].map(
      (nth): Case => ({
        name: `${point}:${nth}`,
        runs: runsTo(point, nth, [
          { phase: 'payment', mode: 'drop reply', times: 2 },
          { phase: 'challenge', mode: '502 before', times: 1 },
        ]),
        buyers: 1,
      }),
    ),
  );
}

const CHAIN_TROUBLES: readonly ChainTrouble[] = ['reorganized', 'not final'];

/**
 * On Base: every client point with every network fault at the payment, every point of the service with each of
 * them, and each with a chain whose blocks do not stay.
 */
export function baseMatrix(): readonly Case[] {
  const points = [...SERVICE_POINTS, ...FEE_POINTS];
  const clients = CLIENT_POINTS.flatMap((point) =>
    NETWORK_MODES.map((mode) => ({
      name: `${point} x ${mode} at payment`,
      runs: runsTo(point, 1, [{ phase: 'payment', mode, times: 1 }]),
    })),
  );
  const services = points.flatMap((point) =>
    NETWORK_MODES.map((mode) => ({
      name: `${point} x ${mode}`,
      runs: [{ shopDiesAt: point, network: [{ phase: 'payment' as const, mode, times: 1 }] }],
    })),
  );
  const chains = CHAIN_TROUBLES.flatMap((chain) =>
    [...CLIENT_POINTS, ...points].map((point) => ({
      name: `${point} x ${chain}`,
      runs: (isClientPoint(point) ? runsTo(point) : [{ shopDiesAt: point }]).map((run) => ({
        ...{ ...run, chain },
      })),
    })),
  );
  return [...clients, ...services, ...chains].map(({ name, runs }) => ({
    ...{ name: `on Base: ${name}`, runs, buyers: 1 },
    network: 'base',
  }));
}

function isClientPoint(point: string): point is ClientPoint {
  return (CLIENT_POINTS as readonly string[]).includes(point);
}

/** Every step of a refund for each reason of one; and a death at one step, then at a later one. */
export function refundCases(): readonly Case[] {
  const dyingAt = (refund: RefundKind, points: readonly string[]): Case => ({
    name: `${refund} x ${points.join(', ')}`,
    runs: points.map((point) => ({ shopDiesAt: `${point}:1` })),
    buyers: 1,
    refund,
  });
  const single = REFUND_KINDS.flatMap((kind) =>
    REFUND_POINTS.map((point) => dyingAt(kind, [point])),
  );
  // After the last point nothing is left to do.
  const twice = REFUND_POINTS.slice(0, -1).map((point, index) => {
    const later = REFUND_POINTS[Math.min(index + 2, REFUND_POINTS.length - 1)] ?? point;
    return dyingAt(REFUND_KINDS[index % REFUND_KINDS.length] ?? 'overpaid', [point, later]);
  });
  return [...single, ...twice];
}

/** Refunds of which the judge has to say what is wrong. */
export function brokenRefunds(): readonly Case[] {
  return BROKEN_REFUNDS.map((refund) => ({ name: refund, runs: [], buyers: 1, refund }));
}

/** Up to seven faults, three cases of ten with two buyers of one key. */
export function drawnCases(seed: number, count: number): readonly Case[] {
  return Array.from({ length: count }, (_, index) => {
    const drawn = drawnCase(mix(hash32('cases', seed), index));
    return index % 3 === 2 ? { ...drawn, name: `on Base: ${drawn.name}`, network: 'base' } : drawn;
  });
}

function drawnCase(key: number): Case {
  let drawn = 0;
  const draw = (sides: number): number => {
    drawn += 1;
    return mix(key, drawn) % sides;
  };
  const pick = <T>(list: readonly T[]): T => list[draw(list.length)] as T;
  const clients = CLIENT_POINTS.filter((point) => !(point in WAYS));
  const faults = 1 + draw(7);
  const runs: Run[] = [];
  for (let left = faults; left > 0; ) {
    const network = Array.from({ length: Math.min(left, draw(3)) }, () => ({
      phase: pick(PHASES),
      mode: pick(NETWORK_MODES),
      times: 1 + draw(2),
    }));
    const dieAt = draw(3) > 0 ? `${pick(clients)}:${1 + draw(2)}` : undefined;
    const shopDiesAt = draw(3) === 0 ? `${pick(SERVICE_POINTS)}:1` : undefined;
    left -= Math.max(1, network.length + (dieAt ? 1 : 0) + (shopDiesAt ? 1 : 0));
    runs.push({ network, ...(dieAt ? { dieAt } : {}), ...(shopDiesAt ? { shopDiesAt } : {}) });
  }
  return { name: `drawn ${key}`, runs, buyers: draw(10) < 3 ? 2 : 1 };
}

/** Cases in which each of the broken buyers does what it does wrong. */
export function brokenCases(broken: Breakage, count: number, network?: 'base'): readonly Case[] {
  const run: Readonly<Record<Breakage, Run>> = {
    're-signs on timeout': { network: [{ phase: 'payment', mode: 'drop reply', times: 8 }] },
    'trusts the status': { network: [{ phase: 'payment', mode: '502 after', times: 8 }] },
    'records after sending': { dieAt: 'submitted' },
  };
  return Array.from({ length: count }, (_, index) => ({
    name: `${broken} ${index}`,
    runs: [run[broken]],
    buyers: 1 as const,
    broken,
    ...(network && { network }),
  }));
}

/** The whole of it; the slice takes some of each, so that every kind of fault is tried. */
export function wholeMatrix(): readonly Case[] {
  return [...clientMatrix(), ...serviceMatrix(), ...pairs(), ...laterHits(), ...baseMatrix()];
}

export function slice(seed: number, count: number): readonly Case[] {
  const whole = wholeMatrix();
  const step = whole.length / count;
  const offset = mix(seed, 1) % Math.max(1, Math.floor(step));
  return Array.from(
    { length: count },
    (_, index) => whole[offset + Math.floor(index * step)],
  ).filter((found) => found !== undefined);
}
