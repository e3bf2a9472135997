/** The text of an event stream (WHATWG HTML, "Server-sent events"). */

/** Sent first: the delay before reconnecting, and something to read at once. */
export const OPENING = 'retry: 1000\n: order\n\n';
export const COMMENT = ': still here\n\n';

/** JSON text has no line breaks, so it fits one `data` line. */
export function messageText(seq: number, order: unknown): string {
  return `id: ${seq}\ndata: ${JSON.stringify(order)}\n\n`;
}

/** Browsers drop an event without data. */
export function stopText(seq: number): string {
  return `id: ${seq}\nevent: stop\ndata: {}\n\n`;
}
