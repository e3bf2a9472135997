/** The backend of `scrip mcp`: the profile's API, the journal, and the wallet if paying is allowed. */

import type { AgentConsent } from '../../api/partner/agent-order.ts';
import { partnerHost } from '../../api/partner/place.ts';
import { isPlayMoney, readPolicyFile } from '../../api/payment/spending.ts';
import type { ScripDeps } from '../../api/scrip.ts';
import type { LocalToolBackend, ToolBackend } from '../../api/tool-backend.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { policyOf } from '../../domain/policy/policy-file.ts';
import type { With } from '../context.ts';
import { inSamePlace } from '../same-place.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import type { Settings } from '../settings/settings.ts';
import { settingRecords } from '../settings/view.ts';
import { silent } from '../terminal/terminal.ts';
import { requireApproval } from './approvals.ts';

interface ToolBackendOptions extends AgentConsent {
  /** Whether orders may be paid from the local wallet. */
  readonly mayPay: boolean;
  readonly agentUserAgent: string | undefined;
}

export async function openToolBackend(
  context: ScripContext & With<'files'>,
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
  context: ScripContext & With<'files'>,
  consent: AgentConsent,
): Required<LocalToolBackend> {
  // An agent reads only the tool's result, so there is no progress output.
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
      const { isTerminal } = await import('../../domain/order/order-states.ts');
      if (!isTerminal({ orderState: order.order_state })) return [];
      const [{ keepEnd, snapshotOf }, { partnerMerchant }, refunds] = await Promise.all([
        import('../../api/partner/order-following.ts'),
        import('../../api/partner/merchant.ts'),
        import('../../api/proven-refunds.ts'),
      ]);
      await keepEnd(deps, order);
      if (!refunds.mayHaveRefunds(snapshotOf(order))) return [];
      return refunds.provenRefunds(deps, partnerMerchant(deps), order.order_id);
    },
    async mayPayAlone({ amountAtomic, coin }) {
      const file = await readPolicyFile(deps);
      const { address } = await deps.signer();
      const party = { address, merchantUrl: deps.place.apiUrl };
      const { pay, askAbove } = policyOf(file, await isPlayMoney(deps, party)).mcp;
      if (pay !== 'auto' || coin !== 'USDC') return false;
      return askAbove === undefined || amountAtomic <= askAbove;
    },
    approve: (orderId, question) =>
      requireApproval(context.files.approvals, deps.clock, { orderId, question }),
    async pay(orderId, agree, { signal, report }) {
      const paying = {
        ...deps,
        signal: AbortSignal.any([deps.signal, signal]),
        progress: { ...silent, step: (text: Message) => report(String(text)) },
      };
      return (await agentOrder()).payForAgent(paying, { orderId, agree }, consent);
    },
  };
}

/**
 * The options with which a command in another shell reaches the same merchant and settings: those that came
 * from flags and the environment. Leaves out the partner id, because an agent reads them.
 */
function placeWords(settings: Settings): readonly string[] {
  return settingRecords(settings).flatMap(({ flag, value, source }) => {
    const isSaidHere = source === 'flag' || source === 'environment';
    const isTold = isSaidHere && flag !== null && flag !== '--partner-id' && value !== null;
    return isTold ? [flag, value] : [];
  });
}

/** Checks the policy. @throws {ScripError} POLICY_REFUSED if mcp.revealCodes is false; POLICY_INVALID */
export async function checkCodesMayBeTold({ parts }: With<'parts'>): Promise<void> {
  const { mcp } = await readPolicyFile(parts);
  if (mcp?.revealCodes !== false) return;
  throw new ScripError('POLICY_REFUSED', t`The policy does not allow agents to see codes`, {
    hint: t`Leave out --reveal-codes. To change the policy, run in a terminal: scrip policy set mcp.revealCodes true`,
    details: { rule: 'mcp.revealCodes' },
  });
}
