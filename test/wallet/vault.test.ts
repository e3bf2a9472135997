import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import type { Signer } from '../../src/rails/rail.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { createVault } from '../../src/wallet/vault.ts';

const signer = signerFromSeed(new Uint8Array(32).fill(7));

describe('the vault', () => {
  it('opens what another vault of the same wallet sealed', async () => {
    const sealed = (await createVault(signer)).seal('TEST-1234 é');
    expect(sealed).not.toContain('TEST');
    expect((await createVault(signer)).open(sealed)).toBe('TEST-1234 é');
  });

  it('never gives the same result twice', async () => {
    const vault = await createVault(signer);
    expect(vault.seal('code')).not.toBe(vault.seal('code'));
  });

  it('asks the wallet to sign what no transaction can be', async () => {
    const messages: Uint8Array[] = [];
    const watched: Signer = {
      address: signer.address,
      sign: (message) => {
        messages.push(message);
        return signer.sign(message);
      },
    };
    await createVault(watched);
    const [message = new Uint8Array(), ...more] = messages;
    expect(more).toEqual([message]);
    expect(message[0]).toBe(0xff);
    expect(Buffer.from(message.subarray(1, 16)).toString()).toBe('solana offchain');
    expect((message[18] ?? 0) + 256 * (message[19] ?? 0)).toBe(message.length - 20);
  });

  it('is made of no signer that signs the same message differently', async () => {
    let count = 0;
    const hedging: Signer = {
      address: signer.address,
      sign: async () => {
        count += 1;
        return new Uint8Array(64).fill(count);
      },
    };
    await expect(createVault(hedging)).rejects.toMatchObject({ code: 'SIGNER_FAILED' });
  });

  it('does not open what another wallet sealed', async () => {
    const other = await createVault(signerFromSeed(new Uint8Array(32).fill(8)));
    const sealed = other.seal('code');
    const vault = await createVault(signer);
    expect(() => vault.open(sealed)).toThrow(ScripError);
  });

  it('does not open what was changed anywhere', async () => {
    const vault = await createVault(signer);
    const bytes = Buffer.from(vault.seal('code').slice(3), 'base64');
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (bytes[index] ?? 0) ^ 1;
      expect(() => vault.open(`v1.${changed.toString('base64')}`)).toThrow(ScripError);
    }
  });

  it('only a ScripError escapes, whatever is opened', async () => {
    const vault = await createVault(signer);
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => vault.open(text)).toThrow(ScripError);
      }),
    );
  });
});
