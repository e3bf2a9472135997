/** URL paths of payment pages; none of them holds the id of an order. */

import type { Tables } from '../../store/store.ts';
import type { PartnerOrderRow } from '../../store/tables/partner-orders.ts';

/** Name of the parameter in routes. */
export const PAGE_ID = ':page_id';

export const pagePath = (pageId: string): string => `/pay/${pageId}`;

/** Solana Pay's transaction request for the page's order. */
export const transactionPath = (pageId: string): string => `${pagePath(pageId)}/transaction`;

/** Takes what a wallet in the browser signed. */
export const authorizationPath = (pageId: string): string => `${pagePath(pageId)}/authorization`;

/** The form that names where refunds of the page's order go. */
export const refundFormPath = (pageId: string): string => `${pagePath(pageId)}/refund`;

export const ICON_PATH = '/pay/icon.svg';

const FORM = /^[0-9a-z]{26,32}$/;

/** The order of a page; undefined for an id that no page has. */
export async function orderOfPage(
  { partnerOrders }: Tables,
  typed = '',
): Promise<PartnerOrderRow | undefined> {
  const id = typed.toLowerCase();
  return FORM.test(id) ? partnerOrders.ofPage(id) : undefined;
}
