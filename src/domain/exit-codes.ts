/** What each exit status of the process means; the rows of `CODES` name one each. */
export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  0: 'done',
  1: 'internal error, or not possible on this machine',
  2: 'wrong usage or invalid input; nothing was sent',
  3: 'not found',
  4: 'network or merchant failure',
  5: 'payment refused, by scrip or by the merchant',
  6: 'over a limit, or too little money; nothing was signed',
  7: 'declined by the user',
  8: 'under way: delivery or payment is still pending',
  9: 'outcome of a payment unknown: do not pay again, run scrip orders resume',
  10: 'order failed, expired, canceled or refunded',
  11: 'order needs manual action: do not pay again',
  12: 'part of a batch failed',
  13: 'a file or folder of this machine cannot be used',
  130: 'interrupted; run scrip orders resume',
};
