/** A data folder of the sandbox: its secret, the store of its shop and that of its chain. */

import { createHmac, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, readChecked } from '../disk/checked-file.ts';
import { createDurably } from '../disk/files.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { Signer } from '../rails/rail.ts';
import { signerFromSeed } from '../rails/solana/ed25519.ts';
import { openStore } from '../store/open.ts';
import {
  type ChainAhead,
  checkChain,
  fingerprintIn,
  fingerprintOf,
  ownFingerprint,
} from '../store/ownership.ts';
import { CHAIN_FILE, openSqliteChain } from '../store/sqlite.ts';
import type { ChainStore, LookFirst, Store } from '../store/store.ts';
import { chainIdOf } from './chain/slots.ts';

/** File name in the data folder. */
export const STORE_FILE = 'sandbox.db';

/** Address of the shop's file, or of the database that several servers share. */
export function shopAddress({ dataDir, database }: ShopPlace): string {
  return database ?? join(dataDir, STORE_FILE);
}

/**
 * Opens the shop's store.
 * @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED; USAGE for an unsupported kind of
 * address
 */
export function openShopStore(place: ShopPlace, look?: LookFirst): Promise<Store> {
  return openStore(shopAddress(place), { look, named: t`--database or SCRIP_DATABASE_URL` });
}

/** Opens the chain's file. @throws {ScripError} STORE_UNUSABLE, PLATFORM_UNSUPPORTED */
export function openChainStore(dataDir: string): Promise<ChainStore> {
  return openSqliteChain(join(dataDir, CHAIN_FILE));
}

/** Which chain is in the folder; undefined without one. @throws {ScripError} STORE_UNUSABLE */
export async function chainIdIn(dataDir: string): Promise<string | undefined> {
  const file = join(dataDir, CHAIN_FILE);
  if (!existsSync(file)) return undefined;
  const { tables, close } = await openSqliteChain(file);
  try {
    return await chainIdOf(tables.facts);
  } finally {
    await close();
  }
}

// The sandbox's secret and the keys derived from it. The secret lives beside the database, not in it.

export const SECRET_FILE = 'secret.key';
const SECRET_BYTES = 32;

/** Derives 32 bytes for one purpose; the same purpose gives the same bytes. */
export type Draw = (purpose: string) => Uint8Array;

/**
 * Opens the secret of a data folder; creates it if missing.
 * @throws {ScripError} STORE_UNUSABLE when the folder cannot be written or the file is damaged
 */
export function openSecrets(dataDir: string): Draw {
  const file = join(dataDir, SECRET_FILE);
  return drawFrom(readSecret(file) ?? madeSecret(file));
}

/** The same; undefined if it is missing. @throws {ScripError} STORE_UNUSABLE */
export function readSecrets(dataDir: string): Draw | undefined {
  const master = readSecret(join(dataDir, SECRET_FILE));
  return master && drawFrom(master);
}

function drawFrom(master: Uint8Array): Draw {
  return (purpose) => createHmac('sha256', master).update(purpose).digest();
}

/** Where a sandbox keeps its secret, and its shop if that is not in a file beside it. */
export interface ShopPlace {
  readonly dataDir: string;
  readonly database?: string | undefined;
}

/**
 * Refuses a secret other than the one that the store was created with: it would derive other
 * addresses and could not decrypt the vouchers.
 * @param known the fingerprint that the store keeps
 * @throws {ScripError} STORE_UNUSABLE
 */
export function checkSecrets(
  draw: Draw | undefined,
  known: string | undefined,
  { dataDir, database }: ShopPlace,
): void {
  if (known === undefined || (draw && fingerprintOf(draw) === known)) return;
  if (database !== undefined) {
    const sentence =
      draw === undefined
        ? t`There is no secret.key in ${dataDir}, and the database was begun with one`
        : t`secret.key does not belong to this database`;
    throw new ScripError('STORE_UNUSABLE', sentence, {
      hint: t`Copy the secret.key of the shop’s other servers into ${dataDir}, or name another database.`,
    });
  }
  throw new ScripError('STORE_UNUSABLE', t`secret.key does not belong to this sandbox.db`, {
    hint: t`Put the original secret.key back beside sandbox.db, or remove both to start over.`,
  });
}

/** What the key of the treasury on Base is drawn by. */
export const BASE_TREASURY = 'base treasury';

/** Pays the network fees. */
export function feePayerFrom(draw: Draw): Signer {
  return signerFromSeed(draw('fee payer'));
}

function readSecret(file: string): Buffer | undefined {
  const secret = readChecked(file, { maxBytes: 4_096, isLinkFollowed: true });
  if (secret.fault === 'missing') return undefined;
  if (secret.fault !== undefined) throw unusable(file, secret.cause);
  const { length } = secret.bytes;
  if (length === SECRET_BYTES) return secret.bytes;
  throw new ScripError(
    'STORE_UNUSABLE',
    t`${file} is damaged: ${length} bytes, not ${SECRET_BYTES}`,
  );
}

/** If several processes create the secret at once, all use the first one written. */
function madeSecret(file: string): Buffer {
  const secret = randomBytes(SECRET_BYTES);
  try {
    makeFolder(dirname(file));
    createDurably(file, secret, { isWholeAtOnce: true });
    return secret;
  } catch (cause) {
    const winner = errorCode(cause) === 'EEXIST' ? readSecret(file) : undefined;
    if (winner !== undefined) return winner;
    throw unusable(file, cause);
  }
}

function unusable(file: string, cause: unknown): ScripError {
  return new ScripError('STORE_UNUSABLE', t`The sandbox cannot use ${file}`, { cause });
}

export const OTHER_CHAIN = t`Name the chain of the shop with --chain-rpc, or put its chain.db back into the data folder.`;

/** The chain of a data folder. */
export function chainAheadIn(dataDir: string): ChainAhead {
  return { where: dataDir, id: () => chainIdIn(dataDir), hint: OTHER_CHAIN };
}

/** @throws {ScripError} STORE_UNUSABLE, CHAIN_UNREACHABLE, PLATFORM_UNSUPPORTED */
export async function openBegunShop(
  place: ShopPlace,
  chain: ChainAhead,
): Promise<{ readonly store: Store; readonly draw: Draw }> {
  const store = await openShopStore(place, async (facts) => {
    if (facts === undefined) return;
    const known = await fingerprintIn(facts, 'sandbox');
    if (known !== undefined) checkSecrets(readSecrets(place.dataDir), known, place);
    await checkChain(facts, chain);
  });
  try {
    const draw = openSecrets(place.dataDir);
    checkSecrets(draw, await ownFingerprint(store, 'sandbox', fingerprintOf(draw)), place);
    return { store, draw };
  } catch (error) {
    await store.close();
    throw error;
  }
}
