/** RPC methods that hand out test money: Solana's own, and one for USDC. */
import { USDC_MINT } from '../../contract/x402.ts';
import { parseAtomic } from '../../domain/money.ts';
import { associatedTokenAddress, SYSTEM_PROGRAM } from '../../rails/solana/address.ts';
import { addressAt, configAt, countAt, type Method } from './params.ts';
import { badParams } from './refusal.ts';

const requestAirdrop: Method = async (chain, params) => {
  const to = addressAt(params, 0);
  try {
    return await chain.requestAirdrop(to, BigInt(countAt(params, 1)));
  } catch (cause) {
    throw badParams(`Invalid param: ${cause instanceof Error ? cause.message : 'no airdrop'}`);
  }
};

/** `[address, { usdc?: "<atomic units>", lamports?: "<digits>" }]`; returns the token account. */
const sandboxFaucet: Method = async (chain, params) => {
  const owner = addressAt(params, 0);
  const { usdc = '0', lamports = '0' } = configAt(params, 1);
  if (typeof usdc !== 'string' || typeof lamports !== 'string') {
    throw badParams('Invalid param: usdc and lamports are digits in quotes');
  }
  const account = await chain.account(owner);
  if (account !== undefined && account.owner !== SYSTEM_PROGRAM) {
    // Funding overwrites an account as a wallet, which would destroy a program or a mint.
    throw badParams('Invalid param: test money is for wallets, not for programs or token accounts');
  }
  const amounts = { usdc: parseAtomic(usdc), lamports: parseAtomic(lamports) };
  if (amounts.usdc > 0n || amounts.lamports > 0n) await chain.noteFunding(owner);
  if (amounts.usdc > 0n) await chain.fundUsdc(owner, amounts.usdc);
  if (amounts.lamports > 0n) await chain.airdrop(owner, amounts.lamports);
  return { tokenAccount: associatedTokenAddress(owner, USDC_MINT) };
};

export const faucetMethods = { requestAirdrop, sandboxFaucet } as const satisfies Record<
  string,
  Method
>;
