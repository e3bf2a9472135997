/** Who receives what an agent orders: phone numbers are read as the command line reads them. */
import { otherCountryError, type Recipient, recipientOf } from '../../api/recipient.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

export interface AgentConsent {
  /** Phone numbers of other countries than their products' are meant. */
  readonly allowsOtherCountry: boolean;
}

interface Line {
  readonly beneficiary_account: string;
  readonly country_code: string;
}

/** On its own, or wrapped as in older requests and in every reply (interface: ProductDeliverable). */
type Delivery = Line | { readonly deliverable: Line };

/**
 * The deliveries with every phone number in E.164, and their recipients.
 * @throws {ScripError} PHONE_OTHER_COUNTRY
 */
export async function readDeliveries<T extends Delivery>(
  context: ScripContext,
  deliveries: readonly T[],
  { allowsOtherCountry }: AgentConsent,
): Promise<{ readonly deliveries: T[]; readonly recipients: readonly Recipient[] }> {
  const read = await Promise.all(deliveries.map((delivery) => readDelivery(context, delivery)));
  const recipients = read.map(({ recipient }) => recipient);
  const strange = recipients.find(({ elsewhere }) => elsewhere !== undefined);
  if (strange?.elsewhere !== undefined && !allowsOtherCountry) {
    throw otherCountryError(strange.elsewhere);
  }
  return { deliveries: read.map(({ delivery }) => delivery), recipients };
}

async function readDelivery<T extends Delivery>(context: ScripContext, delivery: T) {
  const line: Line = 'deliverable' in delivery ? delivery.deliverable : delivery;
  const { beneficiary_account: typed, country_code: countryCode } = line;
  const isPhone = /^\s*\+?[0-9][0-9 ().-]+$/.test(typed);
  // What is no number anywhere is the merchant's to judge.
  const phone = isPhone ? await context.parts.parsePhone(typed.trim(), countryCode) : undefined;
  const account = phone?.number ?? typed;
  const recipient = await recipientOf(scripDeps(context), account, countryCode);
  const read = { ...line, beneficiary_account: account };
  return {
    recipient,
    delivery:
      'deliverable' in delivery ? { ...delivery, deliverable: read } : { ...delivery, ...read },
  };
}
