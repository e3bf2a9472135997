/** A host that is reached through a company's proxy alone, which asks for credentials and has its own authority. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BASE } from '../../src/contract/usdc.ts';
import { evmNetwork } from '../../src/rails/evm/networks.ts';
import {
  type ConnectProxy,
  openConnectProxy,
  openTlsFront,
  type ProxyOptions,
} from './connect-proxy.ts';
import { createPrivateCa } from './private-ca.ts';

export interface CompanyNetwork {
  /** Of the host, as a buyer names it. */
  readonly url: string;
  readonly proxy: ConnectProxy;
  /** Address of the proxy, with credentials. */
  readonly proxyUrl: string;
  /** PEM of the company's authority. */
  readonly authority: string;
}

export const COMPANY_HOST = 'shop.example';
/** No address, file or text of a command may hold it. */
export const PROXY_PASSWORD = 'canary-s3cret';

/**
 * @param behind what the host is on this machine
 * @param more tunnels that it opens, and what it does in place of opening them
 */
export async function openCompanyNetwork(
  behind: () => string,
  more: Pick<ProxyOptions, 'leads' | 'instead'> = {},
): Promise<CompanyNetwork> {
  const ca = createPrivateCa();
  const front = await openTlsFront(ca.issue(COMPANY_HOST), behind);
  const credentials = `ada:${PROXY_PASSWORD}`;
  const leads = { [`${COMPANY_HOST}:443`]: front, ...more.leads };
  const proxy = await openConnectProxy({ ...more, leads, credentials });
  return {
    url: `https://${COMPANY_HOST}`,
    proxy,
    proxyUrl: proxy.url.replace('://', `://${credentials}@`),
    authority: ca.cert,
  };
}

/**
 * Lets a home pay the host without a person, and gives the file of the company's authority.
 * @param network by default Solana
 */
export function joinCompany(
  dir: string,
  { authority }: CompanyNetwork,
  network?: 'base' | undefined,
): string {
  const folder = join(dir, '.config', 'scrip');
  mkdirSync(folder, { recursive: true });
  const policy = {
    hosts: {
      [COMPANY_HOST]: {
        payTo: 'any',
        ...(network && { network: BASE, mint: evmNetwork(BASE)?.asset }),
      },
    },
    nonInteractive: { enabled: true, perOrder: '60' },
    ...{ perOrder: '60', perDay: '1000', perMerchantPerDay: '1000' },
  };
  writeFileSync(join(folder, 'policy.json'), JSON.stringify(policy), { mode: 0o600 });
  const caFile = join(dir, 'company.pem');
  writeFileSync(caFile, authority);
  return caFile;
}
