/** Lists the orders that this wallet paid at a host, by signing in with it (x402 extension `sign-in-with-x`). */

import {
  getOwnOrders,
  type OwnOrder,
  SIGN_IN,
  SIGN_IN_HEADER,
  type SignInOffer,
  signInOffer,
  signInText,
} from '../../contract/sign-in.ts';
import { NETWORK_IDS } from '../../contract/usdc.ts';
import {
  decodeHeader,
  encodeHeader,
  extensionIn,
  PAYMENT_REQUIRED_HEADER,
} from '../../contract/x402.ts';
import { expected, parseJson } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { CALL_TIMEOUT_MS, call } from '../http/call.ts';
import { BODY_CAP_BYTES, exchange, hostOf } from '../http/exchange.ts';
import type { ScripDeps } from '../scrip.ts';

/**
 * The orders of each of the wallet's keys that the host takes, newest first.
 * @throws {ScripError} SIGN_IN_UNSUPPORTED; WALLET_MISSING; what `call` throws
 */
export async function ownOrders(deps: ScripDeps): Promise<readonly OwnOrder[]> {
  const { checkoutUrl } = deps.place;
  const offered = await askChallenge(deps);
  const ours: readonly string[] = Object.values(NETWORK_IDS);
  const networks = offered.supportedChains.map(({ chainId }) => chainId);
  const lists: (readonly OwnOrder[])[] = [];
  for (const network of networks.filter((one) => ours.includes(one))) {
    const signer = await deps.payer(network).catch(expected(() => undefined, 'WALLET_MISSING'));
    if (signer === undefined) continue;
    // Each challenge is for one sign-in.
    const { info, supportedChains } = lists.length === 0 ? offered : await askChallenge(deps);
    const { signIn } = await deps.rail(network);
    const { address } = signer;
    const chain = supportedChains.find(({ chainId }) => chainId === network);
    const unsigned = { ...info, chainId: network, type: chain?.type ?? '', address };
    const text = signInText(unsigned, signIn.account);
    const signature = signIn.encode(await signer.sign(signIn.message(text)));
    const headers = { [SIGN_IN_HEADER]: encodeHeader({ ...unsigned, signature }) };
    const { fetch, signal } = deps;
    lists.push((await call(fetch, checkoutUrl, getOwnOrders, {}, { headers, signal })).orders);
  }
  // None of the keys is for a network of the host.
  if (lists.length === 0) await deps.payer(networks[0] ?? '');
  return lists
    .flat()
    .toSorted((one, other) => Date.parse(other.created_at) - Date.parse(one.created_at));
}

/** Refuses to sign for another host than the one that was asked. */
async function askChallenge({ fetch, signal, place }: ScripDeps): Promise<SignInOffer> {
  const url = place.checkoutUrl + getOwnOrders.path;
  const init = { method: 'GET', headers: { accept: 'application/json' } };
  const timing = { timeoutMs: CALL_TIMEOUT_MS, capBytes: BODY_CAP_BYTES, signal };
  const { headers, text } = await exchange({ fetch, url, init, ...timing });
  const header = headers.get(PAYMENT_REQUIRED_HEADER);
  const envelope = Object(header === null ? parseJson(text) : decodeHeader(header));
  const read = signInOffer().safeParse(extensionIn(envelope.extensions, SIGN_IN));
  const { host, origin } = new URL(url);
  const { domain, uri = '' } = read.data?.info ?? {};
  if (read.success && domain === host && URL.canParse(uri) && new URL(uri).origin === origin) {
    return read.data;
  }
  throw new ScripError(
    'SIGN_IN_UNSUPPORTED',
    read.success
      ? t`${hostOf(url)} asks for a sign-in at ${domain ?? ''}; nothing was signed`
      : t`${hostOf(url)} offers no sign-in with a wallet`,
  );
}
