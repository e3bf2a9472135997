/** What tags and names are derived from: other machines and older versions must come to the same ones. */

import { describe, expect, it } from 'vitest';
import {
  orderNameOf,
  paymentIdOf,
  paymentTag,
  recoveredKey,
} from '../../../src/api/payment/payment-tag.ts';
import { signerFromSeed } from '../../../src/rails/solana/ed25519.ts';
import { nonceOfTag } from '../../../src/rails/solana/transfer.ts';
import { createVault } from '../../../src/wallet/vault.ts';

const vault = await createVault(signerFromSeed(Buffer.alloc(32, 7)));
const intent = { host: 'https://x402.example', key: 'build-4711' };

describe('derived texts stay as they were', () => {
  it.each([
    [1, 105_106_466],
    [2, 1_021_705_967],
  ])('the tag of attempt %i', (attempt, tag) => {
    expect(nonceOfTag(paymentTag(vault, intent, attempt))).toBe(tag);
  });

  it('the name of the payment at a checkout host', () => {
    expect(paymentIdOf(vault, intent)).toBe(
      'scrip_3a497315d3f45dded8b07a00fc6cb8f60974e4dfab289cded3d35ad40c50ff67',
    );
  });

  it('the name of the order at the partner API', () => {
    expect(orderNameOf(vault, intent)).toBe(
      'scrip_4170da5744901a96c23b6ea1d6ed8095e69b16774c9f9d3e4f56b20281aea60c',
    );
  });

  it('the key of what a repair found', () => {
    expect(recoveredKey('a1b2')).toBe('recovered:a1b2');
  });
});
