/** What a facilitator elsewhere settles for us: read from GET /supported, and kept for a minute. */

import { type SupportedResponse, X402_VERSION } from '../contract/x402.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { type Message, t } from '../domain/message.ts';
import type { FacilitatorClient } from './facilitator-http.ts';
import type { Facilitator } from './merchant-rail.ts';

const FRESH_MS = 60_000;
/** A facilitator that is away is not asked by every buyer. */
const AWAY_MS = 5_000;

/** The fee payer that payments on a network are to name; undefined where it settles none by x402 v2. */
export function feePayerOf({ kinds }: SupportedResponse, network: string): string | undefined {
  return kindOf(kinds, network)?.extra?.feePayer;
}

function kindOf(kinds: SupportedResponse['kinds'], network: string) {
  return kinds.find(
    (kind) =>
      kind.x402Version === X402_VERSION && kind.scheme === 'exact' && kind.network === network,
  );
}

/** As `feePayerOf`, of a facilitator. @throws {ScripError} FACILITATOR_UNAVAILABLE */
export async function readFeePayer(
  { supported }: Pick<Facilitator, 'supported'>,
  network: string,
): Promise<string> {
  return feePayerOf(await supported(), network) ?? refuseNetwork(network);
}

export interface FacilitatorTerms {
  /**
   * Its answer, as far as it is about our payments.
   * @throws {ScripError} FACILITATOR_UNAVAILABLE when it is away, or settles no such payments
   */
  current(): Promise<SupportedResponse>;
  /** Whether it signs for this fee payer; it may have several. @throws as `current` */
  isManaged(feePayer: string | undefined): Promise<boolean>;
}

export function readFacilitatorTerms(
  client: Pick<FacilitatorClient, 'supported'>,
  { network, clock }: { readonly network: string; readonly clock: Pick<Clock, 'now'> },
): FacilitatorTerms {
  let asked: Promise<SupportedResponse> | undefined;
  let untilMs = 0;
  const current: FacilitatorTerms['current'] = () => {
    if (asked !== undefined && clock.now() < untilMs) return asked;
    untilMs = clock.now() + FRESH_MS;
    asked = client.supported().then((said) => ours(said, network));
    asked.catch(() => {
      untilMs = clock.now() + AWAY_MS;
    });
    return asked;
  };
  return {
    current,
    async isManaged(feePayer) {
      const { kinds, signers = {} } = await current();
      const managed = [
        ...kinds.map(({ extra }) => extra?.feePayer),
        ...Object.values(signers).flat(),
      ];
      return feePayer !== undefined && managed.includes(feePayer);
    },
  };
}

/** Of a shop without such a facilitator. */
export const NO_TERMS: FacilitatorTerms = {
  current: async () => {
    throw new ScripError('FACILITATOR_UNAVAILABLE', t`No facilitator is named`);
  },
  isManaged: async () => false,
};

/** @throws {ScripError} FACILITATOR_UNAVAILABLE */
function ours({ kinds, signers = {} }: SupportedResponse, network: string): SupportedResponse {
  const kind = kindOf(kinds, network);
  if (kind?.extra?.feePayer === undefined) return refuseNetwork(network);
  const [family] = network.split(':');
  const own = Object.entries(signers).filter(
    ([name]) => name === network || name === `${family}:*`,
  );
  return { kinds: [kind], extensions: [], signers: Object.fromEntries(own) };
}

function refuseNetwork(network: string): never {
  throw new ScripError('FACILITATOR_UNAVAILABLE', settlesNothing(network));
}

export function settlesNothing(network: string): Message {
  return t`The facilitator settles no exact payments on ${network} by x402 version 2`;
}
