/** Audit and webhooks of a data folder, usable while another process serves it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditReport } from '../domain/audit.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { SandboxAdmin } from '../domain/operator.ts';
import { createOperatorLog } from '../service/operator-log.ts';
import { createWebhookAdmin } from '../service/webhook-admin.ts';
import { CHAIN_FILE } from '../storage/sqlite.ts';
import type { Store } from '../storage/store.ts';
import { audit } from './audit/audit.ts';
import { checkSecrets, feePayerFrom, openSecrets, SECRET_FILE } from './secrets.ts';
import { openChainStore, openShopStore, STORE_FILE } from './stores.ts';

export interface AdminFolders {
  readonly dataDir: string;
  /** Folder of the chain that the shop is paid on. */
  readonly chainDir: string;
  /** `postgres://` address of the shop's database; by default a file in its folder. */
  readonly database?: string | undefined;
}

export interface Operator {
  readonly clock: Clock;
  /** Who acts, for the log. */
  readonly who: string;
  random(length: number): Uint8Array;
}

/** Opens the folder. @throws {ScripError} INPUT_INVALID where there is no sandbox; STORE_UNUSABLE */
export async function openSandboxAdmin(
  { dataDir, chainDir, database }: AdminFolders,
  operator: Operator,
): Promise<SandboxAdmin> {
  const { clock } = operator;
  if (database === undefined && !existsSync(join(dataDir, STORE_FILE))) {
    throw new ScripError('INPUT_INVALID', t`There is no sandbox in ${dataDir}`, {
      hint: t`Name its folder with --data.`,
    });
  }
  const store = await openShopStore(dataDir, database);
  return {
    audit: () => auditBeside(store, { dataDir, chainDir }, clock),
    webhooks: createWebhookAdmin(store, clock),
    log: createOperatorLog({ ...operator, store }),
    close: () => store.close(),
  };
}

async function auditBeside(
  store: Store,
  { dataDir, chainDir }: AdminFolders,
  clock: Clock,
): Promise<AuditReport> {
  if (!existsSync(join(chainDir, CHAIN_FILE))) {
    throw new ScripError('INPUT_INVALID', t`There is no chain in ${chainDir}`, {
      hint: t`Name its folder with --chain-data.`,
    });
  }
  const feePayer = await feePayerOf(store, dataDir);
  const chain = await openChainStore(chainDir);
  try {
    return await audit({ store, chain, feePayer }, clock.now());
  } finally {
    await chain.close();
  }
}

async function feePayerOf({ tables }: Store, dataDir: string): Promise<string> {
  if (!existsSync(join(dataDir, SECRET_FILE))) {
    throw new ScripError('INPUT_INVALID', t`There is no ${SECRET_FILE} in ${dataDir}`, {
      hint: t`Name its folder with --data.`,
    });
  }
  const draw = openSecrets(dataDir);
  await checkSecrets(draw, tables.facts);
  return feePayerFrom(draw).address;
}
