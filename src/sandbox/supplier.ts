/** A supplier without outside services: a durable ledger, test codes, and scenarios to simulate failures. */

import { strict as assert } from 'node:assert';
import { createHmac } from 'node:crypto';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { formatFaceValue, type ProductKind } from '../domain/product/product.ts';
import type {
  Supplier,
  SupplyOutcome,
  SupplyRequest,
  Voucher,
} from '../service/delivery/supplier.ts';
import type { Store } from '../store/store.ts';
import type { PurchaseRow } from '../store/tables/purchases.ts';
import { type Scenario, scenarioFor } from './scenarios.ts';

interface SandboxSupplierOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** Secret that codes derive from; kept outside the store. */
  readonly seed: Uint8Array;
}

/**
 * Creates a supplier that records one purchase per reference, for any number of calls and
 * processes. The ledger stores no codes: each call derives them from seed and reference.
 */
export function createSandboxSupplier({ store, clock, seed }: SandboxSupplierOptions): Supplier {
  return {
    check: async ({ product, beneficiary }) => {
      const { check } = scenarioFor(beneficiary);
      if (check === 'unreachable') throw unreachable();
      return product.brand.isOutOfStock ? 'out_of_stock' : check;
    },
    fulfil: async (reference, request) => {
      const chosen = scenarioFor(request.beneficiary);
      if (chosen.check === 'unreachable') throw unreachable();
      const now = clock.now();
      // Commit the record before the answer is lost, so a repeated call finds the purchase.
      const row = await store.write(async ({ purchases, holds }) => {
        await holds.take(`purchase ${reference}`);
        const known = await purchases.byReference(reference);
        const next = known ? countCall(known, request) : firstCall(reference, request, chosen, now);
        await purchases.put(next);
        return next;
      });
      return answer(row, chosen, now, () => makeVoucher(seed, reference, request));
    },
  };
}

function firstCall(
  reference: string,
  request: SupplyRequest,
  { pendingMs, refusal }: Scenario,
  now: number,
): PurchaseRow {
  return {
    reference,
    request: JSON.stringify(identify(request)),
    outcome: refusal === undefined ? 'fulfilled' : 'refused',
    readyAtMs: now + pendingMs,
    attempts: 1,
    voucher: null,
    createdAtMs: now,
  };
}

/** A reference belongs to one purchase forever; a different request under it is the caller's bug. */
function countCall(known: PurchaseRow, request: SupplyRequest): PurchaseRow {
  const { productId, faceValue, beneficiary } = JSON.parse(known.request);
  const recorded = { productId, faceValue, beneficiary };
  assert.deepEqual(recorded, identify(request), `reference ${known.reference} was used before`);
  return { ...known, attempts: known.attempts + 1 };
}

/** Stored of a request: enough to recognize it. Its beneficiary chose the scenario. */
function identify({ product, faceValue, beneficiary }: SupplyRequest) {
  return { productId: product.productId, faceValue: faceValue.toString(), beneficiary };
}

function answer(
  row: PurchaseRow,
  decided: Scenario,
  now: number,
  voucher: () => ReturnType<typeof makeVoucher>,
): SupplyOutcome {
  if (row.attempts <= decided.lostAnswers) throw answerLost(row);
  if (now < row.readyAtMs) return { outcome: 'pending', retryAfterMs: row.readyAtMs - now };
  if (row.outcome === 'fulfilled') return { outcome: 'fulfilled', voucher: voucher() };
  return { outcome: 'refused', reason: decided.refusal ?? 'the supplier declined this purchase' };
}

function unreachable(): ScripError {
  return new ScripError('MERCHANT_ERROR', t`The supplier cannot be reached`);
}

function answerLost({ reference, attempts }: PurchaseRow): ScripError {
  return new ScripError(
    'MERCHANT_ERROR',
    t`The supplier's answer to call ${attempts} for ${reference} was lost; ask again with the same reference`,
  );
}

// Test redemption data, impossible to mistake for real: every code begins with TEST.

/** Letters and digits that are not confused when read aloud or typed. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

const GROUP_LENGTH = 4;

/** Derives the codes of one purchase; the same purpose gives the same code. */
type Draw = (purpose: string) => string;

type Made = Pick<
  Voucher,
  'voucherCode' | 'pinSerial' | 'securityCode' | 'redeemInstructions' | 'url' | 'deliveryType'
>;

const VOUCHERS: Readonly<Record<ProductKind, (draw: Draw, request: SupplyRequest) => Made>> = {
  giftcard: (draw, { product }) => ({
    voucherCode: draw('code'),
    pinSerial: draw('serial'),
    ...(product.brand.category === 'e-money' ? { securityCode: draw('security') } : {}),
    redeemInstructions: `Sandbox code: enter it at ${product.brand.name} to see that it is worth nothing.`,
    url: 'https://sandbox.example/redeem',
    deliveryType: 'inline',
  }),
  mobile_topup: (draw, { product, faceValue }) => ({
    pinSerial: draw('confirmation'),
    redeemInstructions:
      `Sandbox top-up of ${formatFaceValue(faceValue)} ${product.brand.currency} by ` +
      `${product.brand.name}; nothing to redeem. The serial is the confirmation number.`,
    deliveryType: 'by_sms',
  }),
  esim: (draw) => ({
    // GSMA SGP.22: an eSIM's QR code holds LPA:1$<SM-DP+ address>$<matching id>.
    voucherCode: `LPA:1$sandbox.example$${draw('activation')}`,
    pinSerial: draw('iccid'),
    redeemInstructions:
      'Sandbox eSIM: the activation code has the real shape and installs nothing.',
    deliveryType: 'inline',
  }),
  other: (draw, { product }) => ({
    voucherCode: draw('code'),
    redeemInstructions: `Sandbox code for ${product.brand.name}; it is worth nothing.`,
    deliveryType: 'inline',
  }),
};

/** Creates the voucher of a purchase; the same seed and reference always give the same voucher. */
function makeVoucher(seed: Uint8Array, reference: string, request: SupplyRequest): Voucher {
  const draw = (purpose: string): string => testCode(seed, `${purpose}|${reference}`);
  return {
    ...VOUCHERS[request.product.brand.kind](draw, request),
    termsAndConditions: 'Sample data of a sandbox. Not redeemable, not refundable, not money.',
  };
}

/** Returns a code such as `TEST-XXXX-XXXX-XXXX`: 60 bits, unguessable without the seed. */
function testCode(seed: Uint8Array, purpose: string): string {
  const bytes = createHmac('sha256', seed).update(purpose).digest();
  const letters = [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  const groups = [0, 1, 2].map((group) =>
    letters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH),
  );
  return ['TEST', ...groups].join('-');
}
