/** Connects the parts of a shop for `main.ts`, from the operator's configuration file. */

import { dirname, resolve } from 'node:path';
import type { ServedShop } from '../cli/serving/ports.ts';
import type { Fetch } from '../contract/fetch.ts';
import { readNamed } from '../disk/user-files.ts';
import type { AlarmPorts } from '../domain/operator/alarms.ts';
import type { ShopAdmin, ShopCheck } from '../domain/operator/operator.ts';
import type { PartOptions } from '../shop/parts.ts';
import type { ShopOptions } from '../shop/shop.ts';
import type { ShopAdminOptions } from '../shop/shop-admin.ts';
import { type ServerParts, serviceTools } from './tool-serving.ts';

interface Parts extends ServerParts {
  readonly network: Fetch;
  readonly socketAgent?: PartOptions['socketAgent'];
  readonly env: Readonly<Record<string, string | undefined>>;
  report(error: unknown): void;
  /** Of a server only. */
  readonly failPoint?: ShopOptions['failPoint'];
}

/** Reads the configuration. @throws {ScripError} INPUT_INVALID naming every fault of the file */
async function readConfig(
  { env, network, socketAgent, clock }: Parts,
  file: string,
): Promise<PartOptions> {
  const { readShopConfig } = await import('../shop/shop-config.ts');
  const config = readShopConfig(readNamed(file) ?? '');
  const folder = dirname(resolve(file));
  const sources = { env, resolvePath: (path: string) => resolve(folder, path) };
  return { config, sources, fetch: network, socketAgent, clock };
}

/** Serves the shop. @throws {ScripError} of a part that cannot be used */
export async function serveShop(parts: Parts, file: string): Promise<ServedShop> {
  const made = await readConfig(parts, file);
  const [{ openShop }, { serveService }, { createGuardedSend }, ports] = await Promise.all([
    import('../shop/shop.ts'),
    import('../service/http/serving.ts'),
    import('../net/guarded-send.ts'),
    alarmPorts(),
  ]);
  const { clock, random, report } = parts;
  const { listen, chain } = made.config;
  const served = await serveService({
    host: listen.host,
    port: listen.port,
    publicUrl: listen.public_url?.replace(/\/+$/, ''),
    trustedProxies: listen.trusted_proxies,
    drainMs: listen.drain_seconds * 1_000,
    clock,
    random,
    report,
    tools: serviceTools(parts, { userAgent: undefined, isStrict: true }),
    open: (baseUrl, warn) =>
      openShop({
        ...made,
        baseUrl,
        random,
        report: warn,
        failPoint: parts.failPoint,
        alarmPorts: ports,
        sendWebhook: createGuardedSend({ isPrivateAllowed: false }),
      }),
  });
  return {
    url: served.url,
    publicUrl: listen.public_url ?? served.url,
    feePayer: served.service.feePayer,
    treasury: chain.treasury,
    base: served.service.base,
    database: served.service.database,
    close: served.close,
  };
}

/** The operator's own addresses may be on this machine or in a private network. */
async function alarmPorts(): Promise<AlarmPorts> {
  const { createGuardedSend } = await import('../net/guarded-send.ts');
  return {
    post: createGuardedSend({ isPrivateAllowed: true }),
    sendMail: async (mail) => (await import('../net/mail.ts')).sendMail(mail),
    certificateEndsAtMs: async (...asked) =>
      (await import('../net/certificate.ts')).certificateEndsAtMs(...asked),
  };
}

/** Checks every part of a shop. @throws {ScripError} INPUT_INVALID naming every fault of the file */
export async function checkShop(parts: Parts, file: string): Promise<readonly ShopCheck[]> {
  const made = await readConfig(parts, file);
  return (await import('../shop/check.ts')).checkShop(made);
}

/** Opens the store of a shop, also while servers use it. @throws {ScripError} INPUT_INVALID, STORE_UNUSABLE */
export async function openShopAdmin(
  parts: Parts,
  file: string,
  acting: Pick<ShopAdminOptions, 'who' | 'reason' | 'begins'>,
): Promise<ShopAdmin> {
  const made = await readConfig(parts, file);
  const { openShopAdmin: open } = await import('../shop/shop-admin.ts');
  return open({ ...made, ...acting, random: parts.random, alarmPorts: await alarmPorts() });
}
