/** `scrip inspect`: checks a host's payment request without signing anything. */

import type { Command } from 'commander';
import { quoteCheckout } from '../../api/checkout/checkout-quote.ts';
import {
  failedChecks,
  type InspectDeps,
  type Inspection,
  inspect,
  type Target,
} from '../../api/checkout/inspect.ts';
import { checkoutHostName } from '../../api/checkout/merchant.ts';
import { checkMerchant } from '../../api/payment/spending.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { MAX_AMOUNT_HELP } from '../../domain/money/cap.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import type { Check } from '../../domain/payment/requirement-checks.ts';
import { formatUsdc, parseUsdc } from '../amount.ts';
import { countryFor } from '../browsing/country.ts';
import { lineOf, orNearestValues } from '../browsing/offered-product.ts';
import { priceQuestion } from '../browsing/product-choice.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext, With } from '../context.ts';
import { checkLines, type Line, type RecordView, type View } from '../output/view.ts';
import { COUNTRY_OPTIONS, type TypedProduct, typedProduct } from '../parsing/order-options.ts';
import { addRequestOptions, type RequestFlags, readUrl, typedRequest } from '../parsing/request.ts';
import type { InspectionRecord } from '../schemas/purchase.ts';
import { scripDeps } from '../scrip-deps.ts';

const OPTIONS = {
  ...COUNTRY_OPTIONS,
  '--brand <name>': 'brand of the product, if you give a product id',
  '--to <beneficiary>': 'recipient: an e-mail, or +phone for a top-up',
  '--email <email>': 'your own address; --to where that is an e-mail',
  '--value <amount>': 'face value, for products with a variable value',
  '--max-amount <amount>': String(MAX_AMOUNT_HELP),
} as const;

type InspectFlags = FlagsOf<typeof OPTIONS> & RequestFlags;

export function register(command: Command, bind: Bind): void {
  addRequestOptions(addOptions(command, OPTIONS))
    .argument(
      '<target...>',
      'an address that answers 402; or brand and face value, such as: amazon 25; or an id of scrip catalog',
    )
    .action((words: readonly string[], flags: InspectFlags) => {
      if (flags.maxAmount !== undefined) parseUsdc(flags.maxAmount);
      const typed = typedProduct(command, words, flags.value);
      const text = words.join(' ');
      const url = text.includes('://') ? readUrl(text) : undefined;
      const { request, header, data } = flags;
      if (url === undefined && (request !== undefined || header.length + data.length > 0)) {
        throw new ScripError('USAGE', t`-X, -H and -d are for an address`);
      }
      return bind(async (context) =>
        run(context, flags, url === undefined ? typed : await addressSubject(context, url, flags)),
      );
    });
  addExamples(command, [
    'inspect amazon 25 --country us --to friend@example.com',
    'inspect <product_id> --country us --brand "Amazon.com" --value 25 --to friend@example.com --json',
    'inspect https://host.example/paid-page --max-amount 1',
    'inspect https://host.example/summary -H "Content-Type: application/json" -d @question.json',
  ]);
}

interface Subject {
  readonly target: Target;
  readonly name: string;
  /** For the user. */
  readonly title: string;
  readonly quotedAtomic: Atomic | undefined;
  readonly capAtomic: Atomic | undefined;
}

async function run(
  context: BuyerContext,
  flags: InspectFlags,
  named: Subject | TypedProduct,
): Promise<View> {
  const subject = 'target' in named ? named : await productSubject(context, named, flags);
  context.io.progress.step(t`Asking for the payment request`);
  const found = await inspect(await toolsOf(context), subject.target, subject);
  context.io.progress.done();
  const policy = await policyCheck(context, subject);
  return inspectionView({ ...found, checks: [...found.checks, policy] }, subject);
}

/** Whether the user's policy allows this host at all; the amount is checked only at payment. */
async function policyCheck(context: BuyerContext, { target }: Subject): Promise<Check> {
  const check = 'policy';
  const isOrder = target.kind === 'order';
  const url = isOrder ? target.baseUrl : target.request.url;
  const host = isOrder ? checkoutHostName(context.settings) : new URL(url).origin;
  try {
    await checkMerchant(scripDeps(context), { host, url }, true);
    return { check, state: 'pass', detail: t`${host} may be paid` };
  } catch (error) {
    if (!(error instanceof ScripError) || error.code === 'INTERRUPTED') throw error;
    return { check, state: 'fail', detail: error.sentence };
  }
}

async function toolsOf(context: BuyerContext): Promise<InspectDeps> {
  const { fetch, clock, signal, rail } = context.parts;
  return { fetch, clock, rail: await rail(), payer: await payerOf(context), signal };
}

/** Inspecting works without a wallet; with one, it also detects a request to pay the wallet itself. */
async function payerOf({
  keys: { wallets },
  settings,
}: With<'settings' | 'keys'>): Promise<string | undefined> {
  try {
    return (await wallets.open(settings.keypairPath)).address;
  } catch (error) {
    if (error instanceof ScripError && error.code === 'WALLET_MISSING') return undefined;
    throw error;
  }
}

async function addressSubject(
  context: BuyerContext,
  url: string,
  { maxAmount, ...flags }: InspectFlags,
): Promise<Subject> {
  return {
    target: { kind: 'address', request: await typedRequest(context, url, flags) },
    name: url,
    title: url,
    quotedAtomic: undefined,
    capAtomic: maxAmount === undefined ? undefined : parseUsdc(maxAmount),
  };
}

async function productSubject(
  context: BuyerContext,
  { product: words = '', value, rest }: TypedProduct,
  { country: typed, brand, maxAmount, ...people }: InspectFlags,
): Promise<Subject> {
  const { settings } = context;
  const to = required(people.to ?? settings.to, 'to');
  const own = people.email ?? settings.email;
  const email = own ?? (to.includes('@') ? to : required(undefined, 'email'));
  const country = await countryFor(context, typed, words);
  const wanted = { words, value, country, brand, merchant: 'checkout' } as const;
  const named = await priceQuestion(context, wanted, ['inspect', ...rest]);
  context.io.progress.step(t`Asking for the price`);
  const items = [{ ...named, to, quantity: 1 }];
  const {
    body: request,
    summary,
    lines,
    price,
  } = await orNearestValues(
    context,
    { ...named, merchant: 'checkout' },
    (one) => lineOf('inspect', one, rest),
    // Don't pass the maximum: a price above it must appear as a failed check, not as an error.
    () => quoteCheckout(scripDeps(context), { items, email }),
  );
  const body = canonicalJson(request);
  return {
    target: { kind: 'order', baseUrl: context.settings.checkoutUrl, body },
    name: summary.productName,
    title: lines[0]?.name ?? summary.productName,
    quotedAtomic: price?.atomic,
    capAtomic: maxAmount === undefined ? price?.capAtomic : parseUsdc(maxAmount),
  };
}

/** @param name of the option, and of the setting */
function required(value: string | undefined, name: 'to' | 'email'): string {
  if (value !== undefined) return value;
  throw new ScripError('USAGE', t`Required option not given: ${`--${name}`}`, {
    details: { missing: [`--${name}`] },
    hint: commandText`Add --${name} <value>, or save a default: scrip config set ${name} <value>`,
  });
}

function inspectionView(inspection: Inspection, subject: Subject): RecordView {
  const failed = failedChecks(inspection);
  const { amountAtomic: amount, offer, checks, driftAtomic, recipientAccount } = inspection;
  const shown = amount === null ? null : formatUsdc(amount);
  // Only the check of the asset proves which coin it is.
  const isUsdc = checks.some(({ check, state }) => check === 'asset' && state === 'pass');
  const withCoin = shown !== null && isUsdc ? t`${shown} USDC` : shown;
  const asked: readonly Line[] = [
    [t`Asked for`, withCoin ?? t`no amount`],
    [t`Paid to`, String(offer.payTo)],
    [t`Account`, recipientAccount ?? t`none`],
    [t`Drift`, driftText(driftAtomic)],
  ];
  const told = checkLines(checks);
  return {
    kind: 'record',
    title: t`${subject.title}: nothing was signed`,
    record: {
      target: subject.name,
      ok: failed.length === 0,
      amount: shown,
      amount_atomic: amount === null ? null : String(amount),
      quoted: subject.quotedAtomic === undefined ? null : formatUsdc(subject.quotedAtomic),
      drift_atomic: driftAtomic === null ? null : String(driftAtomic),
      max_amount: subject.capAtomic === undefined ? null : formatUsdc(subject.capAtomic),
      token_account: recipientAccount,
      dialect: inspection.dialect,
      has_session: inspection.hasSession,
      expires_at: instant(inspection.expiresAtMs),
      offers: inspection.offers,
      requirement: { ...offer },
      checks: checks.map((one) => ({ ...one, detail: String(one.detail) })),
    } satisfies InspectionRecord,
    lines: [...asked, ...told],
    screen: [asked, told],
    ...(failed.length === 0 ? {} : { error: refusal(failed, checks.length) }),
  };
}

function driftText(drift: bigint | null): Message {
  if (drift === null) return t`nothing was quoted`;
  if (drift === 0n) return t`none`;
  const size = formatUsdc(atomic(drift < 0n ? -drift : drift));
  return drift > 0n ? t`${size} above the quote` : t`${size} below the quote`;
}

function instant(ms: number): string | null {
  // Beyond these bounds a Date has no ISO form and throws.
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null;
}

function refusal(failed: readonly string[], count: number): ScripError {
  return new ScripError(
    'REQUIREMENT_UNACCEPTABLE',
    t`${failed.length} of ${count} checks fail: ${failed.join(', ')}`,
    { details: { failed } },
  );
}
