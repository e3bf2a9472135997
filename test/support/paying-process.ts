/**
 * A process of its own: `paying-process <database> <name> <times>` sends transfers of one key's
 * lamports over the chain in the database, and prints their ids, a line each.
 */
import { createHash } from 'node:crypto';
import { decodeBase58 } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { openChain, signAirdrop } from '../../src/sandbox/chain/chain.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';

const [path = '', name = '', times = '0'] = process.argv.slice(2);
const clock = { now: () => Date.now(), sleep: async () => undefined };
const signer = signerFromSeed(createHash('sha256').update(name).digest());
const to = signerFromSeed(createHash('sha256').update('receiver').digest()).address;

const store = await openSqliteChain(path);
const chain = await openChain({ store, clock });
await chain.airdrop(signer.address, 1_000_000_000n);
for (let index = 0; index < Number(times); index += 1) {
  const blockhash = decodeBase58((await chain.latestBlockhash('processed')).blockhash);
  const transfer = { to, lamports: 1_000_000n, blockhash, memo: String(index) };
  console.log(await chain.send(await signAirdrop(signer, transfer)));
}
await store.close();
