/** Rules about the products of an order, and who they are for. */
import { faultyLines, flaggedLines, type Rule } from './facts.ts';

export const notInCatalog: Rule = (order) =>
  faultyLines(order, ({ goods, goodsFault }) => {
    if (goods === undefined) return goodsFault ?? true;
    return goods.flags.includes('withdrawn');
  });

export const outOfStock: Rule = (order) =>
  faultyLines(
    order,
    ({ goods }) => goods?.product.brand.isOutOfStock || goods?.flags.includes('out_of_stock'),
  );

export const inactive: Rule = (order) => flaggedLines(order, 'inactive');

export const wrongBeneficiary: Rule = (order) =>
  faultyLines(order, ({ beneficiaryFault }) => beneficiaryFault);
