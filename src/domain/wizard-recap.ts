/** Repeats all answers, with the price, before they become an order. */
import { joined, type Message, t } from './message.ts';
import { type Answers, answerOf, productTypeOf, type WizardHost } from './wizard-step.ts';

/** Returns the question that confirms all answers. */
export async function describeRecap(host: WizardHost, answers: Answers): Promise<Message> {
  const price = await host.price(answers);
  const of = (key: Parameters<typeof answerOf>[1]): string => answerOf(answers, key);
  const what = productTypeOf(answers) === 'mobile_topup' ? t`Mobile top-up` : t`Gift card`;
  const payment = t`${price ?? of('coin')} on ${of('network')}`;
  return joined(
    [
      t`${what}: ${of('brand')}, ${of('amount')}, for ${of('country')}.`,
      t`Sent to ${of('beneficiary_account')}.`,
      t`Paid with ${payment}, ordered by ${of('user_email')}.`,
      t`Is everything right?`,
    ],
    ' ',
  );
}
