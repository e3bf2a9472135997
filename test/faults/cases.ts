/** What is tried: the matrix, the pairs, every hit of every point, and cases drawn from a seed. */
import {
  CLIENT_POINTS,
  type ClientPoint,
  FEE_POINTS,
  REFUND_POINTS,
  SERVICE_POINTS,
  type ServicePoint,
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

/** Where a purchase is paid. */
export type Place = 'solana' | 'base';

/** One purchase: these runs, one after the other, and then as many quiet ones as it takes. */
export interface Case {
  readonly name: string;
  readonly runs: readonly Run[];
  /** Buyers at work at once with one key. */
  readonly buyers: 1 | 2;
  readonly broken?: Breakage;
  /** Where it is paid; by default on Solana. */
  readonly network?: 'base';
  /** The buyer is behind a company's proxy, which reads every request and refuses or cuts tunnels too. */
  readonly isProxied?: true;
  /** Not a purchase but a refund: the runs name where the shop dies. */
  readonly refund?: RefundKind;
}

type Trial = Pick<Case, 'name' | 'runs'>;

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
function clientMatrix(): readonly Trial[] {
  return CLIENT_POINTS.flatMap((point, row) =>
    NETWORK_MODES.flatMap((mode, column) => {
      const other = PHASES[(row + column) % PHASES.length] ?? 'order';
      const phases = other === 'payment' ? (['payment'] as const) : (['payment', other] as const);
      return phases.map(
        (phase): Trial => ({
          name: `${point} x ${mode} at ${phase}`,
          runs: [...runsTo(point, 1, [{ phase, mode, times: 1 }])],
        }),
      );
    }),
  );
}

function serviceMatrix(points: readonly ServicePoint[]): readonly Trial[] {
  return points.flatMap((point) =>
    NETWORK_MODES.map(
      (mode): Trial => ({
        name: `${point} x ${mode}`,
        runs: [{ shopDiesAt: point, network: [{ phase: 'payment', mode, times: 1 }] }],
      }),
    ),
  );
}

function pairs(points: readonly ServicePoint[]): readonly Trial[] {
  return CLIENT_POINTS.flatMap((client) =>
    points.map((service): Trial => {
      const runs = runsTo(client);
      return {
        name: `${client} x ${service}`,
        runs: runs.map((run, index) => (index === 0 ? { ...run, shopDiesAt: service } : run)),
      };
    }),
  );
}

/** The n-th hit of each point: later records, repeated sends. */
function laterHits(): readonly Trial[] {
  return CLIENT_POINTS.filter((point) => !(point in WAYS)).flatMap((point) =>
    [2, 3, 4, 5].map(
      (nth): Trial => ({
        name: `${point}:${nth}`,
        runs: runsTo(point, nth, [
          { phase: 'payment', mode: 'drop reply', times: 2 },
          { phase: 'challenge', mode: '502 before', times: 1 },
        ]),
      }),
    ),
  );
}

/** Every point with each trouble of the chain. */
function chainMatrix(
  points: readonly ServicePoint[],
  troubles: readonly ChainTrouble[],
): readonly Trial[] {
  const ways = [
    ...CLIENT_POINTS.map((point) => [point, runsTo(point)] as const),
    ...points.map((point) => [point, [{ shopDiesAt: point }]] as const),
  ];
  return troubles.flatMap((chain) =>
    ways.map(([point, runs]) => ({
      name: `${point} x ${chain}`,
      runs: runs.map((run) => ({ ...run, chain })),
    })),
  );
}

interface Possible {
  readonly points: readonly ServicePoint[];
  readonly troubles: readonly ChainTrouble[];
  readonly refunds: readonly RefundKind[];
  readonly refundPoints: readonly ServicePoint[];
}

/** In the order in which a refund reaches them. */
const BASE_REFUND_POINTS = REFUND_POINTS.flatMap((point) =>
  point === 'refund-sent' ? [...FEE_POINTS, point] : [point],
);

/** What differs where it is paid: points of the shop, what the chain may do, and which orders are refunded. */
const PLACES: Readonly<Record<Place, Possible>> = {
  solana: {
    ...{ points: SERVICE_POINTS, troubles: [] },
    ...{ refunds: REFUND_KINDS, refundPoints: REFUND_POINTS },
  },
  base: {
    ...{ points: [...SERVICE_POINTS, ...FEE_POINTS], troubles: ['reorganized', 'not final'] },
    ...{ refunds: ['partly failed'], refundPoints: BASE_REFUND_POINTS },
  },
};

/** Everything that is tried on one network. */
export function matrixOn(place: Place): readonly Case[] {
  const { points, troubles } = PLACES[place];
  const trials = [
    ...clientMatrix(),
    ...serviceMatrix(points),
    ...pairs(points),
    ...laterHits(),
    ...chainMatrix(points, troubles),
  ];
  return trials.map((trial) => on(place, { ...trial, buyers: 1 }));
}

function on(place: Place, tried: Case): Case {
  return place === 'base' ? { ...tried, name: `on Base: ${tried.name}`, network: place } : tried;
}

/** Every step of a refund for each reason of one; and a death at one step, then at a later one. */
export function refundCases(): readonly Case[] {
  return (['solana', 'base'] as const).flatMap(refundsOn);
}

function refundsOn(place: Place): readonly Case[] {
  const { refunds: kinds, refundPoints: points } = PLACES[place];
  const dyingAt = (refund: RefundKind, at: readonly string[]): Case =>
    on(place, {
      name: `${refund} x ${at.join(', ')}`,
      runs: at.map((point, index) => ({
        shopDiesAt: `${point}:${index === 0 ? firstOf(point) : 1}`,
      })),
      buyers: 1,
      refund,
    });
  const single = kinds.flatMap((kind) => points.map((point) => dyingAt(kind, [point])));
  // After the last point nothing is left to do.
  const twice = points.slice(0, -1).map((point, index) => {
    const later = points[Math.min(index + 2, points.length - 1)] ?? point;
    return dyingAt(kinds[index % kinds.length] ?? 'overpaid', [point, later]);
  });
  return [...single, ...twice];
}

/** The shop settled the payment of the order before, in the same process. */
function firstOf(point: string): number {
  return (FEE_POINTS as readonly string[]).includes(point) ? 2 : 1;
}

/** Refunds of which the judge has to say what is wrong. */
export function brokenRefunds(): readonly Case[] {
  return BROKEN_REFUNDS.map((refund) => ({ name: refund, runs: [], buyers: 1, refund }));
}

/** Up to seven faults, three cases of ten with two buyers of one key; half of them on Base. */
export function drawnCases(seed: number, count: number): readonly Case[] {
  return Array.from({ length: count }, (_, index) => drawnCase(mix(hash32('cases', seed), index)));
}

function drawnCase(key: number): Case {
  let drawn = 0;
  const draw = (sides: number): number => {
    drawn += 1;
    return mix(key, drawn) % sides;
  };
  const pick = <T>(list: readonly T[]): T => list[draw(list.length)] as T;
  const place = mix(key, 0) % 2 === 0 ? 'solana' : 'base';
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
    const shopDiesAt = draw(3) === 0 ? `${pick(PLACES[place].points)}:1` : undefined;
    left -= Math.max(1, network.length + (dieAt ? 1 : 0) + (shopDiesAt ? 1 : 0));
    runs.push({ network, ...(dieAt ? { dieAt } : {}), ...(shopDiesAt ? { shopDiesAt } : {}) });
  }
  return on(place, { name: `drawn ${key}`, runs, buyers: draw(10) < 3 ? 2 : 1 });
}

/** Which buyer pays twice, and where. */
export const BROKEN_BUYERS: readonly (readonly [Breakage, Place])[] = [
  ['re-signs on timeout', 'solana'],
  ['trusts the status', 'solana'],
  ['records after sending', 'solana'],
  ['re-signs on timeout', 'base'],
  ['trusts the status', 'base'],
  ['records after sending', 'base'],
];

/** Cases in which each of the broken buyers does what it does wrong. */
export function brokenCases(broken: Breakage, count: number, place: Place): readonly Case[] {
  const run: Readonly<Record<Breakage, Run>> = {
    're-signs on timeout': { network: [{ phase: 'payment', mode: 'drop reply', times: 8 }] },
    'trusts the status': { network: [{ phase: 'payment', mode: '502 after', times: 8 }] },
    'records after sending': { dieAt: 'submitted' },
  };
  return Array.from({ length: count }, (_, index) =>
    on(place, { name: `${broken} ${index}`, runs: [run[broken]], buyers: 1, broken }),
  );
}

/** Behind a company's proxy: every client point with every fault at the payment. */
export function proxiedMatrix(): readonly Case[] {
  const trials = clientMatrix().filter(({ name }) => name.endsWith(' at payment'));
  return (['solana', 'base'] as const).flatMap((place) =>
    trials.map((trial) => {
      const tried = on(place, { ...trial, buyers: 1 });
      return { ...tried, name: `proxied: ${tried.name}`, isProxied: true as const };
    }),
  );
}

/** The whole of it; the slice takes some of each, so that every kind of fault is tried. */
export function wholeMatrix(): readonly Case[] {
  return [...matrixOn('solana'), ...matrixOn('base')];
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
