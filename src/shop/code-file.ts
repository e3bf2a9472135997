/** The simplest supplier: a file of codes, one JSON object per line, each given to one order. */

import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { type Infer, lazy } from '../contract/endpoint.ts';
import { plainIssues } from '../contract/plain-issues.ts';
import { faultText, readChecked } from '../disk/checked-file.ts';
import { parseJson } from '../domain/attempt.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';
import { type Atomic, FACE_DECIMALS, parseDecimal } from '../domain/money/money.ts';
import type { SupplierLedger } from '../service/audit/evidence.ts';
import { decodeLine } from '../service/checkout/line.ts';
import {
  isBlank,
  type Supplier,
  type SupplyRequest,
  type Voucher,
} from '../service/delivery/supplier.ts';
import type { Store, Tables } from '../store/store.ts';
import { cost } from './http-supplier.ts';

const MAX_FILE_BYTES = 64 * 1024 * 1024;

const secret = lazy(() =>
  z
    .string()
    .max(4_096)
    .refine((text) => !isBlank(text), 'must have a letter or a digit'),
);

const code = lazy(() =>
  z.strictObject({
    product_id: z.uuid(),
    face_value: z.string().regex(/^(0|[1-9]\d{0,9})(\.\d{1,6})?$/, 'must be a decimal in quotes'),
    voucher_code: secret(),
    pin_serial: secret().optional(),
    security_code: secret().optional(),
    redeem_instructions: z.string().max(10_000).optional(),
    terms_and_conditions: z.string().max(10_000).optional(),
    /** What was paid for it. */
    cost: cost().optional(),
  }),
);
type Code = Infer<typeof code>;

export interface CodeFileOptions {
  readonly path: string;
  readonly store: Store;
  /** Keys the marks of given codes, so that the database reveals no code. */
  readonly key: Uint8Array;
}

function markOf({ key }: Pick<CodeFileOptions, 'key'>, { voucher_code }: Code): string {
  return `code ${createHmac('sha256', key).update(voucher_code).digest('hex')}`;
}

const givenTo = (reference: string): string => `code of ${reference}`;

/** Lines may be added while the shop runs: the file is read anew at every question. */
export function createCodeFile({ path, store, key }: CodeFileOptions): Supplier {
  const mark = (line: Code) => markOf({ key }, line);
  const matching = (request: SupplyRequest) =>
    readCodes(path).filter((line) => isFor(line, request));
  const firstFree = async (facts: Tables['facts'], codes: readonly Code[]) => {
    for (const line of codes) if ((await facts.get(mark(line))) === undefined) return line;
    return undefined;
  };
  return {
    check: async (request) => {
      const free = await firstFree(store.tables.facts, matching(request));
      return free === undefined ? 'out_of_stock' : 'available';
    },
    fulfil: async (reference, request) => {
      const codes = matching(request);
      // Committed to disk before the code is handed out; the first order that marks it has it.
      const taken = await store.write(async ({ facts, holds }) => {
        await holds.take(`fact codes of ${path}`);
        const given = await facts.get(givenTo(reference));
        if (given !== undefined) return given;
        const free = await firstFree(facts, codes);
        if (free === undefined) return undefined;
        await facts.set(mark(free), reference);
        return facts.once(givenTo(reference), mark(free));
      });
      // It may be filled up: the order waits.
      if (taken === undefined) return { outcome: 'pending', retryAfterMs: 60_000 };
      const line = codes.find((one) => mark(one) === taken);
      if (line !== undefined) {
        return { outcome: 'fulfilled', voucher: voucherOf(line), cost: line.cost };
      }
      throw new ScripError(
        'MERCHANT_ERROR',
        t`The code that was given to ${reference} is no longer in ${path}`,
        { hint: t`Put the line back.` },
      );
    },
  };
}

/** What the file has sold, by the marks of given codes. A code that was taken out of the file is taken for sold. */
export function codeLedger(
  { path, key }: Pick<CodeFileOptions, 'path' | 'key'>,
  facts: Tables['facts'],
): SupplierLedger {
  const byMark = new Map(readCodes(path).map((line) => [markOf({ key }, line), line]));
  return {
    async sold({ deliveryId, goods }) {
      const taken = await facts.get(givenTo(deliveryId));
      if (taken === undefined) return undefined;
      const line = byMark.get(taken);
      const isSame = line === undefined || isFor(line, decodeLine(goods));
      return { outcome: 'fulfilled', isSame, cost: line?.cost };
    },
    async *sales({ deliveries }) {
      for (const mark of byMark.keys()) {
        const reference = await facts.get(mark);
        if (reference === undefined) continue;
        yield { reference, hasLine: (await deliveries.byId(reference)) !== undefined };
      }
    },
  };
}

/** Codes of one product and value. */
export interface CodeCount {
  /** In lower case. */
  readonly productId: string;
  readonly faceValue: Atomic;
  readonly left: number;
  readonly given: number;
}

export async function countCodes(
  { path, key }: Pick<CodeFileOptions, 'path' | 'key'>,
  facts: Pick<Tables['facts'], 'get'>,
): Promise<readonly CodeCount[]> {
  const counts = new Map<string, CodeCount>();
  for (const line of readCodes(path)) {
    const productId = line.product_id.toLowerCase();
    const faceValue = parseDecimal(line.face_value, FACE_DECIMALS);
    const name = `${productId} ${faceValue}`;
    const { left, given } = counts.get(name) ?? { left: 0, given: 0 };
    const isGiven = (await facts.get(markOf({ key }, line))) !== undefined;
    const now = isGiven ? { left, given: given + 1 } : { left: left + 1, given };
    counts.set(name, { productId, faceValue, ...now });
  }
  return [...counts.values()];
}

/**
 * The codes of a file that only its owner may read. Every fault is in the message, by its line.
 * @throws {ScripError} INPUT_INVALID
 */
export function readCodes(path: string): readonly Code[] {
  const file = readChecked(path, { maxBytes: MAX_FILE_BYTES, ownWithout: 0o077 });
  if (file.fault !== undefined) {
    const fix = file.fault === 'exposed' ? { hint: t`Run: chmod 600 ${path}` } : {};
    throw new ScripError('INPUT_INVALID', t`The codes file ${path} ${faultText(file)}`, fix);
  }
  const lines = file.bytes.toString('utf8').split('\n');
  const read = lines.map((line, index) => readLine(line, index + 1));
  const codes = read.flatMap((one) => one.code ?? []);
  const faults = [...read.flatMap((one) => one.fault ?? []), ...repeats(codes)];
  if (faults.length > 0) {
    const message = t`The codes file ${path} cannot be used: ${verbatim(faults.join('; '))}`;
    throw new ScripError('INPUT_INVALID', message);
  }
  return codes.map(({ value }) => value);
}

interface ReadCode {
  readonly value: Code;
  readonly line: number;
}

/** Faults quote nothing of the line. */
function readLine(
  text: string,
  line: number,
): { readonly code?: ReadCode; readonly fault?: string } {
  if (text.trim() === '') return {};
  const json = parseJson(text);
  const parsed = code().safeParse(json);
  if (parsed.success) return { code: { value: parsed.data, line } };
  const [issue] = plainIssues(code(), json);
  const field = issue?.path.map(String).join('.') || 'it';
  return { fault: `line ${line}: ${field} ${issue?.message ?? 'is not readable'}` };
}

function repeats(codes: readonly ReadCode[]): readonly string[] {
  const first = new Map<string, number>();
  return codes.flatMap(({ value: { voucher_code }, line }) => {
    const earlier = first.get(voucher_code);
    if (earlier !== undefined) return [`line ${line}: its code is on line ${earlier} already`];
    first.set(voucher_code, line);
    return [];
  });
}

function isFor({ product_id, face_value }: Code, { product, faceValue }: SupplyRequest): boolean {
  return (
    product_id.toLowerCase() === product.productId.toLowerCase() &&
    parseDecimal(face_value, FACE_DECIMALS) === faceValue
  );
}

function voucherOf(line: Code): Voucher {
  const { pin_serial, security_code } = line;
  return {
    voucherCode: line.voucher_code,
    redeemInstructions: line.redeem_instructions ?? '',
    termsAndConditions: line.terms_and_conditions ?? '',
    deliveryType: 'inline',
    ...(pin_serial === undefined ? {} : { pinSerial: pin_serial }),
    ...(security_code === undefined ? {} : { securityCode: security_code }),
  };
}
