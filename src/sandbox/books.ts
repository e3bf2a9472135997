/** The books of a data folder, opened beside the process that serves it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditReport } from '../domain/audit.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import { createWebhookDesk, type WebhookDesk } from '../service/webhook-desk.ts';
import { openSqliteStore } from '../storage/sqlite.ts';
import { audit } from './audit/audit.ts';
import { STORE_FILE } from './sandbox.ts';

export interface SandboxBooks {
  audit(): Promise<AuditReport>;
  readonly webhooks: WebhookDesk;
  close(): Promise<void>;
}

/** @throws {ScripError} INPUT_INVALID where there is no sandbox; STORE_UNUSABLE */
export async function openBooks(dataDir: string, clock: Clock): Promise<SandboxBooks> {
  const file = join(dataDir, STORE_FILE);
  if (!existsSync(file)) {
    throw new ScripError('INPUT_INVALID', t`there is no sandbox in ${dataDir}`, {
      hint: t`Name its folder with --data.`,
    });
  }
  const store = await openSqliteStore(file);
  return {
    audit: () => audit(store, clock.now()),
    webhooks: createWebhookDesk(store, clock),
    close: () => store.close(),
  };
}
