/**
 * Marks wallets that hold only test money: a file per wallet, `<folder>/<address>.json`, in a folder beside
 * the wallets' own. The sandbox marks the keys it creates; an owner marks others in a terminal.
 */

import { existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../disk/files.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { algorithmOf } from './algorithm.ts';
import { createPrivateFile, type FileKind, readPrivateFile } from './private-file.ts';
import { takeText } from './secret.ts';

export interface PlayMarks {
  /**
   * Whether a wallet is marked.
   * @throws {ScripError} WALLET_UNSAFE when others could have made the mark, WALLET_INVALID
   */
  has(address: string): Promise<boolean>;
  /** Marks a wallet, durably; keeps an existing mark. @throws {ScripError} as `has` */
  add(address: string): Promise<void>;
  /** Removes a mark. @throws {ScripError} WALLET_UNSAFE */
  remove(address: string): Promise<void>;
}

const MARK_FILE: FileKind = { what: t`test-money mark`, missing: 'WALLET_INVALID' };

/** @param folder created with the first mark */
export function openPlayMarks(folder: string): PlayMarks {
  const pathOf = (address: string): string => join(folder, `${address}.json`);
  return {
    has: async (address) =>
      algorithmOf(address) !== undefined && isMarked(pathOf(address), address),
    add: async (address) => {
      try {
        createPrivateFile(pathOf(address), textOf(address), MARK_FILE);
      } catch (error) {
        if (!(error instanceof ScripError) || error.code !== 'WALLET_EXISTS') throw error;
        isMarked(pathOf(address), address);
      }
    },
    remove: async (address) => removeMark(folder, pathOf(address)),
  };
}

function isMarked(path: string, address: string): boolean {
  if (!existsSync(path)) return false;
  // The text holds the address, so a copy under another wallet's name is noticed.
  if (takeText(readPrivateFile(path, MARK_FILE)) === textOf(address)) return true;
  throw new ScripError(
    'WALLET_INVALID',
    t`The test-money mark ${path} does not belong to ${address}`,
    {
      hint: t`Remove the file. If the wallet holds only test money: scrip wallet mark-play`,
    },
  );
}

function textOf(address: string): string {
  return `${JSON.stringify({ v: 1, type: 'scrip-play', address })}\n`;
}

function removeMark(folder: string, path: string): void {
  try {
    unlinkSync(path);
    syncFolder(folder);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return;
    const hint = t`Remove the file yourself.`;
    throw new ScripError('WALLET_UNSAFE', t`The test-money mark ${path} cannot be removed`, {
      cause,
      hint,
    });
  }
}
