/** Keys of a shop, in the clear and under a passphrase. */

import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { t } from '../../src/domain/message/message.ts';
import { openKey, readSigner } from '../../src/shop/secrets.ts';
import type { KeyPlace } from '../../src/shop/shop-config.ts';
import { keystoreText, sealSeed } from '../../src/wallet/keystore.ts';
import { passphraseOf } from '../../src/wallet/passphrase.ts';
import { secretOf } from '../../src/wallet/secret.ts';
import { jsonOfSeed } from '../../src/wallet/secret-text.ts';
import { random } from '../support/random.ts';
import { FEE_PAYER } from '../support/solana-payment.ts';
import { tempFolder } from '../support/temp-folder.ts';

const PASSPHRASE = 'four words are enough';
const seed = () => secretOf(Buffer.alloc(32, 2));

let folder: string;
beforeAll(async () => {
  folder = tempFolder();
  chmodSync(folder, 0o700);
  const store = await sealSeed({ seed: seed(), passphrase: passphraseOf(PASSPHRASE) }, random, {
    N: 2 ** 14,
    p: 1,
  });
  const write = (name: string, text: string) =>
    writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('plain.json', jsonOfSeed(seed()));
  write('sealed.json', keystoreText(store));
  write('passphrase', `${PASSPHRASE}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const sources = {
  env: { PASSPHRASE, WRONG: 'another passphrase' },
  resolvePath: (path: string) => resolve(folder, path),
};
const read = (place: KeyPlace) => readSigner(place, t`fee payer’s key`, sources);

describe('the key of a fee payer', () => {
  it.each<[string, KeyPlace]>([
    ['in the clear', { file: 'plain.json' }],
    ['under a passphrase of a file', { file: 'sealed.json', passphrase: { file: 'passphrase' } }],
    [
      'under a passphrase of a variable',
      { file: 'sealed.json', passphrase: { env: 'PASSPHRASE' } },
    ],
  ])('%s signs', async (_form, place) => {
    const signer = read(place);
    expect(signer.address).toBe(FEE_PAYER.address);
    await openKey(signer);
    const message = Uint8Array.of(1, 2, 3);
    expect(await signer.sign(message)).toEqual(await FEE_PAYER.sign(message));
  });

  it('under another passphrase is found before anything is signed', async () => {
    const signer = read({ file: 'sealed.json', passphrase: { env: 'WRONG' } });
    await expect(openKey(signer)).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  });

  it('that is encrypted needs the place of its passphrase', () => {
    expect(() => read({ file: 'sealed.json' })).toThrow(/is encrypted, and no passphrase is named/);
  });
});
