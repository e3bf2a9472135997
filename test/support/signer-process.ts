/**
 * A signer command for tests, as docs/use/wallet.md describes one. Its key is in the file that it is
 * given; the word after that says how it misbehaves.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, fstatSync, readFileSync, statSync } from 'node:fs';
import { encodeBase58 } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';

const [keyFile = '', manner = '', verb = ''] = process.argv.slice(2);
const key = Uint8Array.from(JSON.parse(readFileSync(keyFile, 'utf8')));
const signer = signerFromSeed(key.subarray(0, 32));
const otherKey = signerFromSeed(createHash('sha256').update('another key').digest());

const isHeard = fstatSync(2).rdev !== statSync('/dev/null').rdev;
appendFileSync(
  `${keyFile}.log`,
  `${JSON.stringify({ argv: process.argv.slice(4), env: process.env, pid: process.pid, isHeard })}\n`,
);

async function sign(): Promise<string> {
  const input = readFileSync(0, 'utf8');
  appendFileSync(`${keyFile}.log`, input);
  const { message } = JSON.parse(input);
  const bytes = Buffer.from(message, 'base64');
  const by = manner === 'another-key' ? otherKey : signer;
  const signature = await by.sign(manner === 'another-message' ? Buffer.from('other') : bytes);
  return manner === 'base64' ? Buffer.from(signature).toString('base64') : encodeBase58(signature);
}

async function answer(): Promise<string> {
  if (verb === 'address') return manner === 'no-address' ? 'nobody' : signer.address;
  return sign();
}

const STATUS: Readonly<Record<string, number>> = { fails: 3, declines: 7 };
const REPLY: Readonly<Record<string, string>> = {
  silent: '',
  // With the end of its line as many characters as are read.
  longest: 'x'.repeat(4_095),
  'too-long': 'x'.repeat(10_000),
  'no-signature': 'hello',
};

if (manner === 'killed' && verb === 'sign') process.kill(process.pid, 'SIGKILL');
if (manner === 'never' && verb === 'sign') setInterval(() => undefined, 1_000);
else {
  const isMisbehaving = verb === 'sign';
  const text = isMisbehaving ? (REPLY[manner] ?? (await answer())) : await answer();
  process.stdout.write(`${text}\n`);
  process.stderr.write('the signer says something\n');
  process.exitCode = isMisbehaving ? (STATUS[manner] ?? 0) : 0;
}
