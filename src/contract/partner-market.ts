/** Surface B, coins and payment methods: interface, "Partner API resources". */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';
import { object } from './object.ts';

export const currency = object(() => ({
  name: z.string(),
  logo_url: z.string(),
  is_suspended: z.boolean(),
}));
export type WireCurrency = Infer<typeof currency>;

export const smartContract = object(() => ({
  address: z.string(),
  decimals: z.number().int().nonnegative(),
  symbol: z.string(),
}));

export const paymentNetwork = object(() => ({
  name: z.string(),
  chain_id: z.number().int().nullish(),
  logo_url: z.string().nullish(),
  threshold: z.string().nullish(),
  smart_contract_engine: z.string().nullish(),
  base_token: z.string().nullish(),
  smart_contract: smartContract().nullish(),
  estimated_transfer_cost: z.string().nullish(),
}));
export type WirePaymentNetwork = Infer<typeof paymentNetwork>;

export const currencyWithNetwork = object(() => ({
  name: z.string(),
  logo_url: z.string(),
  networks: z.array(paymentNetwork()),
  is_suspended: z.boolean(),
  threshold: z.string().nullish(),
}));
export type WireCurrencyWithNetwork = Infer<typeof currencyWithNetwork>;

export const paymentVia = object(() => ({
  name: z.string(),
  logo_url: z.string().nullable(),
  currencies: z.array(currencyWithNetwork()),
}));
export type WirePaymentVia = Infer<typeof paymentVia>;

export const getCurrencies = endpoint({
  name: 'getCurrencies',
  method: 'GET',
  path: '/v3/currencies',
  summary: 'Coins that orders can be paid in',
  input: object(() => ({})),
  output: lazy(() => z.array(currency())),
});

export const getPaymentVias = endpoint({
  name: 'getPaymentViasWithCurrencies',
  method: 'GET',
  path: '/v3/payment_vias',
  summary: 'Ways to pay, each with its coins and networks',
  input: object(() => ({})),
  output: lazy(() => z.array(paymentVia())),
});
