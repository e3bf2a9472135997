/** Descriptions of the tools for a model: when to call each, and what to do with its result. */

export interface ToolText {
  readonly title: string;
  readonly description: string;
}

export const TOOL_TEXTS: Readonly<Record<string, ToolText>> = {
  purchaseElicitation: {
    title: 'Guided purchase',
    description:
      'Buys step by step. Call it with an empty object first; then with session_token and answer, ' +
      'one question after another, or with action "back". The last answer, "yes", makes an order ' +
      'that is to be paid: ask the user before you send it. With status "complete", pay as ' +
      'payment_details says and follow the order with getOrderStatus.',
  },
  getCurrencies: {
    title: 'Coins',
    description: 'Lists the coins that orders can be paid in. Suspended ones cannot be used now.',
  },
  listBrands: {
    title: 'Brands of a country',
    description:
      'Lists the brands sold in a country, page by page: page.note says how to get the rest. When ' +
      'the brand is known by name, call searchProducts instead.',
  },
  listProductsForCountry: {
    title: 'Products of a brand',
    description:
      'Lists the products of a country, page by page; name brand_name, since a whole country is ' +
      'very long. With details, descriptions and terms are told too. ' +
      'is_dynamic true: any face value within range, priced by getProductPrice. is_dynamic false: ' +
      'a fixed denomination, whose exact price is coin_amount when coin is named.',
  },
  getPaymentViasWithCurrencies: {
    title: 'Ways to pay',
    description:
      'Lists the ways to pay with their coins and networks; pick a pair for payment. USDC on ' +
      'Solana is recommended: lowest fees, fastest settlement.',
  },
  getProductPrice: {
    title: 'Price of a face value',
    description: 'Prices a range product (is_dynamic true) for a face value in a coin.',
  },
  validateOrder: {
    title: 'Check an order',
    description:
      'Runs all checks of createOrder and prices the order, without making one. Call it before ' +
      'createOrder; nothing may be in problems. A fixed product is ordered by its denomination, a ' +
      'range product by denomination "range" and product_value. beneficiary_account is an e-mail ' +
      'address for gift cards and eSIMs, a phone number such as +14155550123 for top-ups.',
  },
  createOrder: {
    title: 'Make an order',
    description:
      'Makes an order that waits for payment: wallet_address and coin_amount say where and how ' +
      'much. Only for orders that the user wants to pay now, never to look at prices: unpaid ' +
      'orders count as abuse. Ask the user first.',
  },
  getOrderStatus: {
    title: 'State of an order',
    description:
      'Reads an order. Call it every 30 seconds until payment_state is PaymentReceived and ' +
      'order_state is Done; stop at Expired, Canceled or WaitingForManualAction as well.',
  },
  searchProducts: {
    title: 'Find a brand',
    description: 'Finds brands of a country by name, typing errors forgiven, best match first.',
  },
  payOrder: {
    title: 'Pay an order',
    description:
      'Pays an order of createOrder or purchaseElicitation with real money of the local wallet. ' +
      'The user is asked and may decline. max_amount is the most that may be paid, in the coin of ' +
      'the order: the amount that the user has agreed to. Afterwards follow it with getOrderStatus.',
  },
};
