/** The command line that orders the same. */

import type { WishedItem } from '../../api/merchant.ts';
import type { OrderInput } from './ordering.ts';

/** Without `scrip`; the idempotency key is no part of it, so that the line buys again. */
export function orderLine(input: OrderInput, timeout: string | undefined): readonly string[] {
  const { merchant, wish, isPaid, isWaiting } = input;
  const [item] = wish.items;
  return [
    'order',
    ...(item === undefined ? [] : itemWords(item)),
    ...option('--email', wish.email === item?.to ? undefined : wish.email),
    ...(isWaiting ? option('--timeout', timeout) : ['--no-wait']),
    ...(input.isRevealed ? ['--reveal'] : []),
    ...(input.allowsDuplicate ? ['--allow-duplicate'] : []),
    ...(input.allowsOtherCountry ? ['--allow-other-country'] : []),
    ...(merchant === 'partner'
      ? [
          ...['--via', merchant],
          ...option('--coin', wish.coin),
          ...option('--network', wish.network),
          ...(isPaid ? ['--pay'] : []),
        ]
      : []),
    ...option('--max-amount', wish.maxAmount),
    '--yes',
  ];
}

/** The brand follows from the id. */
function itemWords({ productId, country, value, to }: WishedItem): readonly string[] {
  const chosen = value === undefined ? [] : [value];
  return [productId, ...chosen, '--country', country, '--to', to];
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}
