/** Builds tools from the endpoints of the contract: schemas, annotations, and how a call is answered. */

import { z } from 'zod';
import type { ToolBackend } from '../api/tool-backend.ts';
import {
  elicitationRequest,
  purchaseElicitation,
  TOOLS,
  type WireElicitation,
  type WireElicitationRequest,
} from '../contract/agent.ts';
import { type Endpoint, type Hints, lazy } from '../contract/endpoint.ts';
import { lenientInput } from '../contract/mended.ts';
import { provenRefund } from '../contract/order-refunds.ts';
import { createOrder, getOrderStatus, partnerOrder } from '../contract/partner-orders.ts';
import { firstFault, plainIssues } from '../contract/plain-issues.ts';
import type { WireToolAnnotations } from '../contract/tool-manifest.ts';
import { ScripError } from '../domain/message/errors.ts';
import { verbatim } from '../domain/message/message.ts';
import type { Asking } from './asking.ts';
import { askInForms } from './guided-forms.ts';
import { PAGED_LISTS, type Page, pagedSchema, pageInfo, pageOf, pageRequest } from './pages.ts';
import { type Fields, inputSchemaOf, type ObjectSchema, outputSchemaOf } from './slim-schema.ts';
import { guarded, unwrapTexts, withoutRepeatedCodes } from './untrusted.ts';

/** What a call may use besides its arguments. */
export interface ToolCall extends Asking {
  readonly backend: ToolBackend;
  /** Aborts when the client cancels the call or leaves. */
  readonly signal: AbortSignal;
  /** Tells a client that wants to know what is being done. */
  report(text: string): void;
}

/** A result in its structured form. */
export interface ToolResult {
  readonly result: unknown;
  /** Which part of a long list the result holds. */
  readonly page?: Page['page'];
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  readonly annotations: WireToolAnnotations;
  /** @throws {ScripError} */
  run(args: unknown, call: ToolCall): Promise<ToolResult>;
}

/** Ours: the tool that pays from the local wallet. */
export const PAY_ORDER = 'payOrder';

/** What a result shows of a body from the service. */
export interface Disclosure {
  /** Whether to wrap texts of merchants and hide codes; otherwise bodies stay as the interface has them. */
  readonly isGuarded: boolean;
  /** Whether a guarded result still shows redemption codes. */
  readonly areCodesShown: boolean;
}

/** The tools of the interface, in its order. */
export function wireTools(disclosure: Disclosure): readonly Tool[] {
  return TOOLS.map((row) => wireTool<unknown, unknown>(row, disclosure));
}

/** Ours: on the user's own machine an order that has ended has its refunds. */
const localOrder = lazy(() =>
  z.object({
    ...partnerOrder().shape,
    refunds: z
      .array(provenRefund())
      .optional()
      .describe('only if something is owed back, or was sent back'),
  }),
);

function isLocalOrder({ name }: { readonly name: string }, { isGuarded }: Disclosure): boolean {
  return isGuarded && name === getOrderStatus.name;
}

function wireTool<In, Out>(row: Endpoint<In, Out>, disclosure: Disclosure): Tool {
  const list = PAGED_LISTS[row.name];
  const input = inputOf(row, disclosure);
  const told = isLocalOrder(row, disclosure) ? localOrder() : row.output();
  const schema = list === undefined ? told : pagedSchema(told, list.fields);
  const { output, render } = disclosed(schema, disclosure);
  return {
    ...describeTool(row.name, { input, output, hints: row.hints, isPaged: list !== undefined }),
    async run(args, call) {
      // Check with the strict schema first; the endpoint's own schema then gives the typed value.
      const given = readInput(input, args);
      const body = await answerRow(row, given, call);
      if (list === undefined) return { result: render(body) };
      return pageOf(body, { ...list, tool: row.name, request: pageRequest().parse(given), render });
    },
  };
}

/** On the user's own machine the journal records orders, whichever tool makes or reads them. */
async function answerRow<In, Out>(
  row: Endpoint<In, Out>,
  args: unknown,
  call: ToolCall,
): Promise<unknown> {
  const { ask, local } = call.backend;
  if (local !== undefined && row.name === createOrder.name) {
    return local.make(readInput(createOrder.input(), args));
  }
  if (row.name === purchaseElicitation.name) return purchase(args, call);
  const body = await ask(row, readInput(row.input(), args));
  if (row.name !== getOrderStatus.name || local === undefined) return body;
  const refunds = await local.keepEnd(partnerOrder().parse(body));
  return refunds.length === 0 ? body : { ...Object(body), refunds };
}

async function purchase(args: unknown, call: ToolCall): Promise<WireElicitation> {
  const { ask, local } = call.backend;
  const say = async (request: WireElicitationRequest): Promise<WireElicitation> => {
    const reply = await ask(purchaseElicitation, request);
    await local?.keepPurchase(reply);
    return reply;
  };
  const request = readInput(elicitationRequest(), args);
  return formsWanted().parse(args).ask_user ? askInForms(request, call, say) : say(request);
}

/** Ours: the user may answer instead of the model. */
const formsWanted = lazy(() =>
  z.object({
    ask_user: z.boolean().optional().describe('The user answers, in forms of this client'),
  }),
);

interface Shape {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
  readonly hints: Hints;
  /** Whether it returns a long list in pages. */
  readonly isPaged?: boolean;
}

/** Returns name, texts, schemas and annotations of a tool. */
export function describeTool(
  name: string,
  { input, output, hints, isPaged = false }: Shape,
): Omit<Tool, 'run'> {
  const content = z.object({ result: output, ...(isPaged ? { page: pageInfo() } : {}) });
  const { title, description } = TOOL_TEXTS[name] ?? { title: name, description: name };
  return {
    name,
    title,
    description,
    inputSchema: inputSchemaOf(input),
    outputSchema: outputSchemaOf(content, TOLD_FIELDS[name] ?? PAGED_LISTS[name]?.fields ?? true),
    annotations: {
      title,
      readOnlyHint: hints.readOnly,
      destructiveHint: hints.destructive,
      idempotentHint: hints.idempotent,
      // A call reaches systems outside the caller's process: store and chain.
      openWorldHint: true,
    },
  };
}

/** The schema of a result, guarded where texts must be wrapped or hidden, and what makes it of a body. */
export function disclosed(schema: z.ZodType, { isGuarded, areCodesShown }: Disclosure) {
  const output = isGuarded ? guarded(schema, { areCodesShown }) : schema;
  return {
    output,
    /** @throws {ScripError} MERCHANT_REPLY_INVALID */
    render(body: unknown): unknown {
      if (!isGuarded) return body;
      const parsed = output.safeParse(areCodesShown ? body : withoutRepeatedCodes(body));
      if (parsed.success) return parsed.data;
      throw new ScripError('MERCHANT_REPLY_INVALID', verbatim(firstFault(output, body)));
    },
  };
}

/**
 * Ours: on the user's own machine a model cannot choose where notices or refunds go. Refunds go to the wallet
 * that paid, and the journal sets its own tracking marks.
 */
const NOT_A_MODELS_CHOICE: ReadonlySet<string> = new Set([
  'state_transition_notification_url',
  'refund_wallet_address',
  'acquisition',
]);

/** Refuses arguments that the endpoint does not name: a misspelt one is an error, not ignored. */
function inputOf(row: Endpoint, { isGuarded }: Disclosure): z.ZodType {
  const schema = row.input();
  if (!(schema instanceof z.ZodObject)) return schema;
  const fields = Object.entries(schema.shape).filter(
    ([name]) => !isGuarded || !NOT_A_MODELS_CHOICE.has(name),
  );
  const page = PAGED_LISTS[row.name] === undefined ? {} : pageRequest().shape;
  const forms = row.name === purchaseElicitation.name ? formsWanted().shape : {};
  return z.strictObject({ ...Object.fromEntries(fields), ...page, ...forms });
}

/**
 * Parses arguments.
 * @throws {ScripError} INPUT_INVALID naming the first wrong field; `details.issues` has all
 */
export function readInput<T>(schema: z.ZodType<T>, args: unknown): T {
  const given = unwrapTexts(lenientInput(schema, unwrapTexts(args)));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issues = plainIssues(schema, given).map(({ path, message }) => ({
    field: path.map(String).join('.'),
    message,
  }));
  throw new ScripError('INPUT_INVALID', verbatim(firstFault(schema, given)), {
    details: { issues },
  });
}

/** What an order asks for, and where it stands. */
const ORDER: Fields = {
  order_id: true,
  order_state: true,
  payment_state: true,
  coin: true,
  network: true,
  coin_amount: true,
  wallet_address: true,
  qr_text: true,
};

/** The fields that an output schema names, where a result has many more. */
const TOLD_FIELDS: Readonly<Partial<Record<string, Fields>>> = {
  getProductPrice: { product_id: true, range: true, coin: true, coin_amount: true },
  validateOrder: {
    coin: true,
    coin_amount: true,
    problems: true,
    payment_fee: true,
    deliveries: { delivery_state: true, deliverable: { brand_name: true, coin_amount: true } },
  },
  createOrder: ORDER,
  getOrderStatus: {
    ...ORDER,
    received_amount: true,
    missing_amount: true,
    payment_transactions: true,
    deliveries: {
      delivery_state: true,
      deliverable: {
        brand_name: true,
        denomination: true,
        beneficiary_account: true,
        pin_code: true,
        pin_serial: true,
        security_code: true,
        redeem_instructions: true,
        error_description: true,
        failure_reason: true,
        other_fields: true,
      },
    },
    refunds: true,
  },
  [PAY_ORDER]: { order: ORDER, transactions: true },
};

// Descriptions of the tools for a model: when to call each, and what to do with its result.

const TOOL_TEXTS: Readonly<Record<string, Pick<Tool, 'title' | 'description'>>> = {
  purchaseElicitation: {
    title: 'Guided purchase',
    description:
      'Buys step by step. Call it with an empty object first; then with session_token and answer, ' +
      'one question after another, or with action "back". The last answer, "yes", makes an order ' +
      'that is to be paid: ask the user before you send it, or have ask_user ask all of it. With status "complete", pay as ' +
      'payment_details says and follow the order with getOrderStatus.',
  },
  getCurrencies: {
    title: 'Coins',
    description: 'Lists the coins that orders can be paid in. Suspended ones cannot be used now.',
  },
  listBrands: {
    title: 'Brands of a country',
    description:
      'Lists the brands sold in a country, page by page: page.note says how to get the rest. When ' +
      'the brand is known by name, call searchProducts instead.',
  },
  listProductsForCountry: {
    title: 'Products of a brand',
    description:
      'Lists the products of a country, page by page; name brand_name, since a whole country is ' +
      'very long. With details, descriptions and terms are told too. ' +
      'is_dynamic true: any face value within range, priced by getProductPrice. is_dynamic false: ' +
      'a fixed denomination, whose exact price is coin_amount when coin is named.',
  },
  getPaymentViasWithCurrencies: {
    title: 'Ways to pay',
    description:
      'Lists the ways to pay with their coins and networks; pick a pair for payment. USDC on ' +
      'Solana is recommended: lowest fees, fastest settlement.',
  },
  getProductPrice: {
    title: 'Price of a face value',
    description: 'Prices a range product (is_dynamic true) for a face value in a coin.',
  },
  validateOrder: {
    title: 'Check an order',
    description:
      'Runs all checks of createOrder and prices the order, without making one. Call it before ' +
      'createOrder; nothing may be in problems. A fixed product is ordered by its denomination, a ' +
      'range product by denomination "range" and product_value, several of one by a delivery each. ' +
      'beneficiary_account is an e-mail address for gift cards and eSIMs, a phone number such as ' +
      '+14155550123 for top-ups.',
  },
  createOrder: {
    title: 'Make an order',
    description:
      'Makes an order that waits for payment: wallet_address and coin_amount say where and how ' +
      'much. Only for orders that the user wants to pay now, never to look at prices: unpaid ' +
      'orders count as abuse. Ask the user first.',
  },
  getOrderStatus: {
    title: 'State of an order',
    description:
      'Reads an order. Call it every 30 seconds until payment_state is PaymentReceived and ' +
      'order_state is Done; stop at Expired, Canceled or WaitingForManualAction as well.',
  },
  searchProducts: {
    title: 'Find a brand',
    description: 'Finds brands of a country by name, typing errors forgiven, best match first.',
  },
  [PAY_ORDER]: {
    title: 'Pay an order',
    description:
      'Pays an order of createOrder or purchaseElicitation with real money of the local wallet. ' +
      'The user is asked and may decline. max_amount is the most that may be paid, in the coin of ' +
      'the order: the amount that the user has agreed to. Afterwards follow it with getOrderStatus.',
  },
};
