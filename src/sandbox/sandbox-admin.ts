/** Audit and webhooks of a data folder, opened beside the process that serves it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditReport } from '../domain/audit.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { createWebhookAdmin, type WebhookAdmin } from '../service/webhook-admin.ts';
import { openSqliteStore } from '../storage/sqlite.ts';
import { audit } from './audit/audit.ts';
import { STORE_FILE } from './sandbox.ts';

export interface SandboxAdmin {
  audit(): Promise<AuditReport>;
  readonly webhooks: WebhookAdmin;
  close(): Promise<void>;
}

/** @throws {ScripError} INPUT_INVALID where there is no sandbox; STORE_UNUSABLE */
export async function openSandboxAdmin(dataDir: string, clock: Clock): Promise<SandboxAdmin> {
  const file = join(dataDir, STORE_FILE);
  if (!existsSync(file)) {
    throw new ScripError('INPUT_INVALID', t`there is no sandbox in ${dataDir}`, {
      hint: t`Name its folder with --data.`,
    });
  }
  const store = await openSqliteStore(file);
  return {
    audit: () => audit(store, clock.now()),
    webhooks: createWebhookAdmin(store, clock),
    close: () => store.close(),
  };
}
