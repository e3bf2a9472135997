/** Keys of a shop, in the clear and under a passphrase. */

import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { t } from '../../src/domain/message/message.ts';
import { type Authorization, typedDataOf } from '../../src/rails/evm/authorization.ts';
import { encodeTypedData } from '../../src/rails/evm/typed-data.ts';
import { openKey, readEvmSigner, readSigner } from '../../src/shop/secrets.ts';
import type { KeyPlace } from '../../src/shop/shop-config.ts';
import { keystoreText, sealSeed } from '../../src/wallet/keystore.ts';
import { passphraseOf } from '../../src/wallet/passphrase.ts';
import { secretOf } from '../../src/wallet/secret.ts';
import { jsonOfSeed } from '../../src/wallet/secret-text.ts';
import { EVM_MERCHANT, EVM_PAYER, secretOf as evmSecret, NETWORK } from '../support/evm-payment.ts';
import { random } from '../support/random.ts';
import { FEE_PAYER } from '../support/solana-payment.ts';
import { tempFolder } from '../support/temp-folder.ts';

const AUTHORIZATION: Authorization = {
  ...{ from: EVM_PAYER.address, to: EVM_MERCHANT, value: '1' },
  ...{ validAfter: '0', validBefore: '1', nonce: `0x${'0'.repeat(64)}` },
};

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
  write('base.hex', `${evmSecret('payer').toString('hex')}\n`);
  const evmSeed = secretOf(evmSecret('payer'));
  const cost = { N: 2 ** 14, p: 1 };
  const passphrase = passphraseOf(PASSPHRASE);
  const alg = 'secp256k1' as const;
  const sealed = await sealSeed({ alg, seed: evmSeed, passphrase }, random, cost);
  write('base.json', keystoreText(sealed));
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

describe('the key of a fee account on Base', () => {
  const readEvm = (place: KeyPlace) => readEvmSigner(place, t`fee account’s key`, sources);

  it.each<[string, KeyPlace]>([
    ['in hex', { file: 'base.hex' }],
    ['under a passphrase', { file: 'base.json', passphrase: { env: 'PASSPHRASE' } }],
  ])('%s signs', async (_form, place) => {
    const signer = await readEvm(place);
    expect(signer.address).toBe(EVM_PAYER.address);
    await openKey(signer);
    const message = encodeTypedData(typedDataOf(NETWORK, AUTHORIZATION));
    expect(await signer.sign(message)).toEqual(await EVM_PAYER.sign(message));
  });

  it('is opened by its own passphrase alone, and is no key of Solana', async () => {
    const wrong = await readEvm({ file: 'base.json', passphrase: { env: 'WRONG' } });
    await expect(openKey(wrong)).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
    for (const file of ['plain.json', 'sealed.json', 'passphrase']) {
      const place = { file, passphrase: { env: 'PASSPHRASE' } };
      await expect(readEvm(place)).rejects.toMatchObject({ code: 'WALLET_INVALID' });
    }
  });
});
