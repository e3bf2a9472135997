/** The command line that orders the same. */

import type { OrderItem } from '../../api/merchant.ts';
import type { PlaceOrderInput } from './ordering.ts';

/** Without `scrip`; the idempotency key is no part of it, so that the line buys again. */
export function orderLine(input: PlaceOrderInput, timeout: string | undefined): readonly string[] {
  const { merchant, orderInput, isPaid, isWaiting } = input;
  const [item] = orderInput.items;
  return [
    'order',
    ...(item === undefined ? [] : itemWords(item)),
    ...option('--email', orderInput.email === item?.to ? undefined : orderInput.email),
    ...(isWaiting ? option('--timeout', timeout) : ['--no-wait']),
    ...(input.isRevealed ? ['--reveal'] : []),
    ...(input.allowsDuplicate ? ['--allow-duplicate'] : []),
    ...(input.allowsOtherCountry ? ['--allow-other-country'] : []),
    ...(merchant === 'partner'
      ? [
          ...['--via', merchant],
          ...option('--coin', orderInput.coin),
          ...option('--network', orderInput.network),
          ...(isPaid ? ['--pay'] : []),
        ]
      : []),
    ...option('--max-amount', orderInput.maxAmount),
    '--yes',
  ];
}

/** The brand follows from the id. */
function itemWords({ productId, country, value, to }: OrderItem): readonly string[] {
  const chosen = value === undefined ? [] : [value];
  return [productId, ...chosen, '--country', country, '--to', to];
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}
