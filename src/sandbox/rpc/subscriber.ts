/** The subscriptions of all WebSockets: takes JSON-RPC calls, sends answers and notifications. */
import type { Clock } from '../../domain/clock.ts';
import type { Chain } from '../chain/chain.ts';
import { answerCall, PARSE_FAILED } from './handler.ts';
import { type Params, record } from './params.ts';
import { badParams, fault } from './refusal.ts';
import { createRounds } from './rounds.ts';
import { type News, TOPICS, type Topic } from './subscriptions.ts';

/** The subscriptions of one WebSocket. */
export interface Subscriber {
  /** Answers a message. Never throws. */
  receive(text: string): Promise<void>;
  hasSubscriptions(): boolean;
  /** Ends all its subscriptions. */
  leave(): void;
}

interface Deps {
  readonly chain: Chain;
  readonly clock: Clock;
  /** Aborted to stop polling the chain. */
  readonly stopped: AbortSignal;
  /** Maximum number of subscriptions per WebSocket. */
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
  /** Number of calls refused so far. */
  refused: number;
  /** Refusals to be sent together. */
  readonly waiting: unknown[];
  send(text: string): void;
}

/**
 * A quarter of a slot. Other processes also write to the chain, so it must be polled. The first
 * poll comes after the answer that contains the subscription's id.
 */
const LOOK_EVERY_MS = 100;

/** web3.js repeats a refused call as soon as it is answered, so answers after these first ones wait. */
const PROMPT_REFUSALS = 8;
const REFUSAL_WAIT_MS = 1000;

/** Returns a function that adds a WebSocket, given how to send to it. */
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
    // Reserve a place before the first await, so parallel calls cannot exceed the limit.
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

  /** Answers the first refusals at once and later ones after a second, together with those that came meanwhile. */
  async function refuse(member: Member, answer: unknown): Promise<void> {
    const { waiting } = member;
    member.refused += 1;
    waiting.push(answer);
    const isPrompt = member.refused <= PROMPT_REFUSALS || waiting.length >= deps.mostEach;
    if (!isPrompt && waiting.length > 1) return;
    if (!isPrompt) await deps.clock.sleep(REFUSAL_WAIT_MS, deps.stopped).catch(() => undefined);
    for (const one of waiting.splice(0)) {
      if (members.has(member)) member.send(JSON.stringify(one));
    }
  }

  return (send) => {
    const member: Member = { open: new Map(), refused: 0, waiting: [], send };
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
        if (answer === undefined) return;
        const isRefused = record(answer)?.error !== undefined;
        if (isRefused) await refuse(member, answer);
        else send(JSON.stringify(answer));
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
        // The subscription may have ended while the chain was read.
        if (!open.has(id)) return;
        if (isLast) open.delete(id);
        const params = { result, subscription: id };
        send(JSON.stringify({ jsonrpc: '2.0', method: notification, params }));
      }
    }),
  );
}

/** Returns undefined for a message that expects no answer, such as the standard clients' `ping`. */
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
