/** A supplier without outside services: a durable ledger, test codes, and scenarios to simulate failures. */

import { strict as assert } from 'node:assert';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { Supplier, SupplyOutcome, SupplyRequest } from '../service/suppliers/supplier.ts';
import type { Store } from '../store/store.ts';
import type { PurchaseRow } from '../store/tables/purchases.ts';
import { INSTANT, type Scenario, scenarioFor, scenarioNamed } from './scenarios.ts';
import { makeVoucher } from './voucher.ts';

interface SandboxSupplierOptions {
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** Secret that codes derive from; kept outside the store. */
  readonly seed: Uint8Array;
  /** Scenario for beneficiaries that choose none; by default `INSTANT`. */
  readonly scenario?: Scenario;
}

/**
 * Creates a supplier that records one purchase per reference, for any number of calls and
 * processes. The ledger stores no codes: each call derives them from seed and reference.
 */
export function createSandboxSupplier(options: SandboxSupplierOptions): Supplier {
  const { store, clock, seed, scenario: byDefault = INSTANT } = options;
  return {
    check: async ({ product, beneficiary }) => {
      const { check } = scenarioFor(beneficiary, byDefault);
      if (check === 'unreachable') throw unreachable();
      return product.brand.isOutOfStock ? 'out_of_stock' : check;
    },
    fulfil: async (reference, request) => {
      const chosen = scenarioFor(request.beneficiary, byDefault);
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
      return answer(row, now, () => makeVoucher(seed, reference, request));
    },
  };
}

/** Stored of a request: enough to recognize it, and the scenario that decided it. */
interface Recorded {
  readonly productId: string;
  readonly faceValue: string;
  readonly beneficiary: string;
  readonly scenario: string;
}

function firstCall(
  reference: string,
  request: SupplyRequest,
  { name, pendingMs, refusal }: Scenario,
  now: number,
): PurchaseRow {
  const recorded: Recorded = { ...identify(request), scenario: name };
  return {
    reference,
    request: JSON.stringify(recorded),
    outcome: refusal === undefined ? 'fulfilled' : 'refused',
    readyAtMs: now + pendingMs,
    attempts: 1,
    voucher: null,
    createdAtMs: now,
  };
}

/** A reference belongs to one purchase forever; a different request under it is the caller's bug. */
function countCall(known: PurchaseRow, request: SupplyRequest): PurchaseRow {
  const { scenario: _decided, ...recorded } = recordedIn(known);
  assert.deepEqual(recorded, identify(request), `reference ${known.reference} was used before`);
  return { ...known, attempts: known.attempts + 1 };
}

function identify({ product, faceValue, beneficiary }: SupplyRequest): Omit<Recorded, 'scenario'> {
  return { productId: product.productId, faceValue: faceValue.toString(), beneficiary };
}

function recordedIn(row: PurchaseRow): Recorded {
  return JSON.parse(row.request) as Recorded;
}

function answer(
  row: PurchaseRow,
  now: number,
  voucher: () => ReturnType<typeof makeVoucher>,
): SupplyOutcome {
  const decided = scenarioNamed(recordedIn(row).scenario) ?? INSTANT;
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
