/** URL path of an order's payment page. */
export const pagePath = (orderId: string): string => `/pay/${orderId}`;
