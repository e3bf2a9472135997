/** URL path of an order's payment page. */
export const pagePath = (orderId: string): string => `/pay/${orderId}`;

/** URL path of Solana Pay's transaction request for an order. */
export const transactionPath = (orderId: string): string => `${pagePath(orderId)}/transaction`;

/** URL path of the form that names where refunds of an order go. */
export const refundFormPath = (orderId: string): string => `${pagePath(orderId)}/refund`;

export const ICON_PATH = '/pay/icon.svg';
