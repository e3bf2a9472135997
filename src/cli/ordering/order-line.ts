/** Builds the command line for the same order. */

import type { PlaceOrderInput } from './ordering.ts';

/** Values from the settings, which the line can omit. */
export interface KnownSettings {
  readonly country: string | undefined;
  readonly email: string | undefined;
}

interface OrderLine {
  /** The product's name, followed by the face value. */
  readonly words: readonly string[];
  readonly known: KnownSettings;
  /** As typed; undefined for the default. */
  readonly timeout: string | undefined;
  /** What was agreed to by options. At a terminal the line asks again. */
  readonly agreed:
    | { readonly maxAmount: string | undefined; readonly isAsked: boolean }
    | undefined;
}

/** Returns the words without `scrip`. They have no idempotency key, so running the line again buys again. */
export function orderLine(
  input: PlaceOrderInput,
  { words, known, timeout, agreed }: OrderLine,
): readonly string[] {
  const { merchant, orderInput, isPaid, isWaiting } = input;
  const { email, items } = orderInput;
  const [item] = items;
  return [
    'order',
    ...words,
    ...option('--country', item?.country === known.country ? undefined : item?.country),
    ...option('--to', item?.to),
    ...option('--email', email === (known.email ?? item?.to) ? undefined : email),
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
    ...option('--max-amount', agreed?.maxAmount),
    ...(agreed?.isAsked === false ? ['--yes'] : []),
  ];
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}
