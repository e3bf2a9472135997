/** Surface C over HTTP: the guided purchase, for any client or only for a given User-Agent. */

import type { Context, Hono } from 'hono';
import {
  elicitationRequest,
  purchaseElicitation,
  takesAgent,
  type WireElicitation,
} from '../../contract/agent.ts';
import { lenientInput } from '../../contract/mended.ts';
import { firstFault } from '../../contract/plain-issues.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { formatCoinAmount } from '../../domain/money/coin.ts';
import { type OrderingHost, orderRequest } from '../../domain/wizard/wizard.ts';
import type { Answers, ProductType } from '../../domain/wizard/wizard-step.ts';
import type { Market, PaymentVia } from '../catalog/market.ts';
import { createPopularity } from '../catalog/popularity.ts';
import { digestOfCaller } from '../digest.ts';
import { isRefusal, jsonReply, PRIVATE_HEADERS, type Refusal, refuse } from '../http/replies.ts';
import { answer, callerOf, readJson } from '../http/route.ts';
import type { PartnerOrderDeps } from '../partner/order-deps.ts';
import { APPLICATION, applicationOf } from '../partner/partner-gate.ts';
import { assessNow, examine } from '../partner/rules/assessment.ts';
import { type Elicitation, elicit } from './elicitation.ts';
import type { Opener } from './sessions.ts';

/** Ours: partner id of orders whose client is no partner; reading them requires it. */
const AGENT_APPLICATION = 'agent';

/** Adds `POST /mcp/purchase_elicitation`. */
export function agentRoutes(app: Hono, deps: PartnerOrderDeps): void {
  const parts: Elicitation = { ...deps, host: createWizardHost(deps) };
  // interface: Authentication, 3.
  const { agentUserAgent } = deps;
  app.post(purchaseElicitation.path, async (context) => {
    if (!takesAgent(agentUserAgent, context.req.raw.headers.get('User-Agent'))) {
      return strangeAgent(agentUserAgent);
    }
    return answer(() => converse(parts, context), { writeRefusal: agentRefusal });
  });
}

async function converse(
  parts: Elicitation,
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
  { gate }: PartnerOrderDeps,
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
export function agentRefusal({ refusal, message, status, headers }: Refusal): Response {
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

// The guided purchase over this service's catalog, market and rules.

const USER_WALLET = 'user_wallet';

/** Lists well-known brands first, since only some brands are offered as options. */
function createWizardHost(deps: PartnerOrderDeps): OrderingHost {
  const { catalog, market } = deps;
  const popularity = createPopularity(catalog);
  const via = ownWallet(market);
  const host: OrderingHost = {
    paymentVia: via?.name ?? USER_WALLET,
    countries: async () => catalog.countries.filter(({ isSold }) => isSold),
    brands: async (country, type) =>
      catalog
        .brands(country.toLowerCase())
        .filter(({ kind }) => isOfType(kind, type))
        .map((brand) => ({ brand, rank: popularity(brand) }))
        .toSorted((one, other) => other.rank - one.rank)
        .map(({ brand }) => brand),
    products: async (country, brandName, type) =>
      catalog
        .products(country.toLowerCase(), { brandName })
        .filter(({ brand }) => isOfType(brand.kind, type))
        .map(({ label, denomination, brand: { currency } }) => ({ label, denomination, currency })),
    coins: async () => (via?.coins ?? []).map((coin) => coinOf(market, coin)),
    checkBeneficiary: (type, account, nationalIn) =>
      deps.checkBeneficiary(type, account, nationalIn === undefined ? undefined : { nationalIn }),
    price: (answers) => priceOf(deps, host, answers),
  };
  return host;
}

/** The payment via that needs neither a processor nor a browser. */
function ownWallet({ vias }: Market): PaymentVia | undefined {
  return vias.find(({ name }) => name === USER_WALLET) ?? vias.find((via) => !via.isExternal);
}

function coinOf(market: Market, coin: PaymentVia['coins'][number]) {
  return {
    name: coin.name,
    isSuspended: market.isSuspended(coin),
    networks: coin.networks.map(({ name }) => ({
      name,
      isSuspended: market.isSuspendedNetwork(name),
    })),
  };
}

const isOfType = (kind: string, type: ProductType): boolean =>
  (kind === 'mobile_topup') === (type === 'mobile_topup');

/** Prices the order as a validation does, fees included; undefined if the product left the catalog. */
async function priceOf(
  deps: PartnerOrderDeps,
  host: OrderingHost,
  answers: Answers,
): Promise<string | undefined> {
  const request = await orderRequest(host, answers).catch(noRequest);
  if (!request) return undefined;
  const examined = await examine(deps, request, '');
  const { coin, amounts } = await assessNow(deps, deps.store.tables, examined);
  if (!coin || !amounts) return undefined;
  return `${formatCoinAmount(amounts.coinAtomic, coin)} ${coin.name}`;
}

function noRequest(error: unknown): undefined {
  if (error instanceof ScripError && error.code === 'PRODUCT_UNKNOWN') return undefined;
  throw error;
}
