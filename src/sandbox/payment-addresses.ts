/** Addresses that orders are paid to, opened before they are needed. */

import { addressFromSeed } from '../rails/solana/ed25519.ts';
import type { Draw } from './secrets.ts';
import type { ShopChain } from './shop-chain.ts';

interface Options {
  readonly chain: Pick<ShopChain, 'openForPayments' | 'embedded'>;
  readonly draw: Draw;
  random(length: number): Uint8Array;
}

/** Returns an address that no other order gets, ready for USDC. @throws {ScripError} CHAIN_UNREACHABLE */
export type NextAddress = () => Promise<string>;

/** Opened in one write: more would make callers wait for longer than a commit takes. */
const MOST_AT_ONCE = 32;

/**
 * Whenever none is left, opens twice as many as the time before, so a single purchase opens one,
 * and those of a busy shop share a commit. On a remote chain each costs rent and is opened alone.
 */
export function createPaymentAddresses({ chain, draw, random }: Options): NextAddress {
  const most = chain.embedded ? MOST_AT_ONCE : 1;
  const opened: string[] = [];
  let count = 1;
  let opening: Promise<void> | undefined;

  async function openMore(): Promise<void> {
    const names = Array.from({ length: count }, () => Buffer.from(random(16)).toString('hex'));
    const owners = names.map((name) => addressFromSeed(draw(`payments ${name}`)));
    await chain.openForPayments(...owners);
    opened.push(...owners);
    count = Math.min(2 * count, most);
  }

  function more(): Promise<void> {
    opening ??= openMore().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  return async () => {
    for (;;) {
      const owner = opened.pop();
      if (owner === undefined) {
        await more();
        continue;
      }
      // A busy shop opens the next ones early, so that no order waits for them. If that fails,
      // an order that finds none left tries again, and is told.
      if (opened.length === MOST_AT_ONCE / 2) more().catch(() => undefined);
      return owner;
    }
  };
}
