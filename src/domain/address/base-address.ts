/** Hosts, networks and RPCs as the user names them: https, or plain http on this machine. */

import {
  BASE,
  BASE_SEPOLIA,
  NETWORK_IDS,
  networkNamed,
  SOLANA_MAINNET,
  USUAL_RPCS,
} from '../../contract/usdc.ts';
import { ScripError } from '../message/errors.ts';
import { t } from '../message/message.ts';
import { isLoopbackHost } from './loopback.ts';

/**
 * Returns the address without a trailing slash.
 * @param name the flag, setting or option that held the address, for error messages
 * @throws {ScripError} INPUT_INVALID when it is not https (or http on loopback), or is more than a plain base
 * address
 */
export function baseAddress(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname));
  if (!url || !isSafe) {
    throw new ScripError('INPUT_INVALID', t`${name} "${text}" is not an https address`, {
      hint: t`Use https://…; plain http is for this machine alone, such as http://127.0.0.1:4020.`,
    });
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new ScripError(
      'INPUT_INVALID',
      t`${name} must be a plain base address, without ?, # or a user name`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Returns the CAIP-2 id of a network to pay on. @throws {ScripError} INPUT_INVALID */
export function checkNetwork(text: string): string {
  const name = networkNamed(text);
  if (name !== undefined) return NETWORK_IDS[name];
  throw new ScripError('INPUT_INVALID', t`"${text}" is no network that this wallet pays on`, {
    hint: t`Use one of: ${Object.keys(NETWORK_IDS).join(', ')}`,
  });
}

interface NamedRpcs {
  readonly checkoutUrl: string;
  readonly payNetwork?: string | undefined;
  readonly rpcUrl?: string | undefined;
  readonly witnessUrl?: string | undefined;
  readonly baseRpcUrl?: string | undefined;
}

/** The RPC of each network: the user's, else that of a sandbox at the checkout host, else a public one. */
export function rpcPlaces({ checkoutUrl, payNetwork, rpcUrl, witnessUrl, baseRpcUrl }: NamedRpcs) {
  const { origin, hostname } = new URL(checkoutUrl);
  const isHere = isLoopbackHost(hostname);
  const base = payNetwork === BASE_SEPOLIA ? payNetwork : BASE;
  const place = (named: string | undefined, path: string, usual: string) => ({
    url: named ?? (isHere ? origin + path : usual),
    isNamed: named !== undefined,
  });
  return {
    [SOLANA_MAINNET]: { ...place(rpcUrl, '/rpc', USUAL_RPCS[SOLANA_MAINNET].url), witnessUrl },
    [base]: place(baseRpcUrl, '/rpc/base', USUAL_RPCS[base].url),
  };
}
