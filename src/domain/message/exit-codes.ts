/** What each exit status of the process means; each row of `CODES` names one of them. */

import { type Message, t } from './message.ts';

export const EXIT_MEANINGS: Readonly<Record<number, Message>> = {
  0: t`done`,
  1: t`internal error, not possible on this machine, or low stock`,
  2: t`wrong usage or invalid input; nothing was sent`,
  3: t`not found`,
  4: t`network or merchant failure`,
  5: t`payment refused, by scrip or by the merchant`,
  6: t`over a spending limit, or not enough money; nothing was signed`,
  7: t`declined by the user`,
  8: t`in progress: delivery or payment is still pending`,
  9: t`outcome of a payment unknown: do not pay again, run scrip orders resume`,
  10: t`order failed, expired, canceled or refunded`,
  11: t`order needs manual action: do not pay again`,
  12: t`part of a batch failed`,
  13: t`a file or folder on this machine is unusable`,
  130: t`interrupted; run scrip orders resume`,
};
