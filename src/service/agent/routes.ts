/** Surface C over HTTP: the guided purchase, for any client or only for a given User-Agent. */
import type { Context, Hono } from 'hono';
import {
  elicitationRequest,
  purchaseElicitation,
  takesAgent,
  type WireElicitation,
} from '../../contract/agent.ts';
import { lenientInput } from '../../contract/lenient-input.ts';
import { firstFault } from '../../contract/plain-issues.ts';
import { digestOfCaller } from '../digest.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { APPLICATION } from '../partner/headers.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { applicationOf } from '../partner/partner-gate.ts';
import { jsonReply, PRIVATE_HEADERS } from '../reply.ts';
import { answer, readJson } from '../route.ts';
import { callerOf } from '../traffic.ts';
import { type Elicitation, elicit } from './elicitation.ts';
import type { Opener, SessionLimits } from './sessions.ts';
import { createWizardHost } from './wizard-host.ts';

export interface AgentOptions {
  /** User-Agent that every request must have (interface: Authentication, 3); any by default. */
  readonly agentUserAgent?: string | undefined;
  readonly limits: SessionLimits & { readonly bodyBytes: number; readonly perTick: number };
}

/** Ours: partner id of orders whose client is no partner; reading them requires it. */
const AGENT_APPLICATION = 'agent';

/** Adds `POST /mcp/purchase_elicitation`. */
export function agentRoutes(app: Hono, deps: PartnerOrderDeps, options: AgentOptions): void {
  const { limits, agentUserAgent } = options;
  const parts: Elicitation & AgentOptions = {
    ...deps,
    limits,
    host: createWizardHost(deps),
  };
  app.post(purchaseElicitation.path, async (context) => {
    if (!takesAgent(agentUserAgent, context.req.raw.headers.get('User-Agent'))) {
      return strangeAgent(agentUserAgent);
    }
    return answer(() => converse(parts, context), { writeRefusal: agentRefusal });
  });
}

async function converse(
  parts: Elicitation & AgentOptions,
  context: Pick<Context, 'req' | 'env'>,
): Promise<Response | Refusal> {
  const opener = await openerOf(parts, context);
  if (isRefusal(opener)) return opener;
  const body = await readJson(context.req.raw, parts.limits);
  if (isRefusal(body)) return body;
  const asked = lenientInput(elicitationRequest(), body.value);
  const parsed = elicitationRequest().safeParse(asked);
  if (!parsed.success) return refuse('invalid_request', firstFault(elicitationRequest(), asked));
  const reply = await elicit(parts, parsed.data, opener);
  return isRefusal(reply) ? reply : jsonReply(reply, 200, PRIVATE_HEADERS);
}

async function openerOf(
  { gate }: Pick<PartnerOrderDeps, 'gate'>,
  { req, env }: Pick<Context, 'req' | 'env'>,
): Promise<Opener | Refusal> {
  const { headers } = req.raw;
  const caller = callerOf({ env });
  const client = digestOfCaller(caller);
  const named = new Headers(headers);
  if (applicationOf(headers) === '') named.set(APPLICATION, AGENT_APPLICATION);
  const refusal = await gate.refusalOf({ headers: named, address: caller.address });
  return refusal ?? { client, applicationId: applicationOf(named) };
}

/** The expected User-Agent is public, so the refusal may name it. */
function strangeAgent(expected = ''): Response {
  return wizardError(403, {
    error: 'This service does not accept this User-Agent.',
    fix: `Send the header User-Agent: ${expected}`,
  });
}

const FIXES: Readonly<Partial<Record<Refusal['refusal'], string>>> = {
  invalid_request:
    'Send a JSON object with session_token and answer or action; first send an empty one.',
  payload_too_large: 'Send a JSON object with session_token and answer or action, and no more.',
  partner_unauthorized: 'Send the header Authorization: Bearer with the secret of the partner.',
  rate_limited: 'Continue an open session, or wait as long as Retry-After says.',
  supplier_error: 'Send the same request again in a moment, or the action back.',
  facilitator_unavailable: 'Send the same request again in a moment.',
  shop_full: 'Send the same request again once Retry-After is over.',
};

/** HTTP errors also use the wizard's own form (interface: Errors, C). */
function agentRefusal({ refusal, message, status, headers }: Refusal): Response {
  return wizardError(
    status,
    { error: message, fix: FIXES[refusal] ?? 'Correct the request and send it again.' },
    headers,
  );
}

function wizardError(
  status: number,
  what: Pick<WireElicitation, 'error' | 'fix'>,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const body: WireElicitation = { status: 'error', ...what };
  return jsonReply(body, status, { ...PRIVATE_HEADERS, ...headers });
}
