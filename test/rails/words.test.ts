/** A rail's own terms stand in its folder: shared code asks the rail, and knows none of them. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../src/', import.meta.url));
const WORDS = /lamport|blockhash|base58|block ?height|rails\/solana\//i;

/** By the beginning of a path: what is Solana's by nature, or stored under its name. */
const EXCEPTIONS: readonly (readonly [path: string, why: string])[] = [
  ['rails/solana/', 'the rail itself'],
  ['rails/evm/', 'a field of its node’s answers'],
  ['rails/faucet.ts', 'the units of each chain of a sandbox'],
  ['run/library-parts.ts', 'funds the wallet of the embedded chain'],
  ['sandbox/', 'its chain is a Solana'],
  ['shop/', 'the configuration of a shop on Solana'],
  ['store/', 'names of stored columns'],
  ['wallet/', 'key files and signers of Solana'],
  ['cli/keys/', 'formats of key files'],
  ['cli/context.ts', 'funds of the embedded chain'],
  ['cli/ordering/wallet-money.ts', 'funds of the embedded chain'],
  ['cli/commands/wallet.ts', 'a field of the JSON of wallet balance'],
  ['cli/schemas/machine.ts', 'a field of the JSON of wallet balance'],
  ['cli/output/link.ts', 'ids of transactions are recognized in texts'],
  ['cli/serving/ports.ts', 'the configuration of a shop on Solana'],
  ['mcp/untrusted.ts', 'addresses of any network are recognized in texts'],
  ['domain/money/money.ts', 'amounts of SOL as people write them'],
  ['domain/address/', 'addresses of each network of the wire'],
];

const named = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && WORDS.test(readFileSync(ROOT + file, 'utf8')),
);

it('no other file uses the words of one rail', () => {
  const isExcepted = (file: string) => EXCEPTIONS.some(([path]) => file.startsWith(path));
  expect(named.filter((file) => !isExcepted(file))).toEqual([]);
});

it.each(EXCEPTIONS)('%s is an exception: %s', (path) => {
  expect(named.some((file) => file.startsWith(path))).toBe(true);
});
