/** Encrypts redemption codes for the journal with a key from the wallet: a code is worth cash. */

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { Signer } from '../rails/rail.ts';
import { statementBy } from './algorithm.ts';

export interface Vault {
  /** Encrypts with a random nonce, so that the same text gives different results. */
  seal(plain: string): string;
  /**
   * Decrypts.
   * @throws {ScripError} JOURNAL_UNUSABLE when the text was encrypted with another key, or modified
   */
  open(sealed: string): string;
  /**
   * Returns a 32-byte HMAC of a text: only this wallet can compute it, with the same result on any machine.
   */
  mark(text: string): Uint8Array;
}

/** The text signed to derive the key. */
const TEXT = 'scrip: key for the codes in my purchase journal, version 1';

const PREFIX = 'v1.';
const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Creates the wallet's vault. It can be opened on any machine, because its key's signatures are deterministic.
 * @throws {ScripError} SIGNER_FAILED for a signer with non-deterministic signatures: codes encrypted with it
 * could never be decrypted
 */
export async function createVault(signer: Signer): Promise<Vault> {
  const message = await statementBy(signer.address, TEXT);
  const secret = await signer.sign(message);
  if (!Buffer.from(secret).equals(await signer.sign(message))) {
    throw new ScripError('SIGNER_FAILED', t`The signer’s signatures are not deterministic`, {
      hint: t`Codes are encrypted with the wallet’s signature: use a signer with deterministic signatures (RFC 8032, RFC 6979).`,
    });
  }
  const key = Buffer.from(hkdfSync('sha256', secret, signer.address, 'scrip vault', KEY_BYTES));
  const markKey = Buffer.from(hkdfSync('sha256', secret, signer.address, 'scrip mark', KEY_BYTES));
  return {
    seal: (plain) => seal(key, plain),
    open: (sealed) => open(key, sealed),
    mark: (text) => createHmac('sha256', markKey).update(text).digest(),
  };
}

function seal(key: Buffer, plain: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce);
  const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return PREFIX + Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
}

function open(key: Buffer, sealed: string): string {
  try {
    const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(tag);
    const rest = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([rest, decipher.final()]).toString('utf8');
  } catch (error) {
    throw new ScripError('JOURNAL_UNUSABLE', t`This wallet cannot decrypt the codes`, {
      cause: error,
      hint: t`Name the wallet that paid with --keypair.`,
    });
  }
}
