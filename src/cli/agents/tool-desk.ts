/** What the tools of `scrip mcp` work with: the API of the profile, the journal, and the wallet if asked. */
import type { AgentOrderDeps } from '../../api/partner/agent-order.ts';
import { OTHER_DECIMALS } from '../../api/partner/partner.ts';
import type { PayRequest } from '../../api/partner/pay-terms.ts';
import { partnerHost } from '../../api/partner/place.ts';
import { openPaying } from '../../api/paying.ts';
import type { ScripDeps } from '../../api/scrip.ts';
import type { LocalDesk, ToolDesk } from '../../api/tool-desk.ts';
import { wordList } from '../../domain/command-text.ts';
import { inSamePlace } from '../same-place.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import type { Settings } from '../settings/shape.ts';
import { settingRecords } from '../settings/view.ts';
import type { Progress } from '../terminal/ports.ts';
import type { AgentConsent } from './recipients.ts';

interface DeskOptions extends AgentConsent {
  /** Orders may be paid from the local wallet. */
  readonly mayPay: boolean;
  readonly agentUserAgent: string | undefined;
}

/** A call of a tool does not outlive the patience of its client, which is mostly a minute. */
const PAY_WAIT_MS = 45_000;

const silent: Progress = { step: () => undefined, done: () => undefined };

export async function openToolDesk(
  context: ScripContext,
  { mayPay, agentUserAgent, allowsOtherCountry }: DeskOptions,
): Promise<ToolDesk> {
  const { createToolDesk } = await import('../../api/tool-desk.ts');
  const { mcpUrl } = context.settings;
  const local = localDesk(context, { allowsOtherCountry });
  return {
    ...createToolDesk({ ...partnerHost(scripDeps(context)), mcpUrl, agentUserAgent }),
    local: mayPay ? { ...local, pay: payer(context, { allowsOtherCountry }) } : local,
  };
}

function localDesk(context: ScripContext, consent: AgentConsent): Omit<LocalDesk, 'pay'> {
  return {
    async make(body) {
      const { makeAgentOrder } = await import('../../api/partner/agent-order.ts');
      const { readDeliveries } = await import('./recipients.ts');
      const { deliveries } = await readDeliveries(context, body.deliveries, consent);
      return makeAgentOrder(await orderDeps(context), { ...body, deliveries });
    },
    async keepPurchase(end) {
      if (end.status !== 'complete') return;
      const { keepPurchase } = await import('../../api/partner/agent-order.ts');
      await keepPurchase(await orderDeps(context), end);
    },
    placed: (text) => inSamePlace(text, placeWords(context.settings)),
    async keepEnd(order) {
      const { isTerminal } = await import('../../domain/order-states.ts');
      if (!isTerminal({ orderState: order.order_state })) return;
      const { keepEnd } = await import('../../api/partner/merchant.ts');
      await keepEnd(scripDeps(context), order);
    },
  };
}

async function orderDeps(context: ScripContext): Promise<AgentOrderDeps> {
  const { makingDeps, openPartnerBooks } = await import('../../api/partner/merchant.ts');
  const deps = scripDeps(context);
  const books = await openPartnerBooks(deps);
  return {
    ...makingDeps(deps, books),
    refundAddress: books.signer?.address,
    decimalsOf: async (means) =>
      (await deps.rail()).direct?.asset(means)?.decimals ?? OTHER_DECIMALS,
  };
}

/**
 * The same payment as that of `scrip pay`, under the same journal. Ours: a guided purchase tells the
 * merchant no address for refunds, and whoever is asked is shown so.
 */
function payer(context: ScripContext, consent: AgentConsent): NonNullable<LocalDesk['pay']> {
  return async (orderId, agree, signal) => {
    const { readDeliveries } = await import('./recipients.ts');
    const { payOrThrow, transferDeps } = await import('../../api/partner/merchant.ts');
    const deps: ScripDeps = {
      ...scripDeps(context),
      progress: silent,
      signal: AbortSignal.any([context.parts.signal, signal]),
      channel: 'agent',
    };
    const paying = await openPaying(deps, deps.place.apiUrl);
    const request: PayRequest = {
      orderId,
      // The guided purchase of a merchant's takes any number: it is looked at before it is paid.
      agree: async (offer) => {
        const { order, ordered = [] } = offer;
        // A status need not say what was ordered before it is delivered.
        const told = order.deliveries ?? [];
        const lines = told.length === 0 ? ordered : told;
        const { recipients } = await readDeliveries(context, [...lines], consent);
        await agree({ ...offer, recipients: recipients.map(({ text }) => text) });
      },
      waivesRefund: true,
    };
    const goOn = wordList(['scrip', 'pay', orderId], ' ');
    const { order, transactions } = await payOrThrow(
      transferDeps(deps, paying, PAY_WAIT_MS),
      request,
      goOn,
    );
    return { order, transactions };
  };
}

/**
 * The words that a shell of its own needs to come to the same place: what flags and environment said.
 * Who we are to the partner API is not among them: an agent reads this.
 */
function placeWords(settings: Settings): readonly string[] {
  return settingRecords(settings).flatMap(({ flag, value, source }) => {
    const isSaidHere = source === 'flag' || source === 'environment';
    const isTold = isSaidHere && flag !== null && flag !== '--partner-id' && value !== null;
    return isTold ? [flag, value] : [];
  });
}
