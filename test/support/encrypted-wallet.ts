import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createKeyFile } from '../../src/wallet/key-file.ts';
import { sealSeed } from '../../src/wallet/keystore.ts';
import { secretOf } from '../../src/wallet/secret.ts';
import { encryptedKey } from '../../src/wallet/secret-text.ts';
import type { Home } from './cli.ts';
import { random } from './random.ts';
import { markPlay } from './shop.ts';

/** The least that a keystore may say. */
const CHEAP = { N: 2 ** 14, p: 1 };

/**
 * As `scrip wallet new --encrypt` makes one, which the tests of making run; opened in an eighth of the time,
 * as a keystore says how much work deriving its key is. Gives its address.
 */
export async function encryptedWallet(home: Home, passphrase: string): Promise<string> {
  const pair = { seed: secretOf(randomBytes(32)), passphrase: secretOf(Buffer.from(passphrase)) };
  const key = encryptedKey(await sealSeed(pair, random, CHEAP));
  createKeyFile(join(home.dir, '.local', 'share', 'scrip', 'wallets', 'sandbox.json'), key);
  markPlay(home, key.address);
  return key.address;
}
