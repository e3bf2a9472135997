/** Channel on which servers tell each other which order has a new event. */
export const CHANNEL = 'scrip_orders';
