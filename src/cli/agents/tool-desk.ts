/** What the tools of `scrip mcp` work with: the API of the profile, the journal, and the wallet if asked. */
import type { AgentOrderDeps } from '../../api/partner/agent-order.ts';
import type { LocalDesk, ToolDesk } from '../../api/tool-desk.ts';
import type { Context } from '../context.ts';
import { partnerHost } from '../partner/api.ts';
import { makingDeps, openPartnerBooks, payingDeps } from '../partner/purchasing.ts';
import { inSamePlace } from '../same-place.ts';
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
/** Of a coin that this wallet cannot send; nothing is signed for by them. */
const OTHER_DECIMALS = 9;

const silent: Progress = { step: () => undefined, done: () => undefined };

export async function openToolDesk(
  context: Context,
  { mayPay, agentUserAgent, allowsOtherCountry }: DeskOptions,
): Promise<ToolDesk> {
  const { createToolDesk } = await import('../../api/tool-desk.ts');
  const { mcpUrl } = context.settings;
  const local = localDesk(context, { allowsOtherCountry });
  return {
    ...createToolDesk({ ...partnerHost(context), mcpUrl, agentUserAgent }),
    local: mayPay ? { ...local, pay: payer(context, { allowsOtherCountry }) } : local,
  };
}

function localDesk(context: Context, consent: AgentConsent): Omit<LocalDesk, 'pay'> {
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
      const { keepEnd } = await import('../partner/following.ts');
      await keepEnd(context, order);
    },
  };
}

async function orderDeps(context: Context): Promise<AgentOrderDeps> {
  const books = await openPartnerBooks(context);
  return {
    ...makingDeps(context, partnerHost(context), books),
    refundAddress: books.signer?.address,
    decimalsOf: async (means) =>
      (await context.parts.rail()).direct?.asset(means)?.decimals ?? OTHER_DECIMALS,
  };
}

/**
 * The same payment as that of `scrip pay`, under the same journal. Ours: a guided purchase tells the
 * merchant no address for refunds, and whoever is asked is shown so.
 */
function payer(context: Context, consent: AgentConsent): NonNullable<LocalDesk['pay']> {
  return async (orderId, agree, signal) => {
    const { readDeliveries } = await import('./recipients.ts');
    const { pay } = await import('../partner/paying.ts');
    const interrupted = AbortSignal.any([context.parts.signal, signal]);
    const tools = await payingDeps(
      {
        ...context,
        io: { ...context.io, progress: silent },
        parts: { ...context.parts, signal: interrupted },
      },
      PAY_WAIT_MS,
      'agent',
    );
    const { order, transactions } = await pay(tools, {
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
    });
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
