/** Rules about the products of an order, and who they are for. */
import { faultyLines, flaggedLines, type OrderGoods } from './facts.ts';

export const notInCatalog = (order: OrderGoods) =>
  faultyLines(order, ({ goods, goodsFault }) => {
    if (goods === undefined) return goodsFault ?? true;
    return goods.flags.includes('withdrawn');
  });

export const outOfStock = (order: OrderGoods) =>
  faultyLines(
    order,
    ({ goods }) => goods?.product.brand.isOutOfStock || goods?.flags.includes('out_of_stock'),
  );

export const inactive = (order: OrderGoods) => flaggedLines(order, 'inactive');

export const wrongBeneficiary = (order: OrderGoods) =>
  faultyLines(order, ({ beneficiaryFault }) => beneficiaryFault);
