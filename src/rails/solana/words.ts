/** Reasons of refusals on Solana, and what is taken instead; on the wire, so in English. */

import { USDC_DECIMALS } from '../../contract/x402.ts';
import { type Message, verbatim } from '../../domain/message/message.ts';
import { MIN_BLOCKS_LEFT } from './acceptance.ts';
import {
  MAX_ASSERTIONS,
  MAX_COMPUTE_UNIT_PRICE,
  MAX_COMPUTE_UNITS,
  MAX_FREE_MEMO_BYTES,
  MAX_INSTRUCTIONS,
  MAX_PRIORITY_FEE_LAMPORTS,
  REFERENCE_PREFIX,
} from './checks.ts';

/** The chain executed it, and it failed. */
export const FAILED_REASON = 'invalid_exact_svm_transaction_failed';
/** The blockhash is over, and no block took the transaction. */
export const EXPIRED_REASON = 'invalid_exact_svm_transaction_expired';

const FIRST = verbatim('it comes first, or is absent together with the compute unit price');
const SECOND = verbatim('it comes second, or is absent together with the compute unit limit');
const TAIL = verbatim(
  `the transfer is followed only by memos and at most ${MAX_ASSERTIONS} Lighthouse assertions`,
);
const TRANSFER = verbatim(
  'one TransferChecked of the Token program with four accounts comes after the compute budget',
);

/** What is taken instead, for each reason that is a limit; on the wire, so in English. */
const LIMITS: readonly (readonly [reason: RegExp, limit: Message])[] = [
  [/^payload_transaction_version$/, verbatim('the message is of version 0')],
  [/^smart_wallet_alt_/, verbatim('no address lookup table is taken')],
  [/_excessive_signers$/, verbatim('two signatures are taken, of the fee payer and the payer')],
  [/_instructions_length$/, verbatim(`1 to ${MAX_INSTRUCTIONS} instructions are taken`)],
  [/_limit_instruction$/, FIRST],
  [
    /_limit_instruction_too_high$/,
    verbatim(`at most ${grouped(MAX_COMPUTE_UNITS)} units are taken`),
  ],
  [/_price_instruction$/, SECOND],
  [
    /_price_instruction_too_high$/,
    verbatim(
      `at most ${grouped(MAX_COMPUTE_UNIT_PRICE)} micro-lamports a unit and ${grouped(MAX_PRIORITY_FEE_LAMPORTS)} lamports for all units are taken`,
    ),
  ],
  [/_no_transfer_instruction$/, TRANSFER],
  [/_fee_payer_not_isolated$/, verbatim('no instruction names the fee payer')],
  [/_decimals_mismatch$/, verbatim(`the decimals are ${USDC_DECIMALS}`)],
  [/_unknown_[a-z]+_instruction$/, TAIL],
  [/_memo_accounts$/, verbatim('a memo names no accounts')],
  [/_memo_count$/, verbatim('one memo is taken, which the requirement names')],
  [/_memo_too_long$/, verbatim(`at most ${MAX_FREE_MEMO_BYTES} bytes are taken`)],
  [
    /_blockhash_too_old$/,
    verbatim(`at least ${MIN_BLOCKS_LEFT} blocks must be left of the blockhash`),
  ],
];

/** Converts a reason to words, with its limit: `payload memo too long: at most 64 bytes are taken`. */
export function inWords(reason: string): string {
  const name = reason.replace(REFERENCE_PREFIX, '');
  const limit = LIMITS.find(([pattern]) => pattern.test(name))?.[1];
  const words = name.replaceAll('_', ' ');
  return limit === undefined ? words : `${words}: ${limit}`;
}

/** Not by the locale's data, which cost 9 ms at the first number. */
function grouped(value: number | bigint): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
