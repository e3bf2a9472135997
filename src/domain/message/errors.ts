/** Every error of this program. Codes are append-only: scripts match on them. */

import { type Message, t } from './message.ts';

/** Whether money may have moved when the error was raised. */
export type FundsAtRisk = 'none' | 'possible' | 'spent';

interface CodeRow {
  /** Exit status of the process. */
  readonly exit: number;
  /** The same command may succeed later without a change. */
  readonly retryable: boolean;
  readonly fundsAtRisk: FundsAtRisk;
  /** The next step, unless the place that throws gives a better hint. */
  readonly hint: Message;
}

const row = (exit: number, hint: Message, more: Partial<CodeRow> = {}): CodeRow => ({
  exit,
  hint,
  retryable: false,
  fundsAtRisk: 'none',
  ...more,
});

export const CODES = {
  INTERNAL: row(
    1,
    t`This is a bug in scrip; run the command again with --verbose and report what it prints.`,
  ),
  USAGE: row(2, t`Run the command with --help to see its arguments and options.`),
  INPUT_INVALID: row(2, t`Correct the value and run the command again.`),
  AMOUNT_INVALID: row(2, t`Write amounts as plain decimals, such as 25 or 25.50.`),
  EMAIL_INVALID: row(2, t`Write the address as name@example.com.`),
  PHONE_INVALID: row(
    2,
    t`Write the number in E.164 form: + and country code, such as +14155550123.`,
  ),
  COUNTRY_UNKNOWN: row(2, t`Run: scrip countries`),
  COUNTRY_NOT_SOLD: row(2, t`Run: scrip countries`),
  BRAND_UNKNOWN: row(2, t`Run: scrip brands --country <code> --search <text>`),
  VALUE_REQUIRED: row(2, t`Name the face value with --value.`),
  VALUE_NOT_ALLOWED: row(2, t`Leave --value out: this product has a fixed face value.`),
  VALUE_OUT_OF_RANGE: row(2, t`Choose a value within the product’s range.`),
  VALUE_OFF_STEP: row(2, t`Choose a value that is a multiple of the product’s step.`),
  IDEMPOTENCY_KEY_REUSED: row(
    2,
    t`Use another --idempotency-key, or repeat the first command exactly.`,
  ),
  CATALOG_INVALID: row(2, t`Correct the catalog file at the path named and start again.`),
  TERMINAL_REQUIRED: row(
    2,
    t`In non-interactive use give everything by flags; an order needs --yes and --max-amount.`,
  ),
  PRODUCT_UNKNOWN: row(3, t`Run: scrip catalog --country <code> --brand <name>`),
  ORDER_UNKNOWN: row(3, t`Run: scrip orders`),
  WALLET_MISSING: row(3, t`Run: scrip wallet new`),
  PROFILE_UNKNOWN: row(3, t`Run: scrip profile list`),
  NETWORK_UNREACHABLE: row(
    4,
    t`Check the address and your connection, then run the command again.`,
    { retryable: true },
  ),
  MERCHANT_ERROR: row(4, t`The merchant failed; try again in a moment.`, { retryable: true }),
  MERCHANT_REFUSED: row(4, t`The merchant refused the request; the message says why.`),
  MERCHANT_REPLY_INVALID: row(4, t`The host does not offer this API; check --checkout-url.`),
  RATE_LIMITED: row(4, t`Wait and run the command again.`, { retryable: true }),
  FACILITATOR_UNAVAILABLE: row(
    4,
    t`The payment service is down; nothing was charged. Try again in a moment.`,
    { retryable: true },
  ),
  CHAIN_UNREACHABLE: row(4, t`Check --rpc-url and your connection.`, { retryable: true }),
  REDIRECT_REFUSED: row(
    4,
    t`Name the final address of the host yourself; payments never follow a redirect.`,
  ),
  PAYMENT_MALFORMED: row(5, t`The payment could not be read.`),
  PAYMENT_REFUSED: row(
    5,
    t`Fix the problem the merchant reported, or ask the merchant, then run the command again.`,
  ),
  REQUIREMENT_UNACCEPTABLE: row(
    5,
    t`Nothing was signed. Do not pay this host until you know why it asks for this.`,
  ),
  CHALLENGE_EXPIRED: row(5, t`Run the command again for a fresh quote.`, { retryable: true }),
  AMOUNT_OVER_CAP: row(6, t`Raise --max-amount to accept this price.`),
  FUNDS_TOO_LOW: row(6, t`Put USDC into the wallet; in the sandbox: scrip wallet fund`),
  DECLINED: row(7, t`Run the command again to decide again.`),
  DELIVERY_PENDING: row(8, t`Run: scrip track <order_id>`, {
    fundsAtRisk: 'spent',
    retryable: true,
  }),
  OUTCOME_UNKNOWN: row(9, t`Do not pay again. Run: scrip orders resume`, {
    fundsAtRisk: 'possible',
    retryable: true,
  }),
  ORDER_FAILED: row(10, t`Contact the merchant with the order id.`, { fundsAtRisk: 'spent' }),
  ORDER_EXPIRED: row(10, t`Place a new order.`),
  ATTENTION_NEEDED: row(
    11,
    t`Do not pay again. Send the merchant the bundle that scrip orders show prints.`,
    { fundsAtRisk: 'spent' },
  ),
  JOURNAL_UNUSABLE: row(
    13,
    t`Free disk space or repair the state folder, then run the command again.`,
  ),
  WALLET_UNSAFE: row(13, t`Make the key file private: chmod 600, owned by you, not a link.`),
  WALLET_INVALID: row(13, t`Name a key file in the Solana CLI format with --keypair.`),
  WALLET_EXISTS: row(2, t`Run the command again with --keypair <new file>.`),
  WALLET_PROFILE_MISMATCH: row(5, t`Name the wallet for this host with --keypair.`),
  STORE_UNUSABLE: row(13, t`Check the data folder and its permissions.`),
  PLATFORM_UNSUPPORTED: row(
    1,
    t`Install scrip with its optional packages on Linux or macOS, or name a host with --checkout-url.`,
  ),
  INTERRUPTED: row(130, t`Run: scrip orders resume`, { fundsAtRisk: 'possible' }),
  RECORD_EXISTS: row(
    1,
    t`Two processes wrote at once. Run the command again, and report it if it repeats.`,
    { retryable: true },
  ),
  TRANSACTION_REFUSED: row(5, t`The chain did not accept the transaction; no money moved.`),
  ORDER_PROBLEMS: row(2, t`Fix the reported problems and run the command again.`),
  ORDER_PENDING: row(8, t`Run: scrip track <order_id>`, { retryable: true }),
  ORDER_NOT_PAYABLE: row(5, t`Nothing was sent. Place a new order: scrip order … --via partner`),
  ORDER_CANCELED: row(10, t`Place a new order.`),
  ORDER_REFUNDED: row(10, t`The merchant sends the money back to the refund wallet.`),
  MANUAL_ACTION: row(
    11,
    t`The merchant’s support is handling the order. Do not pay again; check later: scrip track <order_id>`,
    { fundsAtRisk: 'possible' },
  ),
  STREAM_ENDED: row(4, t`Follow the order with --follow poll.`, { retryable: true }),
  FAMILY_UNKNOWN: row(2, t`Run: scrip brands --country <code>`),
  OUT_OF_STOCK: row(
    4,
    t`Nothing was charged. Choose another product: scrip catalog --country <code> --brand <name>`,
  ),
  BENEFICIARY_INVALID: row(2, t`Correct --to: an e-mail for a gift card, +phone for a top-up.`),
  OUTPUT_UNWRITABLE: row(13, t`Free disk space or name another file, then run the command again.`),
  CODES_FORGOTTEN: row(3, t`The merchant may still have them. Run: scrip track <order_id>`, {
    fundsAtRisk: 'spent',
  }),
  SIGN_IN_UNSUPPORTED: row(
    4,
    t`Look for the order’s id in your mail, and run: scrip track <order_id>`,
  ),
  RECEIPT_UNPROVEN: row(4, t`Keep the record, and ask the merchant about it.`, {
    fundsAtRisk: 'spent',
  }),
  PASSPHRASE_REQUIRED: row(
    2,
    t`Name a file with --passphrase-file or a descriptor with --passphrase-fd, or run it in a terminal.`,
  ),
  PASSPHRASE_WEAK: row(2, t`Choose a longer passphrase, or add --weak-ok.`),
  PASSPHRASE_WRONG: row(13, t`Run the command again with the passphrase of this key file.`),
  SIGNER_FAILED: row(13, t`Run the signer command by itself to see its error: docs/use/wallet.md`),
  CONFIRMATION_REQUIRED: row(
    7,
    t`Pay the order in a terminal, where you can confirm it: scrip pay <order_id>`,
  ),
  AGENT_CONFIG_INVALID: row(2, t`Correct the file, or add the entry to it by hand.`),
  AGENT_CONFIG_UNUSABLE: row(
    13,
    t`Make sure that you own the file and may write to it, then try again.`,
  ),
  DRAFT_MISSING: row(3, t`Start a purchase with: scrip wizard`),
  DRAFT_INVALID: row(2, t`Start over with: scrip wizard`),
  ANSWERS_MISSING: row(2, t`Start over with: scrip wizard`),
  AUDIT_MISMATCH: row(
    11,
    t`Follow the report’s advice for each mismatch, then run the audit again.`,
    {
      fundsAtRisk: 'possible',
    },
  ),
  WEBHOOK_UNKNOWN: row(3, t`Run: scrip sandbox webhooks`),
  POLICY_INVALID: row(2, t`Correct the policy file; scrip policy path names it.`),
  SPENDING_LIMIT: row(6, t`Nothing was signed. See scrip policy show and scrip policy spend.`),
  POLICY_REFUSED: row(6, t`Nothing was signed. See scrip policy show.`),
  HOST_NOT_ALLOWED: row(6, t`If you trust this host: scrip policy set hosts.<host> any`),
  RECIPIENT_NOT_ALLOWED: row(6, t`Nothing was signed. See recipients in scrip policy show.`),
  UNATTENDED_OFF: row(
    7,
    t`Run it in a terminal, or allow non-interactive payments: scrip policy set nonInteractive.enabled true`,
  ),
  DUPLICATE_PURCHASE: row(7, t`If you want it twice, add --allow-duplicate.`),
  MACHINE_UNFIT: row(13, t`Fix the problems that scrip doctor reports.`),
  CART_INVALID: row(2, t`Fix the reported lines, or skip them with --skip-invalid.`),
  CART_BUSY: row(7, t`Wait for the other run to end, then run the command again.`, {
    retryable: true,
  }),
  BATCH_PARTIAL: row(12, t`Run the same command again: items already bought are not bought twice.`),
  EXEC_FAILED: row(
    13,
    t`The order is delivered; run the --exec command by itself to see its error.`,
  ),
  WEBHOOK_AWAITED: row(8, t`See the pending ones: scrip sandbox webhooks --state pending`, {
    retryable: true,
  }),
  WEBHOOK_NOT_TAKEN: row(4, t`Only a 2xx reply is a success; check the endpoint’s logs.`, {
    retryable: true,
  }),
  LINK_MISSING: row(3, t`Run: scrip orders show <order_id>`),
  LINK_UNSAFE: row(
    5,
    t`Check the delivery with scrip orders reveal <order_id>, and ask the merchant.`,
  ),
  OPENER_FAILED: row(13, t`Add --print, and open the address yourself.`),
  WALLET_OTHER: row(3, t`Name that wallet with --keypair, or its --profile.`),
  PHONE_OTHER_COUNTRY: row(7, t`If the number is right, add --allow-other-country.`),
  CODES_MISSING: row(
    11,
    t`Do not pay again. Check your e-mail and messages for the delivery; if it is missing, send the merchant the order id.`,
    { fundsAtRisk: 'spent' },
  ),
  KEY_HISTORY_UNREAD: row(
    5,
    t`Say when the key was first used, such as --key-since 30d, or name an RPC that keeps the full history.`,
  ),
  PAID_ELSEWHERE: row(
    11,
    t`Do not pay again: find out where this key was used before. To buy again, use another --idempotency-key.`,
    { fundsAtRisk: 'spent' },
  ),
  SPENDING_UNKNOWN: row(
    6,
    t`Name an RPC that keeps the last 24 hours of the wallet with --rpc-url.`,
  ),
  PRODUCT_AMBIGUOUS: row(2, t`Name one product by its id, or by its exact name and value.`),
  PARTNER_UNAUTHORIZED: row(
    4,
    t`Set partner_secret_file of the profile, or SCRIP_PARTNER_SECRET, to the secret of your partner id.`,
  ),
  REFUND_UNKNOWN: row(3, t`Run: scrip serve refunds --all`),
  STOCK_LOW: row(1, t`Add codes to the file, or order them from the supplier.`),
  SHOP_ALARM: row(1, t`Do what the list says for each; docs/operate/alarms.md has them all.`),
  SHOP_FULL: row(4, t`Nothing was ordered or charged. Try again in a few minutes.`, {
    retryable: true,
  }),
} as const satisfies Record<string, CodeRow>;

export type Code = keyof typeof CODES;

interface ErrorOptions {
  readonly hint?: Message | undefined;
  readonly cause?: unknown;
  readonly fundsAtRisk?: FundsAtRisk | undefined;
  /** False where the same would fail again, unlike other errors of the code. */
  readonly retryable?: boolean;
  /** Data for programs: ids, bounds, nearest matches. Never a secret or a voucher code. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The one error class: a stable code, what happened with the value, and the next step. */
export class ScripError extends Error {
  readonly code: Code;
  /** What happened; `message` is its English. */
  declare readonly sentence: Message;
  readonly hint: Message;
  readonly exit: number;
  readonly retryable: boolean;
  readonly fundsAtRisk: FundsAtRisk;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: Code, sentence: Message, options: ErrorOptions = {}) {
    super(String(sentence), { cause: options.cause });
    const known: CodeRow = CODES[code];
    this.name = 'ScripError';
    this.code = code;
    // Not enumerable: Node prints each field of an error that a program does not catch.
    Object.defineProperty(this, 'sentence', { value: sentence });
    this.hint = options.hint ?? known.hint;
    this.exit = known.exit;
    this.retryable = options.retryable ?? known.retryable;
    this.fundsAtRisk = options.fundsAtRisk ?? known.fundsAtRisk;
    this.details = options.details ?? {};
    this.stack = stackOf(this);
  }
}

/** The same error with another hint, other details or another sentence. */
export function remade(
  error: ScripError,
  { sentence = error.sentence, ...changes }: ErrorOptions & { readonly sentence?: Message },
): ScripError {
  const { code, cause, hint, fundsAtRisk, retryable, details } = error;
  const same = { cause, hint, fundsAtRisk, retryable, details };
  return new ScripError(code, sentence, { ...same, ...changes });
}

/**
 * Begins the stack with what a person needs. Once it is set as a text, Node has no place of ours whose line it
 * would print above the error: built code is unreadable.
 */
function stackOf({ name, code, message, hint, stack = '' }: ScripError): string {
  const frames = stack.indexOf('\n    at ');
  const head = `${name} [${code}]: ${message}\nhint: ${hint}`;
  return frames === -1 ? head : `${head}${stack.slice(frames)}`;
}

/** Returns the system's error code, such as ENOENT or ECONNREFUSED; undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Returns the system's error code as a suffix for a message: ` (ENOSPC)`, or an empty text. */
export function codeInBrackets(error: unknown): string {
  const code = errorCode(error);
  return code === undefined ? '' : ` (${code})`;
}
