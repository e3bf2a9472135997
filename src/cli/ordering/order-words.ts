/** An order as it is typed on a command line. */

import type { With } from '../context.ts';
import type { PlaceOrderInput } from './ordering.ts';

/** Of the context: answers are kept in the settings. */
export type Around = With<'version' | 'settings' | 'io' | 'parts' | 'keys' | 'files'>;

/** What was typed of one order; what is left out, settings or answers say. */
export interface OrderWords {
  /** An id, a brand, or the name of a product; undefined where it is to be asked for. */
  readonly product: string | undefined;
  readonly value: string | undefined;
  readonly country: string | undefined;
  /** With it the words are an id. */
  readonly brand: string | undefined;
  readonly to: string | undefined;
  readonly email: string | undefined;
  readonly quantity: number;
}

export interface OrderRequest {
  readonly words: OrderWords;
  /** Everything else; its item and its e-mail are those of the words. */
  readonly input: PlaceOrderInput;
  /** The other options as they were typed, for a line that orders the same by its id. */
  readonly options: readonly string[];
}

/** Whether this run may ask questions. */
export function isAsking({ settings }: With<'settings'>, { input }: OrderRequest): boolean {
  return settings.mayPrompt && !input.isAgreed;
}
