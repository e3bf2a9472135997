/** Text of others on a terminal; the same rule holds wherever somebody may look at it. */
export { escapeText } from '../../domain/visible-text.ts';
