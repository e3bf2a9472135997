/** A supplier behind HTTP, by the contract of docs/operate/suppliers.md. */

import { z } from 'zod';
import { type Infer, lazy } from '../contract/endpoint.ts';
import { firstFault } from '../contract/plain-issues.ts';
import { parseJson } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import { formatFaceValue } from '../domain/product/product.ts';
import type { SupplierLedger } from '../service/audit/evidence.ts';
import type {
  Supplier,
  SupplyOutcome,
  SupplyRequest,
  Voucher,
} from '../service/delivery/supplier.ts';
import { type Answer, ask, type Host } from './feed.ts';

const text = lazy(() => z.string().min(1).max(4_096));

const stock = lazy(() => z.object({ available: z.boolean() }));

const voucher = lazy(() =>
  z.object({
    voucher_code: text().optional(),
    pin_serial: text().optional(),
    security_code: text().optional(),
    redeem_instructions: z.string().max(10_000).default(''),
    terms_and_conditions: z.string().max(10_000).default(''),
    url: z.url({ protocol: /^https$/ }).optional(),
    delivery_type: z.enum(['by_email', 'by_sms', 'inline']).default('inline'),
  }),
);

/** What the supplier asks for a purchase. */
export const cost = lazy(() =>
  z.object({
    amount: z.string().regex(/^(0|[1-9]\d{0,9})(\.\d{1,6})?$/, 'must be a decimal in quotes'),
    currency: z.string().regex(/^[A-Z]{3,5}$/, 'must be a code in capitals'),
  }),
);

const purchase = lazy(() =>
  z.discriminatedUnion('status', [
    z.object({
      status: z.literal('fulfilled'),
      reference: text(),
      voucher: voucher(),
      cost: cost().optional().catch(undefined),
    }),
    z.object({
      status: z.literal('pending'),
      reference: text(),
      retry_after_seconds: z.number().int().min(1).max(86_400).default(30),
    }),
    z.object({ status: z.literal('refused'), reference: text(), reason: text() }),
  ]),
);

export interface HttpSupplierOptions {
  readonly host: Host;
  /** Without a trailing slash. */
  readonly url: string;
}

export function createHttpSupplier({ host, url }: HttpSupplierOptions): Supplier {
  return {
    check: async (request) => {
      const answer = await post(host, `${url}/stock`, goodsOf(request));
      return read(answer, stock).available ? 'available' : 'out_of_stock';
    },
    fulfil: async (reference, request) => {
      const known = `${url}/purchases/${encodeURIComponent(reference)}`;
      const body = { reference, ...goodsOf(request), beneficiary: request.beneficiary };
      const answer = await post(host, `${url}/purchases`, body, reference).catch(
        // It may have been bought: the supplier knows, by the reference.
        () => ask(host, known),
      );
      return outcomeOf(reference, read(answer, purchase));
    },
  };
}

/** The supplier is asked for each line, and for its sales if it lists them. */
export function httpLedger(
  { host, url }: HttpSupplierOptions,
  clock: Pick<Clock, 'now'>,
): SupplierLedger {
  return {
    async sold({ deliveryId }) {
      const answer = await ask(host, `${url}/purchases/${encodeURIComponent(deliveryId)}`);
      if (answer.status === 404) return undefined;
      const told = outcomeOf(deliveryId, read(answer, purchase));
      const asked = told.outcome === 'fulfilled' ? told.cost : undefined;
      return { outcome: told.outcome, isSame: true, cost: asked };
    },
    async *sales({ deliveries }, sinceMs) {
      const newFromMs = clock.now() - NEW_MS;
      for (let after: string | undefined; ; ) {
        const page = await salesPage({ host, url }, sinceMs, after);
        for (const { reference, status, created_at: at } of page?.purchases ?? []) {
          if (status === 'refused') continue;
          const hasLine = (await deliveries.byId(reference)) !== undefined;
          yield { reference, hasLine, isNew: Date.parse(at) > newFromMs };
        }
        if (page?.next === undefined || page.next === after) return;
        after = page.next;
      }
    },
  };
}

const NEW_MS = 120_000;

const sales = lazy(() =>
  z.object({
    purchases: z.array(
      z.object({
        reference: text(),
        status: z.enum(['fulfilled', 'pending', 'refused']),
        created_at: z.iso.datetime({ offset: true }),
      }),
    ),
    next: text().optional(),
  }),
);

/** Statuses of a supplier that does not list its sales. */
const NOT_LISTED: readonly number[] = [404, 405, 501];

async function salesPage(
  { host, url }: HttpSupplierOptions,
  sinceMs: number,
  after: string | undefined,
): Promise<Infer<typeof sales> | undefined> {
  const query = new URLSearchParams({ since: new Date(sinceMs).toISOString() });
  if (after !== undefined) query.set('after', after);
  const answer = await ask(host, `${url}/purchases?${query}`);
  return NOT_LISTED.includes(answer.status) ? undefined : read(answer, sales);
}

function goodsOf({ product, faceValue }: Omit<SupplyRequest, 'beneficiary'>) {
  return {
    product_id: product.productId,
    face_value: formatFaceValue(faceValue),
    currency: product.brand.currency,
    country_code: product.brand.countryCode,
  };
}

function post(host: Host, url: string, body: unknown, key?: string): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  };
  return ask(host, url, { method: 'POST', headers, body: JSON.stringify(body) });
}

const SUPPLIER_HINT = t`See the log of the supplier; docs/operate/suppliers.md says what it has to answer.`;

/** A throw leaves the purchase unknown: it is asked for again under the same reference. */
function read<S extends z.ZodType>({ status, text: body }: Answer, schema: () => S): z.output<S> {
  if (status !== 200 && status !== 202) {
    throw new ScripError('MERCHANT_ERROR', t`The supplier answered with status ${status}`, {
      hint: SUPPLIER_HINT,
    });
  }
  const json = parseJson(body);
  const parsed = schema().safeParse(json);
  if (parsed.success) return parsed.data;
  const fault = verbatim(firstFault(schema(), json));
  throw new ScripError('MERCHANT_ERROR', t`The supplier’s answer is not valid: ${fault}`, {
    hint: SUPPLIER_HINT,
  });
}

function outcomeOf(reference: string, bought: Infer<typeof purchase>): SupplyOutcome {
  if (bought.reference !== reference) {
    throw new ScripError(
      'MERCHANT_ERROR',
      t`The supplier answered for ${bought.reference}, not for ${reference}`,
      { hint: SUPPLIER_HINT },
    );
  }
  switch (bought.status) {
    case 'fulfilled':
      return { outcome: 'fulfilled', voucher: voucherOf(bought.voucher), cost: bought.cost };
    case 'pending':
      return { outcome: 'pending', retryAfterMs: bought.retry_after_seconds * 1_000 };
    case 'refused':
      return { outcome: 'refused', reason: bought.reason };
  }
}

function voucherOf(wire: Infer<typeof voucher>): Voucher {
  const { voucher_code, pin_serial, security_code, url } = wire;
  return {
    redeemInstructions: wire.redeem_instructions,
    termsAndConditions: wire.terms_and_conditions,
    deliveryType: wire.delivery_type,
    ...(voucher_code === undefined ? {} : { voucherCode: voucher_code }),
    ...(pin_serial === undefined ? {} : { pinSerial: pin_serial }),
    ...(security_code === undefined ? {} : { securityCode: security_code }),
    ...(url === undefined ? {} : { url }),
  };
}
