/** Where the payment page of an order is. */
export const pagePath = (orderId: string): string => `/pay/${orderId}`;
