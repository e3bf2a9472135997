/** The checkout page of a simulated payment processor, with one button that pays. */

const PATH = /^\/sandbox\/checkout\/([0-9a-f-]{36})$/;

export const checkoutPath = (orderId: string): string => `/sandbox/checkout/${orderId}`;

/**
 * Answers the page's path; undefined for every other path. The id is hex and hyphens, so it needs
 * no escaping.
 */
export function checkoutPage(request: Request): Response | undefined {
  const [, orderId] = PATH.exec(new URL(request.url).pathname) ?? [];
  if (orderId === undefined || request.method !== 'GET') return undefined;
  const page = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Sandbox payment</title>
<h1>Sandbox payment</h1>
<p>Order ${orderId}. No money moves here.</p>
<form method="post" action="/sandbox/orders/${orderId}/pay"><button>Pay</button></form>
</html>
`;
  return new Response(page, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    },
  });
}
