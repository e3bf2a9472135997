/** An order as typed on a command line. */

import type { With } from '../context.ts';
import type { PlaceOrderInput } from './ordering.ts';

/** Includes files and keys, because answers are saved in the settings. */
export type Around = With<'version' | 'settings' | 'io' | 'parts' | 'keys' | 'files'>;

/** The typed parts of one order; settings or questions supply the missing ones. */
export interface OrderWords {
  /** An id, a brand, or the name of a product; undefined to ask for it. */
  readonly product: string | undefined;
  readonly value: string | undefined;
  readonly country: string | undefined;
  /** With a brand, `product` is an id. */
  readonly brand: string | undefined;
  readonly to: string | undefined;
  readonly email: string | undefined;
  readonly quantity: number;
}

export interface OrderRequest {
  readonly words: OrderWords;
  /** Everything else; its item and e-mail come from the words. */
  readonly input: PlaceOrderInput;
  /** The other options as typed, for a suggested command with a product id. */
  readonly options: readonly string[];
}

/** Whether this run may ask questions. */
export function isAsking({ settings }: With<'settings'>, { input }: OrderRequest): boolean {
  return settings.mayPrompt && !input.isAgreed;
}
