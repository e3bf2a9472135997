/** What the Solana rail tells about addresses without paying. */
import { USDC_DECIMALS } from '../../contract/x402.ts';
import type { RailInsight } from '../rail.ts';
import { associatedTokenAddress, isAddress, isOnCurve } from './address.ts';

export interface InsightOptions {
  readonly mint: string;
}

export function createInsight({ mint }: InsightOptions): RailInsight {
  return {
    decimals: USDC_DECIMALS,
    isOnCurve: (address) => isAddress(address) && isOnCurve(address),
    recipientAccount: (payTo) =>
      isAddress(payTo) ? associatedTokenAddress(payTo, mint) : undefined,
  };
}
