/** Reads an operator's own files: catalog, market, and rules of the partner API. */

import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { loadCatalogFile } from '../service/catalog-file.ts';
import { createSandboxMarket } from './market/market.ts';
import { readMarketSettings } from './market/market-file.ts';
import { createSandboxPolicy } from './partner-policy.ts';
import { readPolicy } from './partner-policy-file.ts';
import { sandboxRates } from './rates.ts';
import type { SandboxOptions } from './sandbox.ts';

/** Texts of the files; the sandbox's own data replaces an omitted one. */
export interface OperatorFiles {
  readonly catalog?: string | undefined;
  readonly market?: string | undefined;
  readonly policy?: string | undefined;
  readonly paymentWindowMs?: number | undefined;
}

/**
 * Parses the files into sandbox options.
 * @throws {ScripError} CATALOG_INVALID, INPUT_INVALID naming what is wrong and where
 */
export function readOperatorFiles(
  files: OperatorFiles,
): Pick<SandboxOptions, 'catalog' | 'partner'> {
  const { catalog, market, policy, paymentWindowMs } = files;
  return {
    ...(catalog === undefined ? {} : { catalog: loadCatalogFile(catalog, sandboxRates) }),
    partner: {
      ...(market === undefined
        ? {}
        : { market: createSandboxMarket(readMarketSettings(parseJson(market, 'market'))) }),
      ...(policy === undefined
        ? {}
        : { policy: createSandboxPolicy(readPolicy(parseJson(policy, 'policy'))) }),
      ...(paymentWindowMs === undefined ? {} : { paymentWindowMs }),
    },
  };
}

function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ScripError('INPUT_INVALID', t`The ${what} file is not JSON`, { cause });
  }
}
