/** A client of the HTTP wizard: it names itself rightly and keeps its token. */
import {
  AGENT_USER_AGENT,
  elicitationResponse,
  purchaseElicitation,
  type WireElicitation,
  type WireElicitationRequest,
} from '../../src/contract/agent.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Caller } from '../../src/service/http/route.ts';
import { BASE } from './partner-sandbox.ts';

export interface SendOptions {
  readonly headers?: Record<string, string>;
  readonly caller?: Caller;
}

/** One request as it is, whatever it says. */
export function sendElicitation(
  { handle }: Pick<Sandbox, 'handle'>,
  body: string,
  { headers = {}, caller }: SendOptions = {},
): Promise<Response> {
  const request = new Request(BASE + purchaseElicitation.path, {
    method: 'POST',
    body,
    headers: { 'User-Agent': AGENT_USER_AGENT, ...headers },
  });
  return handle(request, caller);
}

/** One request that is answered with 200, in the words of the schema and no others. */
export async function elicitOnce(
  sandbox: Pick<Sandbox, 'handle'>,
  body: WireElicitationRequest,
  options?: SendOptions,
): Promise<WireElicitation> {
  const response = await sendElicitation(sandbox, JSON.stringify(body), options);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status}: ${text}`);
  return elicitationResponse().parse(JSON.parse(text));
}

/** A purchase that has begun: gives its token. */
export async function beginPurchase(
  sandbox: Pick<Sandbox, 'handle'>,
  options?: SendOptions,
): Promise<string> {
  const { session_token } = await elicitOnce(sandbox, {}, options);
  if (!session_token) throw new Error('the first response has no token');
  return session_token;
}

/** The answers of a whole purchase, but for the last yes. */
export const GIFT_ANSWERS = [
  'giftcard',
  'United States',
  'amazon',
  '$25',
  'friend@example.com',
  'usdc',
  'solana',
  'buyer@example.com',
] as const;

/** Answers one question after another; gives the last response. */
export async function answerAll(
  sandbox: Pick<Sandbox, 'handle'>,
  token: string,
  answers: readonly string[],
): Promise<WireElicitation> {
  let last: WireElicitation | undefined;
  for (const answer of answers) {
    last = await elicitOnce(sandbox, { session_token: token, answer });
    if (last.status === 'error') throw new Error(`${answer}: ${last.error}`);
  }
  if (!last) throw new Error('there is nothing to answer');
  return last;
}
