/** The schemas of surface B against the interface's own lists of fields. */
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  ORDER_STATES,
  PAYMENT_STATES,
  PROBLEM_CODES,
  SUSPENSION_CODES,
} from '../../src/contract/codes.ts';
import * as catalog from '../../src/contract/partner-catalog.ts';
import * as market from '../../src/contract/partner-market.ts';
import * as orders from '../../src/contract/partner-orders.ts';
import {
  ORDER_STATE_NAMES,
  PARTNER_FIELDS,
  PAYMENT_STATE_NAMES,
  PROBLEM_NAMES,
} from './interface-fields.ts';

const [paymentVia, paymentBinance] = orders.payment().options;

const SCHEMAS: Readonly<Record<keyof typeof PARTNER_FIELDS, z.ZodObject>> = {
  BaseCurrency: market.currency(),
  PaymentViaWithCurrencies: market.paymentVia(),
  CurrencyWithNetwork: market.currencyWithNetwork(),
  PaymentNetwork: market.paymentNetwork(),
  SmartContract: market.smartContract(),
  BrandList: catalog.brandList(),
  CategoryModel: catalog.category(),
  BrandModel: catalog.partnerBrand(),
  ProductsForBrandResponse: catalog.productsForBrand(),
  RichDescription: catalog.richDescription(),
  ProductResponse: catalog.partnerProduct(),
  Benefit: catalog.benefit(),
  PaymentVia: paymentVia,
  PaymentBinance: paymentBinance,
  User: orders.user(),
  CreateOrderRequest: orders.createOrderRequest(),
  ValidationRequest: orders.validationRequest(),
  NFTCode: orders.nftCode(),
  Acquisition: orders.acquisition(),
  ProductDeliverable: orders.productDeliverable(),
  Delivery: orders.partnerDelivery(),
  ValidationResponse: orders.validationResponse(),
  OrderSummary: orders.orderSummary(),
  MultiProductsOrderResponse: orders.partnerOrder(),
  TopLevelError: orders.topLevelError(),
};

function fieldsOf(schema: z.ZodObject | undefined): string[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) =>
    field.safeParse(undefined).success ? `${name}?` : name,
  );
}

const sorted = (text: string): string[] => text.split(' ').toSorted();

describe.each(Object.entries(PARTNER_FIELDS))('%s', (name, fields) => {
  it('has the fields of the interface, as optional as there', () => {
    expect(fieldsOf(SCHEMAS[name]).toSorted()).toEqual(sorted(fields));
  });
});

it('has the states and codes of the interface', () => {
  expect(Object.keys(PAYMENT_STATES).toSorted()).toEqual(sorted(PAYMENT_STATE_NAMES));
  expect(Object.keys(ORDER_STATES).toSorted()).toEqual(sorted(ORDER_STATE_NAMES));
  const codes = Object.keys({ ...PROBLEM_CODES, ...SUSPENSION_CODES });
  expect(codes.toSorted()).toEqual(sorted(PROBLEM_NAMES));
});

it('forbids what the interface forbids', () => {
  const bodies = [
    [orders.user(), { email: 'a@example.com', more: 1 }],
    [orders.payment(), { type: 'binance_pay', coin: 'USDT', network: 'Tron' }],
  ] as const;
  for (const [schema, body] of bodies) expect(schema.safeParse(body).success).toBe(false);
});
