/** The network between buyer and shop: a proxy that spoils the calls it is told to spoil. */
import { decodeHeader, encodeHeader, PAYMENT_REQUIRED_HEADER } from '../../src/contract/x402.ts';
import { systemClock } from '../../src/net/clock.ts';
import {
  type Asked,
  type FrontReply,
  json,
  openFrontHost,
  RESET,
  type RpcCall,
  retelling,
} from '../support/front-host.ts';

export const NETWORK_MODES = [
  'pass',
  'reset before',
  'drop reply',
  'delay',
  '502 before',
  '502 after',
  'truncate',
  'duplicate',
] as const;
export type NetworkMode = (typeof NETWORK_MODES)[number];

export const PHASES = ['challenge', 'payment', 'order', 'rpc'] as const;
export type Phase = (typeof PHASES)[number];

export interface NetworkFault {
  readonly phase: Phase;
  /** `404 after` beside the usual ones: the merchant has forgotten what it took. */
  readonly mode: NetworkMode | '404 after';
  /** How many calls of the phase are spoilt. */
  readonly times: number;
}

/** More often than any run calls. */
export const ALWAYS = 1_000;

/** How the last payment that was sent ended for who sent it. */
export type Seen = 'nothing' | 'cut' | number;

/** What a node says instead of the truth: `blank`, no history; `dead`, that and a chain far ahead. */
export type Lie = (seen: Seen) => 'dead' | 'blank' | undefined;

/** How the hosts behind it are, for one buyer. */
export interface Surroundings {
  /** The shop offers to keep names of payments, by which it would give an order again. */
  readonly keepsNames: boolean;
  readonly lie?: Lie | undefined;
}

export interface FaultProxy {
  readonly url: string;
  /**
   * More faults of the calls to come, in order; each stands until it is used up.
   * @param isSigned a payment was signed by an earlier run: every call of this one is about it. Else
   * those to the chain before the order is asked for are of the preview, and go through.
   */
  plan(faults: readonly NetworkFault[], isSigned: boolean): void;
  /** Forgets all faults, for another buyer. */
  clear(surroundings: Surroundings): void;
  /** Calls that were spoilt since the start. */
  readonly spoilt: () => number;
  close(): Promise<void>;
}

const DELAY_MS = 200;
const FORGOTTEN = json(404, { error: 'session_unknown' });
const BAD_GATEWAY: FrontReply = { status: 502, body: '<html>bad gateway</html>', headers: {} };

/** @param target address of the shop, asked for at every call: it comes back on the same port */
export async function openProxy(target: () => string): Promise<FaultProxy> {
  let left: { fault: NetworkFault; times: number }[] = [];
  let spoilt = 0;
  let isUnderWay = false;
  let seen: Seen = 'nothing';
  let here: Surroundings = { keepsNames: true };
  const modes = new WeakMap<Asked, NetworkFault['mode']>();
  const nextMode = (phase: Phase | undefined): NetworkFault['mode'] => {
    if (phase !== undefined && phase !== 'rpc') isUnderWay = true;
    if (!isUnderWay) return 'pass';
    const next = left.find(({ fault, times }) => fault.phase === phase && times > 0);
    if (next === undefined) return 'pass';
    next.times -= 1;
    if (next.fault.mode !== 'pass') spoilt += 1;
    return next.fault.mode;
  };
  /** What the shop and the chain say, where this one is told the truth. */
  const told = (asked: Asked, reply: FrontReply): FrontReply => {
    if (phaseOf(asked) !== 'rpc') return here.keepsNames ? reply : withoutNames(reply);
    const lie = here.lie?.(seen);
    if (lie === undefined || asked.body === '') return reply;
    return retelling((call, result) => lieAbout(call, result, lie)).answer(asked, reply);
  };
  const { url, close } = await openFrontHost(target, {
    instead: (asked) => {
      const phase = phaseOf(asked);
      if (phase === 'payment') seen = 'cut';
      const mode = nextMode(phase);
      modes.set(asked, mode);
      if (mode === 'reset before') return RESET;
      if (mode === '502 before') return answered(asked, BAD_GATEWAY);
      return undefined;
    },
    hear: (asked) => {
      const { method, url, headers, body } = asked;
      const again = () => fetch(target() + url, { method, headers, ...(body && { body }) });
      if (modes.get(asked) === 'duplicate') again().catch(() => undefined);
      return {};
    },
    answer: async (asked, reply) => {
      const given = told(asked, reply);
      const mode = modes.get(asked);
      if (mode === 'delay') await systemClock.sleep(DELAY_MS);
      if (mode === 'drop reply') return RESET;
      if (mode === 'truncate') return { ...given, isCut: true };
      if (mode === '502 after') return answered(asked, BAD_GATEWAY);
      return answered(asked, mode === '404 after' ? FORGOTTEN : given);
    },
  });
  /** A reply that comes whole to who has asked. */
  function answered(asked: Asked, reply: FrontReply): FrontReply {
    if (phaseOf(asked) === 'payment') seen = reply.status;
    return reply;
  }
  return {
    ...{ url, close },
    plan: (faults, isSigned) => {
      isUnderWay = isSigned;
      // What was not met yet still lies ahead; what would never end is over.
      left = [
        ...left.filter(({ times }) => times > 0 && times < ALWAYS / 2),
        ...faults.map((fault) => ({ fault, times: fault.times })),
      ];
    },
    clear: (surroundings) => {
      left = [];
      seen = 'nothing';
      here = surroundings;
    },
    spoilt: () => spoilt,
  };
}

/** Undefined for calls that a purchase is prepared with: catalog and price. */
function phaseOf({ method, url, headers }: Asked): Phase | undefined {
  if (url.startsWith('/rpc')) return 'rpc';
  if (!url.startsWith('/v1/orders')) return undefined;
  if (method === 'GET') return 'order';
  return headers['payment-signature'] === undefined ? 'challenge' : 'payment';
}

/** The shop as one that offers no extension: the buyer alone has to see that it pays once. */
function withoutNames(reply: FrontReply): FrontReply {
  const name = PAYMENT_REQUIRED_HEADER.toLowerCase();
  const header = reply.headers[name];
  if (header === undefined) return reply;
  const required = encodeHeader({ ...Object(decodeHeader(header)), extensions: undefined });
  return { ...reply, headers: { ...reply.headers, [name]: required } };
}

/** Blocks that nothing signed today is valid in. */
const FAR_AHEAD = 1_000_000;

/** Selector of authorizationState(address,bytes32). */
const NONCE_STATE = '0xe94a0102';

function lieAbout(
  { method, params }: RpcCall,
  result: unknown,
  lie: 'dead' | 'blank',
): { result: unknown } {
  const [asked] = params ?? [];
  if (method === 'eth_getLogs') return { result: [] };
  if (method === 'eth_call' && String(Object(asked).data).startsWith(NONCE_STATE)) {
    return { result: `0x${'0'.repeat(64)}` };
  }
  if (method === 'eth_getBlockByNumber' && asked === 'finalized' && lie === 'dead') {
    const { timestamp, ...block } = Object(result);
    return { result: { ...block, timestamp: `0x${(Number(timestamp) + FAR_AHEAD).toString(16)}` } };
  }
  if (method === 'getSignaturesForAddress') return { result: [] };
  if (method !== 'getEpochInfo' || lie === 'blank') return { result };
  const { blockHeight, ...info } = Object(result);
  return { result: { ...info, blockHeight: blockHeight + FAR_AHEAD } };
}
