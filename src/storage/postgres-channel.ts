/** Channel on which servers notify each other of orders with new events. */
export const CHANNEL = 'scrip_orders';
