/** A signer command with a key of its own, and what it was given. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { bundleProgram } from './bundle.ts';

export interface SignerCommand {
  readonly address: string;
  readonly secretKey: Uint8Array;
  /** The words of the command; the manner says how it misbehaves. */
  command(manner?: string): readonly string[];
  /** Everything that it was given: arguments, environment, input. */
  given(): string;
  /** The messages that it was given to sign, in order. */
  messages(): readonly Buffer[];
  remove(): void;
}

export async function makeSignerCommand(): Promise<SignerCommand> {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-signer-'));
  const program = await bundleProgram('signer-process', folder);
  const keyFile = join(folder, 'key.json');
  const keypair = Keypair.generate();
  writeFileSync(keyFile, JSON.stringify([...keypair.secretKey]), { mode: 0o600 });
  const log = `${keyFile}.log`;
  const given = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  return {
    address: keypair.publicKey.toBase58(),
    secretKey: keypair.secretKey,
    command: (manner = 'well') => [process.execPath, program, keyFile, manner],
    given,
    messages: () =>
      given()
        .split('\n')
        .filter((line) => line.startsWith('{"version"'))
        .map((line) => Buffer.from(JSON.parse(line).message, 'base64')),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
