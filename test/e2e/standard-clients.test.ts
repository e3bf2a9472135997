/** Solana's own libraries, at their defaults, against a served sandbox. */
import { randomBytes } from 'node:crypto';
import {
  AccountRole,
  type Address,
  address,
  airdropFactory,
  appendTransactionMessageInstruction,
  assertIsTransactionWithBlockhashLifetime,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  getSignatureFromTransaction,
  type KeyPairSigner,
  lamports,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getOrCreateAssociatedTokenAccount, transfer } from '@solana/spl-token';
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from '@solana/web3.js';
import { expect, it, onTestFinished } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { makeHome } from '../support/cli.ts';
import { serveHere } from '../support/served-here.ts';
import { fundAt } from '../support/shop.ts';

const mint = new PublicKey(USDC_MINT);
const SOL = 1_000_000_000;

const home = makeHome();
const sandbox = await serveHere(home);
const rpcUrl = `${sandbox.url}/rpc`;

async function fundedKeypair(usdc = '0'): Promise<Keypair> {
  const keypair = Keypair.generate();
  await fundAt(sandbox.url, keypair.publicKey.toBase58(), usdc, '1');
  return keypair;
}

interface Socket {
  setAutoReconnect(isOn: boolean): void;
  close(): void;
}

/** Its websocket would be opened anew for ever where the sandbox is gone before it. */
function connect(commitment?: 'confirmed'): Connection {
  const connection = new Connection(rpcUrl, commitment);
  onTestFinished(() => {
    const client: Socket = Reflect.get(connection, '_rpcWebSocket');
    client.setAutoReconnect(false);
    client.close();
  });
  return connection;
}

it('web3.js sends a transaction and sees it confirmed, also where no commitment is said', async () => {
  const payer = await fundedKeypair();
  const to = Keypair.generate().publicKey;
  const pay = (connection: Connection) =>
    sendAndConfirmTransaction(
      connection,
      new Transaction().add(
        SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: to, lamports: 5_000_000 }),
      ),
      [payer],
    );
  const connection = connect('confirmed');
  const signatures = [await pay(connection), await pay(connect())];
  expect(await connection.getBalance(to)).toBe(10_000_000);
  const { value } = await connection.getSignatureStatuses(signatures);
  expect(value.map((status) => status?.err)).toEqual([null, null]);
});

it('web3.js tells what the chain answers to an airdrop, an account and a slot', async () => {
  const connection = connect('confirmed');
  const owner = Keypair.generate().publicKey;
  const heard: { account?: number; slot?: number } = {};
  const changed = new Promise<number>((resolve) => {
    heard.account = connection.onAccountChange(owner, ({ lamports: now }) => resolve(now));
  });
  const slot = new Promise<number>((resolve) => {
    heard.slot = connection.onSlotChange((info) => resolve(info.slot - info.root));
  });
  expect(await slot).toBe(32);
  const signature = await connection.requestAirdrop(owner, 2 * SOL);
  const latest = await connection.getLatestBlockhash();
  const { value } = await connection.confirmTransaction({ signature, ...latest });
  expect(value.err).toBeNull();
  expect(await changed).toBe(2 * SOL);
  // While they are listened to, a connection that was closed is opened anew.
  await connection.removeAccountChangeListener(heard.account ?? -1);
  await connection.removeSlotChangeListener(heard.slot ?? -1);
});

it('web3.js tells logs, accounts of a program and roots', async () => {
  const connection = connect('confirmed');
  const owner = Keypair.generate().publicKey;
  const ids: Record<'logs' | 'program' | 'root', number> = { logs: -1, program: -1, root: -1 };
  const logged = new Promise<string>((resolve) => {
    ids.logs = connection.onLogs(owner, ({ signature }) => resolve(signature));
  });
  const written = new Promise<number>((resolve) => {
    const tell = (changed: { accountId: PublicKey; accountInfo: { lamports: number } }): void => {
      if (changed.accountId.equals(owner)) resolve(changed.accountInfo.lamports);
    };
    ids.program = connection.onProgramAccountChange(SystemProgram.programId, tell);
  });
  const root = new Promise<number>((resolve) => {
    ids.root = connection.onRootChange(resolve);
  });
  // The last subscription's first notification comes after all of them were made.
  expect(await root).toBeGreaterThan(300_000_000 - 32);
  const signature = await connection.requestAirdrop(owner, 2 * SOL);
  expect([await logged, await written]).toEqual([signature, 2 * SOL]);
  await connection.removeOnLogsListener(ids.logs);
  await connection.removeProgramAccountChangeListener(ids.program);
  await connection.removeRootChangeListener(ids.root);
});

it('spl-token makes a token account and transfers to it', async () => {
  const connection = connect('confirmed');
  const payer = await fundedKeypair('5');
  const friend = Keypair.generate().publicKey;
  const from = await getOrCreateAssociatedTokenAccount(connection, payer, mint, payer.publicKey);
  const to = await getOrCreateAssociatedTokenAccount(connection, payer, mint, friend);
  expect([from.amount, to.amount]).toEqual([5_000_000n, 0n]);
  await transfer(connection, payer, from.address, to.address, payer, 1_250_000n);
  expect((await connection.getTokenAccountBalance(to.address)).value.amount).toBe('1250000');
});

it.each(['the same port', 'the next port'])('kit sends and confirms over %s', async (which) => {
  const rpc = createSolanaRpc(rpcUrl);
  const socketUrl = new URL(rpcUrl.replace('http:', 'ws:'));
  if (which === 'the next port') socketUrl.port = String(Number(socketUrl.port) + 1);
  const rpcSubscriptions = createSolanaRpcSubscriptions(socketUrl.href);
  const payer = await createKeyPairSignerFromPrivateKeyBytes(randomBytes(32));
  await airdropFactory({ rpc, rpcSubscriptions } as never)({
    commitment: 'confirmed',
    recipientAddress: payer.address,
    lamports: lamports(BigInt(SOL)),
  });
  const { value: latest } = await rpc.getLatestBlockhash().send();
  const to = address(Keypair.generate().publicKey.toBase58());
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (tx) => setTransactionMessageFeePayerSigner(payer, tx),
    (tx) => setTransactionMessageLifetimeUsingBlockhash(latest, tx),
    (tx) => appendTransactionMessageInstruction(systemTransfer(payer, to, 3_000_000n), tx),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  assertIsTransactionWithBlockhashLifetime(transaction);
  const send = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions } as never);
  await send(transaction as never, { commitment: 'confirmed' });
  const signature = getSignatureFromTransaction(transaction);
  const { value } = await rpc.getSignatureStatuses([signature]).send();
  expect(value[0]?.err).toBeNull();
  expect((await rpc.getBalance(to).send()).value).toBe(3_000_000n);
});

function systemTransfer(from: KeyPairSigner, to: Address, amount: bigint) {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(amount, 4);
  return {
    programAddress: address('11111111111111111111111111111111'),
    accounts: [
      { address: from.address, role: AccountRole.WRITABLE_SIGNER, signer: from },
      { address: to, role: AccountRole.WRITABLE },
    ] as const,
    data: new Uint8Array(data),
  };
}
