/** Escapes untrusted text for a terminal, by the rule for all visible text. */
export { escapeText } from '../../domain/visible-text.ts';
