/** Everything that was answered, said once more with the price before it becomes an order. */
import { type Answers, answerOf, productTypeOf, type WizardHost } from './wizard-step.ts';

/** Asks for a yes to all of it. */
export async function describeRecap(host: WizardHost, answers: Answers): Promise<string> {
  const price = await host.price(answers);
  const of = (key: Parameters<typeof answerOf>[1]): string => answerOf(answers, key);
  const what = productTypeOf(answers) === 'mobile_topup' ? 'Mobile top-up' : 'Gift card';
  const payment = `${price ?? of('coin')} on ${of('network')}`;
  return [
    `${what}: ${of('brand')}, ${of('amount')}, for ${of('country')}.`,
    `Sent to ${of('beneficiary_account')}.`,
    `Paid with ${payment}, ordered by ${of('user_email')}.`,
    'Is everything right?',
  ].join(' ');
}
