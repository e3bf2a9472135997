/** Reads and checks a requirement before the payer asks the chain anything. */

import type { PaymentRequirement } from '../../contract/x402.ts';
import { t } from '../../domain/message/message.ts';
import { type Check, equals, fail, pass } from '../../domain/payment/requirement-checks.ts';
import { readCommonTerms, refuseTerms } from '../terms.ts';
import { readAddress, ZERO_ADDRESS } from './address.ts';
import type { EvmNetwork } from './networks.ts';

/** Longest validity of an authorization, and what one has for a requirement without a limit. */
export const MOST_SECONDS = 300;
/** As the reference client: a merchant's clock may be behind the chain's. */
export const EARLIER_SECONDS = 600;

/** Reads a requirement for this network. @throws {ScripError} REQUIREMENT_UNACCEPTABLE, AMOUNT_INVALID */
export function readTerms(requirement: PaymentRequirement, network: EvmNetwork, payer: string) {
  const { asset } = network;
  const terms = readCommonTerms(requirement, {
    ...{ network: network.network, asset },
    payer,
    readAddress,
  });
  if (terms.payTo === ZERO_ADDRESS) refuseTerms(t`pays the zero address`);
  if (terms.payTo === asset) refuseTerms(t`pays the token itself`);
  const { extra, maxTimeoutSeconds = MOST_SECONDS } = requirement;
  const failed = extraChecks(extra, network).find(({ state }) => state === 'fail');
  if (failed !== undefined) refuseTerms(t`has another ${failed.check}: ${failed.detail}`);
  // How long the authorization is valid.
  return { ...terms, seconds: Math.min(Math.floor(maxTimeoutSeconds), MOST_SECONDS) };
}

/** Runs the checks of what only this rail's payments use, each by itself. */
export function extraChecks(
  extra: PaymentRequirement['extra'],
  { name, version }: EvmNetwork,
): readonly Check[] {
  const method = extra?.assetTransferMethod;
  return [
    equals('name', extra?.name, name),
    equals('version', extra?.version, version),
    method === undefined || method === 'eip3009'
      ? pass('assetTransferMethod', 'eip3009')
      : fail('assetTransferMethod', t`asks for ${String(method)}, not eip3009`),
  ];
}
