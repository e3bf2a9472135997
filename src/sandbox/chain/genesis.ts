/** The initial accounts: the VM's programs, and USDC at its mainnet address. */
import { USDC_MINT } from '../../contract/x402.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../rails/solana/address.ts';
import type { ChainStore } from '../../store/store.ts';
import type { ChainAccountRow } from '../../store/tables/chain.ts';
import { encodeMint, MINT_BYTES } from './token.ts';

const USDC_DECIMALS = 6;

const NATIVE_LOADER = 'NativeLoader1111111111111111111111111111111';
const BPF_LOADER = 'BPFLoader2111111111111111111111111111111111';
const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';

/** Programs built into the VM. Their code is not read here, so their data is empty. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  [SYSTEM_PROGRAM, NATIVE_LOADER],
  [COMPUTE_BUDGET_PROGRAM, NATIVE_LOADER],
  [TOKEN_PROGRAM, BPF_LOADER],
  [TOKEN_2022_PROGRAM, BPF_LOADER],
  [ASSOCIATED_TOKEN_PROGRAM, BPF_LOADER],
  [MEMO_PROGRAM, BPF_LOADER],
  [LOOKUP_TABLE_PROGRAM, UPGRADEABLE_LOADER],
]);

/** Lamports for two years of rent, per byte of an account and of its 128-byte header. */
const RENT_PER_BYTE = 6960n;
const ENTRY_BYTES = 128;

/** Returns the lamports that make an account of this size rent-exempt. */
export function minimumBalance(bytes: number): bigint {
  return BigInt(ENTRY_BYTES + bytes) * RENT_PER_BYTE;
}

/** Returns the account of a built-in program, or undefined. */
export function builtinProgram(address: string): ChainAccountRow | undefined {
  const owner = PROGRAMS.get(address);
  if (owner === undefined) return undefined;
  return { address, lamports: '1', owner, data: new Uint8Array(), executable: true };
}

/** Creates the USDC mint, once per store. */
export async function createGenesis(store: ChainStore): Promise<void> {
  if (await store.tables.chain.account(USDC_MINT)) return;
  await store.write(async ({ chain }) => {
    if (await chain.account(USDC_MINT)) return;
    await chain.putAccount({
      address: USDC_MINT,
      lamports: minimumBalance(MINT_BYTES).toString(),
      owner: TOKEN_PROGRAM,
      // No key can mint: the faucet writes the accounts directly.
      data: encodeMint({
        mintAuthority: null,
        supply: 0n,
        decimals: USDC_DECIMALS,
        freezeAuthority: null,
      }),
      executable: false,
    });
  });
}
