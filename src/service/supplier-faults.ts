/** The last error of the supplier about a line, for the operator; never an answer, which may hold a code. */

import { ScripError } from '../domain/errors.ts';
import type { Facts } from '../store/store.ts';

export interface SupplierFault {
  readonly at: string;
  /** Error code and sentence. */
  readonly error: string;
}

export async function noteSupplierFault(
  facts: Facts,
  deliveryId: string,
  { error, atMs }: { readonly error: unknown; readonly atMs: number },
): Promise<void> {
  const said = error instanceof ScripError ? `${error.code}: ${error.message}` : 'INTERNAL';
  const fault: SupplierFault = { at: new Date(atMs).toISOString(), error: said };
  await facts.set(nameOf(deliveryId), JSON.stringify(fault));
}

export async function supplierFaultOf(
  facts: Pick<Facts, 'get'>,
  deliveryId: string,
): Promise<SupplierFault | null> {
  const text = await facts.get(nameOf(deliveryId));
  return text === undefined ? null : JSON.parse(text);
}

function nameOf(deliveryId: string): string {
  return `supplier fault of ${deliveryId}`;
}
