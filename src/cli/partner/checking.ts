/** From what is typed to a checked order of the partner API: products found, all problems told. */

import {
  type CartLine,
  deliveriesOf,
  findProducts,
  kindOf,
  type Wanted,
} from '../../api/partner/cart.ts';
import type { PartnerHost } from '../../api/partner/partner.ts';
import { type Validated, validate } from '../../api/partner/validate.ts';
import type { WireValidationRequest } from '../../contract/partner-orders.ts';
import { checkBeneficiary } from '../../domain/beneficiary.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { type Recipient, recipientOf } from '../buying/recipient.ts';
import type { Context } from '../context.ts';
import type { RecordView } from '../output/view.ts';
import type { CheckedOrder } from '../schemas/purchase.ts';
import { type ChosenMeans, chooseMeans, type MeansFlags, partnerHost } from './api.ts';
import { askedInCoin } from './coins.ts';
import { explainProblem, problemRecord, problemsError } from './problem.ts';

export interface CheckWish extends MeansFlags {
  readonly items: readonly Wanted[];
  readonly email?: string | undefined;
  readonly coupon?: string | undefined;
  readonly refundAddress?: string | undefined;
}

export interface Checked extends Validated {
  readonly lines: readonly CartLine[];
  /** Of each line. */
  readonly recipients: readonly Recipient[];
  readonly means: ChosenMeans;
  readonly request: WireValidationRequest;
}

/**
 * Finds the products and checks the order, here first and then by the service.
 * @throws {ScripError} PRODUCT_UNKNOWN, EMAIL_INVALID and the codes of a call; problems are a value
 */
export async function checkOrder(context: Context, wish: CheckWish): Promise<Checked> {
  const [first] = wish.items;
  const host = partnerHost(context, first?.countryCode);
  const means = await chooseMeans(host, wish);
  return askedInCoin(host, means.coin, () => checkInCoin(context, wish, { host, means }));
}

async function checkInCoin(
  context: Context,
  wish: CheckWish,
  { host, means }: { readonly host: PartnerHost; readonly means: ChosenMeans },
): Promise<Checked> {
  const found = await findProducts(host, wish.items, means.coin);
  const lines = await Promise.all(found.map((line) => withCanonicalAccount(context, line)));
  const request: WireValidationRequest = {
    ...(wish.email === undefined ? {} : { user: { email: wish.email } }),
    payment: means.payment,
    deliveries: deliveriesOf(lines),
    ...(wish.coupon === undefined ? {} : { coupon_code: wish.coupon }),
    ...(wish.refundAddress === undefined ? {} : { refund_wallet_address: wish.refundAddress }),
  };
  const validated = await validate(host, lines, request, context.parts.parsePhone);
  const recipients = await Promise.all(
    lines.map(({ to, countryCode }) => recipientOf(context, to, countryCode)),
  );
  return { ...validated, lines, recipients, means, request };
}

/** The account in the form that it is ordered with; one that is wrong stays as it was typed. */
async function withCanonicalAccount(context: Context, line: CartLine): Promise<CartLine> {
  try {
    const { to, countryCode } = line;
    return {
      ...line,
      to: await checkBeneficiary(kindOf(line), to, context.parts.parsePhone, countryCode),
    };
  } catch (error) {
    if (error instanceof ScripError) return line;
    throw error;
  }
}

/** Each such as `2 x Amazon.com, 25 USD → friend@example.com`. */
export function lineTexts({
  lines,
  recipients,
}: Pick<Checked, 'lines' | 'recipients'>): readonly string[] {
  return lines.map(({ brand, product, value, quantity, to }, index) => {
    const { denomination, range } = product;
    const chosen = value === undefined ? denomination : `${value} ${range?.currency ?? ''}`.trim();
    const what = [brand.brand, chosen].filter(Boolean).join(', ');
    return `${quantity} x ${what} → ${recipients[index]?.text ?? to}`;
  });
}

export function checkedView(checked: Checked): RecordView {
  const { validation, problems, recipients, means } = checked;
  const explained = problems.map(explainProblem);
  const error = problemsError(problems);
  return {
    kind: 'record',
    record: {
      valid: problems.length === 0,
      coin: means.coin,
      network: means.network,
      coin_amount: validation?.coin_amount ?? null,
      problems: explained.map(problemRecord),
      validation: validation ?? null,
    } satisfies CheckedOrder,
    title: problems.length === 0 ? t`The order is valid` : t`The order has problems`,
    lines: [
      ...lineTexts(checked).map((text) => [t`Product`, text] as const),
      [t`Price`, t`${validation?.coin_amount ?? t`not known`} ${means.coin} on ${means.network}`],
      ...explained.flatMap((one) => [
        [t`Problem`, one.problem] as const,
        [t`Meaning`, one.meaning] as const,
        [t`What to do`, one.remedy] as const,
        ...(one.moreDetails === undefined
          ? []
          : [[t`Details`, JSON.stringify(one.moreDetails)] as const]),
      ]),
    ],
    ...(error === undefined ? otherCountryNote(recipients) : { error }),
  };
}

/** Valid, and yet perhaps a slip: whoever orders it is asked. */
function otherCountryNote(recipients: readonly Recipient[]): Pick<RecordView, 'note'> {
  const strange = recipients.find(({ elsewhere }) => elsewhere !== undefined);
  if (strange?.elsewhere === undefined) return {};
  const { phone, product } = strange.elsewhere;
  return {
    note: t`The phone number’s country is ${phone}, the product’s is ${product}. To order it all the same, add --allow-other-country.`,
  };
}
