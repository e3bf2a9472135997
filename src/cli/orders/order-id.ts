/** The form of typed order ids, which differs by merchant. */

import type { MerchantName } from '../../api/merchants.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';

/** Characters of an id that are shown where it is short; more where they name several orders. */
export const SHORT_ID = 7;

/** Orders of the partner API are UUIDs; those of the checkout host are not. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Checkout host ids start like this. */
const CHECKOUT = /^cr_/;

/** Tells the merchant from the form of the id. */
export function merchantByForm(id: string): MerchantName {
  return UUID.test(id) ? 'partner' : 'checkout';
}

/**
 * Checks an id of the partner API.
 * @throws {ScripError} INPUT_INVALID, for a checkout order with what to do instead
 */
export function checkPartnerOrderId(id: string): string {
  if (UUID.test(id)) return id;
  if (CHECKOUT.test(id)) {
    throw new ScripError(
      'INPUT_INVALID',
      t`${id} is an order of the checkout host, which was paid when it was placed`,
      { hint: commandText`Check its status: scrip track ${id}` },
    );
  }
  throw new ScripError('INPUT_INVALID', t`"${id}" is not a partner API order id`, {
    hint: commandText`Give its whole id. To list the orders: scrip orders`,
  });
}
