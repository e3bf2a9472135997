/** Audit and webhooks of a data folder, usable while another process serves it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { AuditReport } from '../domain/operator/audit.ts';
import type { SandboxAdmin } from '../domain/operator/operator.ts';
import { createOperatorLog } from '../service/operator/operator-log.ts';
import { createWebhookAdmin } from '../service/webhooks/webhooks.ts';
import { checkChain, fingerprintIn, requireShop } from '../store/ownership.ts';
import { CHAIN_FILE } from '../store/sqlite.ts';
import type { Store } from '../store/store.ts';
import { audit } from './audit.ts';
import {
  chainAheadIn,
  checkSecrets,
  type Draw,
  openChainStore,
  openShopStore,
  readSecrets,
  SECRET_FILE,
  type ShopPlace,
  STORE_FILE,
} from './data-folder.ts';

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
      hint: t`Name its folder with --data, or its database with --database or SCRIP_DATABASE_URL.`,
    });
  }
  const store = await openShopStore({ dataDir, database }, async (facts) => {
    const begun = requireShop(facts, t`Check --database or SCRIP_DATABASE_URL.`);
    await fingerprintIn(begun, 'sandbox');
  });
  return {
    audit: () => auditBeside(store, { dataDir, chainDir, database }, clock),
    webhooks: createWebhookAdmin(store, clock),
    log: createOperatorLog({ ...operator, store }),
    close: () => store.close(),
  };
}

async function auditBeside(
  store: Store,
  { chainDir, ...place }: AdminFolders,
  clock: Clock,
): Promise<AuditReport> {
  if (!existsSync(join(chainDir, CHAIN_FILE))) {
    throw new ScripError('INPUT_INVALID', t`There is no chain in ${chainDir}`, {
      hint: t`Name its folder with --chain-data.`,
    });
  }
  const draw = await secretsOf(store, place);
  await checkChain(store.tables.facts, {
    ...chainAheadIn(chainDir),
    hint: t`Name the folder of the shop’s chain with --chain-data.`,
  });
  const chain = await openChainStore(chainDir);
  try {
    return await audit({ store, chain, draw }, clock.now());
  } finally {
    await chain.close();
  }
}

async function secretsOf({ tables }: Store, place: ShopPlace): Promise<Draw> {
  const { dataDir } = place;
  const draw = readSecrets(dataDir);
  if (draw === undefined) {
    throw new ScripError('INPUT_INVALID', t`There is no ${SECRET_FILE} in ${dataDir}`, {
      hint: t`Name its folder with --data.`,
    });
  }
  checkSecrets(draw, await fingerprintIn(tables.facts, 'sandbox'), place);
  return draw;
}
