/** What the tools of `scrip mcp` work with: the API of the profile, the journal, and the wallet if asked. */
import type { AgentConsent } from '../../api/partner/agent-order.ts';
import { partnerHost } from '../../api/partner/place.ts';
import type { ScripDeps } from '../../api/scrip.ts';
import type { LocalToolBackend, ToolBackend } from '../../api/tool-backend.ts';
import { inSamePlace } from '../same-place.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import type { Settings } from '../settings/shape.ts';
import { settingRecords } from '../settings/view.ts';
import { silent } from '../terminal/terminal.ts';

interface ToolBackendOptions extends AgentConsent {
  /** Orders may be paid from the local wallet. */
  readonly mayPay: boolean;
  readonly agentUserAgent: string | undefined;
}

export async function openToolBackend(
  context: ScripContext,
  { mayPay, agentUserAgent, allowsOtherCountry }: ToolBackendOptions,
): Promise<ToolBackend> {
  const { createToolBackend } = await import('../../api/tool-backend.ts');
  const { mcpUrl } = context.settings;
  const { pay, ...local } = localToolBackend(context, { allowsOtherCountry });
  return {
    ...createToolBackend({ ...partnerHost(scripDeps(context)), mcpUrl, agentUserAgent }),
    local: mayPay ? { ...local, pay } : local,
  };
}

function localToolBackend(
  context: ScripContext,
  consent: AgentConsent,
): Required<LocalToolBackend> {
  // An agent is told by the answer alone.
  const deps: ScripDeps = {
    ...scripDeps(context),
    channel: 'agent',
    progress: silent,
    notify: () => undefined,
  };
  const agentOrder = () => import('../../api/partner/agent-order.ts');
  return {
    make: async (body) => (await agentOrder()).orderForAgent(deps, body, consent),
    async keepPurchase(end) {
      if (end.status === 'complete') await (await agentOrder()).keepPurchase(deps, end);
    },
    placed: (text) => inSamePlace(text, placeWords(context.settings)),
    async keepEnd(order) {
      const { isTerminal } = await import('../../domain/order-states.ts');
      if (!isTerminal({ orderState: order.order_state })) return;
      const { keepEnd } = await import('../../api/partner/merchant.ts');
      await keepEnd(deps, order);
    },
    async pay(orderId, agree, signal) {
      const paying = { ...deps, signal: AbortSignal.any([deps.signal, signal]) };
      return (await agentOrder()).payForAgent(paying, { orderId, agree }, consent);
    },
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
