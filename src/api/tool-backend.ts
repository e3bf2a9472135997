/** Backends of an agent's tools: the partner API and the wizard of a service, and this machine. */
import { agentNameFor, purchaseElicitation, type WireElicitation } from '../contract/agent.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { ProvenRefund } from '../contract/order-refunds.ts';
import type { WireCreateOrder, WirePartnerOrder } from '../contract/partner-orders.ts';
import { call } from './http/call.ts';
import { callPartner, type PartnerHost, partnerHeaders } from './partner/partner.ts';
import type { PaymentQuote, PayRequest } from './partner/pay-terms.ts';

export interface ToolHost extends PartnerHost {
  /** Base address of the agent tool server, without a trailing slash. */
  readonly mcpUrl: string;
  /** User-Agent that the tool server requires of clients; any if omitted. */
  readonly agentUserAgent?: string | undefined;
}

/** An order paid from the local wallet. */
export interface PaidOrder {
  readonly order: WirePartnerOrder;
  /** This wallet's transactions, all final. */
  readonly transactions: readonly string[];
}

export interface ToolBackend {
  /** Calls an endpoint of the partner API or the wizard. @throws {ScripError} what `call` throws */
  ask<In, Out>(row: Endpoint<In, Out>, input: In): Promise<Out>;
  /** What this machine does itself; undefined in the service's own tool server. */
  readonly local?: LocalToolBackend;
}

/** This machine's orders: journaled like those of the command line, and paid if allowed. */
export interface LocalToolBackend {
  /** Validates and creates an order, at most once. @throws {ScripError} what `orderForAgent` throws */
  make(body: WireCreateOrder): Promise<WirePartnerOrder>;
  /** Journals the order that a guided purchase created. */
  keepPurchase(end: WireElicitation): Promise<void>;
  /**
   * Completes commands in a text, so that they reach the same host from a shell without this server's flags
   * and environment.
   */
  placed(text: string): string;
  /**
   * Stores the goods of an order as read, once it has them. Returns the refunds of one that ended without
   * all of its goods.
   */
  keepEnd(order: WirePartnerOrder): Promise<readonly ProvenRefund[]>;
  /** Whether the policy lets an agent pay this without asking its user. */
  mayPayAlone(quote: PaymentQuote): Promise<boolean>;
  /**
   * Returns once a person has approved the question outside of the client.
   * @throws {ScripError} CONFIRMATION_REQUIRED until a person has; DECLINED
   */
  approve(orderId: string, question: string): Promise<void>;
  /**
   * Pays an order from the local wallet; undefined when paying is not allowed.
   * @throws {ScripError} what `agree` throws, and why the order is not paid
   */
  readonly pay?: (
    orderId: string,
    agree: PayRequest['agree'],
    call: { readonly signal: AbortSignal; report(step: string): void },
  ) => Promise<PaidOrder>;
}

/** Creates a backend that calls the service and stores nothing. */
export function createToolBackend(host: ToolHost): ToolBackend {
  return {
    ask: (row, input) =>
      row.name === purchaseElicitation.name
        ? askAgent(host, row, input)
        : callPartner(host, row, input),
  };
}

/** Sends the partner id too, so that the wizard's orders belong to it like all others. */
function askAgent<In, Out>(host: ToolHost, row: Endpoint<In, Out>, input: In): Promise<Out> {
  return call(host.fetch, host.mcpUrl, row, input, {
    signal: host.signal,
    headers: {
      ...partnerHeaders(host),
      'user-agent': agentNameFor(host.agentUserAgent),
    },
  });
}
