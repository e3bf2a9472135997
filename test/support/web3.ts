/** A transaction as web3.js writes and signs it; its first signer pays the fee. */
import {
  type Keypair,
  type TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';

export function web3Transaction(
  recentBlockhash: string,
  instructions: readonly TransactionInstruction[],
  signers: readonly [Keypair, ...Keypair[]],
): VersionedTransaction {
  const [{ publicKey: payerKey }] = signers;
  const message = new TransactionMessage({
    ...{ payerKey, recentBlockhash },
    instructions: [...instructions],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([...signers]);
  return transaction;
}
