/** The words of an event stream (WHATWG HTML, "Server-sent events"). */

/** First words: how soon to come back after a cut, and something to read at once. */
export const OPENING = 'retry: 1000\n: order\n\n';
export const COMMENT = ': still here\n\n';

/** JSON has no line breaks of its own, so that it is one `data` line. */
export function messageText(seq: number, order: unknown): string {
  return `id: ${seq}\ndata: ${JSON.stringify(order)}\n\n`;
}

/** Without data a browser would drop the event. */
export function stopText(seq: number): string {
  return `id: ${seq}\nevent: stop\ndata: {}\n\n`;
}
