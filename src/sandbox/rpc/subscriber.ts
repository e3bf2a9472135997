/** The subscriptions of every websocket: JSON-RPC in, answers and notifications out. */
import type { Clock } from '../../domain/clock.ts';
import type { Chain } from '../chain/chain.ts';
import { answerCall, PARSE_FAILED } from './handler.ts';
import { type Params, record } from './params.ts';
import { badParams, fault } from './refusal.ts';
import { createRounds } from './rounds.ts';
import { type News, TOPICS, type Topic } from './subscriptions.ts';

/** One websocket, as its subscriptions see it. */
export interface Subscriber {
  /** Answers a message. Never throws. */
  receive(text: string): Promise<void>;
  hasSubscriptions(): boolean;
  /** Ends its subscriptions. */
  leave(): void;
}

interface Deps {
  readonly chain: Chain;
  readonly clock: Clock;
  /** Stops watching the chain. */
  readonly stopped: AbortSignal;
  /** Subscriptions that one websocket may have. */
  readonly mostEach: number;
  report(error: unknown): void;
}

interface Subscription {
  readonly id: number;
  readonly notification: string;
  look(): Promise<readonly News[]>;
}

interface Member {
  readonly open: Map<number, Subscription>;
  send(text: string): void;
}

/**
 * A quarter of a slot. Other processes write to the chain too, so it has to be looked at. The first
 * look comes after the answer that names the subscription.
 */
const LOOK_EVERY_MS = 100;

/** Takes in websockets by what sends to them. */
export function createSubscribers(deps: Deps): (send: (text: string) => void) => Subscriber {
  const members = new Set<Member>();
  let lastId = 0;
  const keepLooking = createRounds({
    ...deps,
    everyMs: LOOK_EVERY_MS,
    isNeeded: () => [...members].some(({ open }) => open.size > 0),
    round: async () => {
      await Promise.all([...members].map(tellNews));
    },
  });

  async function subscribe({ open }: Member, topic: Topic, params: Params): Promise<number> {
    lastId += 1;
    const id = lastId;
    if (open.size >= deps.mostEach) throw fault('internal', TOO_MANY);
    // Its place is taken before anything is waited for.
    open.set(id, { id, notification: '', look: async () => [] });
    try {
      const look = await topic.watch(deps.chain, params);
      open.set(id, { id, notification: topic.notification, look });
    } catch (error) {
      open.delete(id);
      throw error;
    }
    keepLooking();
    return id;
  }

  return (send) => {
    const member: Member = { open: new Map(), send };
    members.add(member);
    return {
      async receive(text) {
        const answer = await answerText(text, (name) => {
          const [, word = '', verb] = /^(\w+?)(Uns|S)ubscribe$/.exec(name) ?? [];
          const topic = TOPICS.get(word);
          if (!topic) return undefined;
          return verb === 'S'
            ? (params) => subscribe(member, topic, params)
            : (params) => unsubscribe(member, topic, params);
        });
        if (answer !== undefined) send(JSON.stringify(answer));
      },
      hasSubscriptions: () => member.open.size > 0,
      leave: () => {
        members.delete(member);
      },
    };
  };
}

const TOO_MANY = 'Internal error: Subscription refused. This websocket has as many as it may.';

async function unsubscribe({ open }: Member, topic: Topic, [id]: Params): Promise<true> {
  const found = typeof id === 'number' ? open.get(id) : undefined;
  if (found?.notification !== topic.notification) throw badParams('Invalid subscription id.');
  open.delete(found.id);
  return true;
}

async function tellNews({ open, send }: Member): Promise<void> {
  await Promise.all(
    [...open.values()].map(async ({ id, notification, look }) => {
      for (const { result, isLast } of await look()) {
        // It may have ended while the chain was read.
        if (!open.has(id)) return;
        if (isLast) open.delete(id);
        const params = { result, subscription: id };
        send(JSON.stringify({ jsonrpc: '2.0', method: notification, params }));
      }
    }),
  );
}

/** Undefined for a message that wants no answer, such as the `ping` of the standard clients. */
async function answerText(
  text: string,
  methodOf: Parameters<typeof answerCall>[1],
): Promise<unknown> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return PARSE_FAILED;
  }
  const call = record(body);
  if (typeof call?.method === 'string' && call.id === undefined) return undefined;
  return answerCall(body, methodOf);
}
