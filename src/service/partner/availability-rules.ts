/** Rules about an order's products and beneficiaries. */
import { faultyLines, flaggedLines, type PricedLines } from './order-context.ts';

export const notInCatalog = (order: PricedLines) =>
  faultyLines(order, ({ goods, goodsFault }) => {
    if (goods === undefined) return goodsFault ?? true;
    return goods.flags.includes('withdrawn');
  });

export const outOfStock = (order: PricedLines) =>
  faultyLines(
    order,
    ({ goods }) => goods?.product.brand.isOutOfStock || goods?.flags.includes('out_of_stock'),
  );

export const inactive = (order: PricedLines) => flaggedLines(order, 'inactive');

export const wrongBeneficiary = (order: PricedLines) =>
  faultyLines(order, ({ beneficiaryFault }) => beneficiaryFault);
