/**
 * A wallet written after the specification of Solana Pay 1.1 alone, with the libraries that wallets use. It
 * takes everything from the shop for untrusted.
 */
import { createTransferCheckedInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token';
import { Connection, type Keypair, PublicKey, Transaction } from '@solana/web3.js';

export interface Wallet {
  readonly keys: Keypair;
  readonly rpcUrl: string;
  /** How the wallet reaches https addresses. */
  fetch(url: string, init?: RequestInit): Promise<Response>;
}

/** A transfer request, `solana:<recipient>?amount=…`: the wallet builds the transfer and pays its fee. */
export async function payTransferRequest(wallet: Wallet, link: string): Promise<string> {
  const url = new URL(link);
  const recipient = new PublicKey(url.pathname);
  const mint = new PublicKey(url.searchParams.get('spl-token') ?? '');
  const [whole = '', part = ''] = (url.searchParams.get('amount') ?? '').split('.');
  const amount = BigInt(whole + part.padEnd(6, '0'));
  const payer = wallet.keys.publicKey;
  const from = getAssociatedTokenAddressSync(mint, payer);
  const to = getAssociatedTokenAddressSync(mint, recipient);
  const transfer = createTransferCheckedInstruction(from, mint, to, payer, amount, 6);
  for (const reference of url.searchParams.getAll('reference')) {
    transfer.keys.push({ pubkey: new PublicKey(reference), isSigner: false, isWritable: false });
  }
  const connection = new Connection(wallet.rpcUrl, 'confirmed');
  const { blockhash } = await connection.getLatestBlockhash();
  const transaction = new Transaction({ feePayer: payer, recentBlockhash: blockhash });
  transaction.add(transfer);
  transaction.sign(wallet.keys);
  return connection.sendRawTransaction(transaction.serialize());
}

/** What the shop says of itself, shown before anything is signed. */
export interface Described {
  readonly label: string;
  readonly icon: string;
}

export interface Offered {
  readonly transaction: Transaction;
  readonly message: string | undefined;
}

/** The link of a transaction request, `solana:<https address>`. */
export function linkOf(request: string): string {
  const link = decodeURIComponent(request.slice('solana:'.length));
  const { protocol } = new URL(link);
  if (!request.startsWith('solana:') || protocol !== 'https:') throw new Error('malformed link');
  return link;
}

export async function describe(wallet: Wallet, request: string): Promise<Described> {
  const { label, icon } = await read(await wallet.fetch(linkOf(request)));
  if (typeof label !== 'string' || typeof icon !== 'string') throw new Error('malformed answer');
  const picture = await wallet.fetch(icon);
  if (!/^image\/(svg\+xml|png|webp)/.test(picture.headers.get('Content-Type') ?? '')) {
    throw new Error('malformed icon');
  }
  return { label, icon };
}

/** Asks for the transaction and checks it as the specification says. */
export async function askTransaction(wallet: Wallet, request: string): Promise<Offered> {
  const account = wallet.keys.publicKey;
  const reply = await wallet.fetch(linkOf(request), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify({ account: account.toBase58() }),
  });
  const { transaction: text, message } = await read(reply);
  if (typeof text !== 'string') throw new Error('malformed answer');
  const transaction = Transaction.from(Buffer.from(text, 'base64'));
  const signed = transaction.signatures.filter(({ signature }) => signature !== null);
  const [first] = transaction.signatures;
  if (signed.length === 0 || first?.signature == null) throw new Error('no fee payer signed');
  if (!transaction.feePayer?.equals(first.publicKey)) throw new Error('malformed fee payer');
  if (!transaction.verifySignatures(false)) throw new Error('malformed signature');
  const missing = transaction.signatures.filter(({ signature }) => signature === null);
  if (missing.some(({ publicKey }) => !publicKey.equals(account))) throw new Error('malicious');
  if (missing.length !== 1) throw new Error('no signature of this wallet is expected');
  return { transaction, message: typeof message === 'string' ? message : undefined };
}

/** Signs and sends; gives the transaction's id. */
export async function sendSigned(wallet: Wallet, { transaction }: Offered): Promise<string> {
  transaction.partialSign(wallet.keys);
  return new Connection(wallet.rpcUrl, 'confirmed').sendRawTransaction(transaction.serialize());
}

async function read(reply: Response): Promise<Record<string, unknown>> {
  const body = JSON.parse(await reply.text());
  if (reply.ok) return body;
  throw new Error(`${reply.status}: ${body.message}`);
}
