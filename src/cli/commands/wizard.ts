/** `scrip wizard`: asks for everything step by step, then buys. */

import type { Command } from 'commander';
import { timeoutsOf } from '../../api/timeouts.ts';
import { MAX_AMOUNT_HELP } from '../../domain/money/cap.ts';
import { checkPlainDecimal, parseDuration } from '../amount.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';

const OPTIONS = {
  '--type <kind>': 'giftcard (and everything that is not a top-up) or mobile_topup',
  '--country <country>': 'code or name, such as us',
  '--brand <name>': 'brand of the product',
  '--value <amount>': 'face value, or the name of a fixed product',
  '--to <beneficiary>': 'recipient: an e-mail, or +phone for a top-up',
  '--coin <ticker>': 'coin to pay in',
  '--network <name>': 'network to pay on',
  '--email <email>': 'your own e-mail address, for messages from the merchant',
  '--resume': 'continue with the saved answers',
  '--plain': 'plain lines, for screen readers and for answers from standard input',
  '--max-amount <amount>': String(MAX_AMOUNT_HELP),
  '--yes': 'skip the recap’s question; non-interactive use needs it with --max-amount',
  '--no-wait': 'return when the order is accepted, before it is delivered',
  '--reveal':
    'print the code even when the output is not a terminal; --json and --ndjson always do',
  '--allow-other-country': 'allow a phone number from another country than the product’s',
  '--allow-duplicate': 'buy the same again within ten minutes; an unfinished order is finished',
  '--idempotency-key <key>': 'the same key never buys twice',
  '--timeout <time>': 'how long to wait for delivery (10m), and for any answer (35s)',
} as const;

type WizardFlags = FlagsOf<typeof OPTIONS>;

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS).action((flags: WizardFlags) => bind(workOf(flags)));
  addExamples(command, [
    'wizard',
    'wizard --type giftcard --country us --brand "Amazon.com"',
    'wizard --resume',
    'wizard --plain --type giftcard --country us --yes --max-amount 30 --json < answers.txt',
  ]);
}

/** Starts the wizard with the answers that flags give. */
function workOf(flags: WizardFlags): Parameters<Bind>[0] {
  const { timeout } = flags;
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  if (flags.maxAmount !== undefined) checkPlainDecimal(flags.maxAmount);
  const ahead = {
    product_type: flags.type,
    country: flags.country,
    brand: flags.brand,
    amount: flags.value,
    beneficiary_account: flags.to,
    coin: flags.coin,
    network: flags.network,
    user_email: flags.email,
  };
  const said = Object.entries(ahead).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return async (context) => {
    const { guide } = await import('../wizard/guide.ts');
    return guide(context, {
      ahead: Object.fromEntries(said),
      isResumed: flags.resume ?? false,
      isPlain: flags.plain ?? false,
      isAgreed: flags.yes ?? false,
      maxAmount: flags.maxAmount,
      isRevealed: flags.reveal ?? false,
      allowsDuplicate: flags.allowDuplicate ?? false,
      allowsOtherCountry: flags.allowOtherCountry ?? false,
      key: flags.idempotencyKey,
      isWaiting: flags.wait,
      timeouts: timeoutsOf(timeoutMs, flags.wait),
      timeout,
    });
  };
}
