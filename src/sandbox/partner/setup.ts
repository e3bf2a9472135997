/** Simulates the steps before an order can be paid; a tag in the buyer's address chooses a scenario. */
import { atOnce, type PaymentSetup } from '../../service/partner/setup.ts';
import { SETUP_SCENARIOS } from '../scenarios.ts';
import { tagsOf } from './tags.ts';

/** `ann+slow-wallet@…` waits for its wallet; without a tag the payment is requested at once. */
export const sandboxSetup: PaymentSetup = (order) => {
  const { email, hasCoupon, orderState, paymentState } = order;
  const tags = tagsOf(email);
  const chosen = SETUP_SCENARIOS.find(({ name }) => tags.includes(name));
  if (chosen === undefined || (chosen.needsCoupon && !hasCoupon)) return atOnce(order);
  return chosen.steps[orderState === 'Created' ? paymentState : orderState] ?? atOnce(order);
};
