/** What the tools of an agent are answered by: the partner API and the wizard of a service. */
import { agentNameFor, type WireElicitation } from '../contract/agent.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { WireCreateOrder, WirePartnerOrder } from '../contract/partner-orders.ts';
import { call } from './http/call.ts';
import { callPartner, type PartnerHost, partnerHeaders } from './partner/partner.ts';
import type { PayRequest } from './partner/pay-terms.ts';

export interface ToolHost extends PartnerHost {
  /** Base address of the agent surface, without a trailing slash. */
  readonly mcpUrl: string;
  /** What that surface wants clients to call themselves; any name when left out. */
  readonly agentUserAgent?: string | undefined;
}

/** An order that was paid from the local wallet. */
export interface PaidOrder {
  readonly order: WirePartnerOrder;
  /** Of this wallet, all of them final. */
  readonly transactions: readonly string[];
}

export interface ToolBackend {
  /** Answers a row of the partner API or the wizard's. @throws {ScripError} what `call` throws */
  ask<In, Out>(row: Endpoint<In, Out>, input: In): Promise<Out>;
  /** What this machine does beside asking; nothing in the service's own tool server. */
  readonly local?: LocalToolBackend;
}

/** Orders of this machine: written down as those of the command line are, and paid where that is allowed. */
export interface LocalToolBackend {
  /** Checks and makes an order, at most once. @throws {ScripError} what `orderForAgent` throws */
  make(body: WireCreateOrder): Promise<WirePartnerOrder>;
  /** Writes down the order that a guided purchase has made. */
  keepPurchase(end: WireElicitation): Promise<void>;
  /** A text whose commands reach what this server reaches, from a shell without its flags and environment. */
  placed(text: string): string;
  /** Keeps the goods of an order that was read, once it has them. */
  keepEnd(order: WirePartnerOrder): Promise<void>;
  /**
   * Pays an order from the local wallet; there is none where nothing is paid.
   * @throws {ScripError} what `agree` throws, and why the order is not paid
   */
  readonly pay?: (
    orderId: string,
    agree: PayRequest['agree'],
    signal: AbortSignal,
  ) => Promise<PaidOrder>;
}

/** A backend that asks the service and keeps nothing. */
export function createToolBackend(host: ToolHost): ToolBackend {
  return {
    ask: (row, input) =>
      row.surface === 'agent' ? askAgent(host, row, input) : callPartner(host, row, input),
  };
}

/** Orders of the wizard belong to the same partner id as all others. */
function askAgent<In, Out>(host: ToolHost, row: Endpoint<In, Out>, input: In): Promise<Out> {
  return call(host.fetch, host.mcpUrl, row, input, {
    signal: host.signal,
    headers: {
      ...partnerHeaders(host),
      'user-agent': agentNameFor(host.agentUserAgent),
    },
  });
}
