/** Surface C: the guided purchase, and the endpoints that are tools (interface: Agent tool server). */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';
import { object } from './object.ts';
import {
  getProductPrice,
  listBrands,
  listProductsForCountry,
  searchProducts,
} from './partner-catalog.ts';
import { getCurrencies, getPaymentVias } from './partner-market.ts';
import { createOrder, getOrderStatus, validateOrder } from './partner-orders.ts';

/** Ours: our client's `User-Agent` if the service requires none (interface: Authentication, 3). */
export const AGENT_USER_AGENT = 'scrip-agent/1';
/** Ours: a service with this value accepts any `User-Agent`. */
const ANY_AGENT = '*';

/**
 * Whether a service that requires this `User-Agent` accepts a client's name; without a requirement
 * it accepts any.
 */
export function takesAgent(wanted: string | undefined, name: string | null): boolean {
  return wanted === undefined || wanted === ANY_AGENT || name?.trim() === wanted;
}

/** Returns the `User-Agent` that our client sends to a service with this requirement. */
export function agentNameFor(wanted: string | undefined): string {
  return wanted === undefined || wanted === ANY_AGENT ? AGENT_USER_AGENT : wanted;
}

const MAX_ANSWER_LENGTH = 500;
const MAX_LANG_LENGTH = 35;

export const elicitationRequest = object(() => ({
  /** From the first response; required on later calls. */
  session_token: z.string().max(200).optional(),
  answer: z.string().max(MAX_ANSWER_LENGTH).optional(),
  action: z.enum(['back']).optional(),
  /** Ours: clients send it; the language for messages to the recipient of the order. */
  lang: z.string().max(MAX_LANG_LENGTH).optional(),
}));
export type WireElicitationRequest = Infer<typeof elicitationRequest>;

export const paymentDetails = object(() => ({
  walletAddress: z.string(),
  coinSymbol: z.string(),
  /** Whole units of the coin, as decimal text. */
  coinAmount: z.string(),
  network: z.string(),
}));

/** Fields that each status requires, besides `status` itself. */
const REQUIRED = {
  continue: ['session_token', 'question', 'expected_format', 'previous_answers'],
  complete: ['next_step', 'payment_details'],
  error: ['error', 'fix'],
} as const;

/** One object, not a union: a tool's output schema must be an object. */
export const elicitationResponse = lazy(() =>
  z
    .object({
      status: z.enum(['continue', 'complete', 'error']),
      session_token: z.string().nullish(),
      question: z.string().optional(),
      expected_format: z.string().optional(),
      options: z.array(z.string()).optional(),
      /** Data collected so far. */
      previous_answers: z.record(z.string(), z.unknown()).optional(),
      error: z.string().optional(),
      fix: z.string().optional(),
      suggestions: z.array(z.string()).optional(),
      /** How to pay and what to poll; names GET /v5/orders/{id}. */
      next_step: z.string().optional(),
      payment_details: paymentDetails().optional(),
    })
    .superRefine((response, context) => {
      for (const field of REQUIRED[response.status]) {
        if (response[field] !== undefined && response[field] !== null) continue;
        context.addIssue({
          code: 'custom',
          path: [field],
          message: `required when status is ${response.status}`,
        });
      }
    }),
);
export type WireElicitation = Infer<typeof elicitationResponse>;

export const purchaseElicitation = endpoint({
  name: 'purchaseElicitation',
  method: 'POST',
  path: '/mcp/purchase_elicitation',
  summary: 'Buys step by step: a question at a time, and an order at the end',
  input: elicitationRequest,
  output: elicitationResponse,
  hints: { destructive: true },
});

/** The tools in the interface's order; their hints come from the endpoints. */
export const TOOLS = [
  purchaseElicitation,
  getCurrencies,
  listBrands,
  listProductsForCountry,
  getPaymentVias,
  getProductPrice,
  validateOrder,
  createOrder,
  getOrderStatus,
  searchProducts,
] as const;
