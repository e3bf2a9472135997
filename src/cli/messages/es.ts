/** Spanish. */
import type { Catalogue } from './translate.ts';

export const ES: Catalogue = {};
