/** JSON of `scrip wallet`. */
import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';

export const keyFile = lazy(() =>
  z.strictObject({
    address: z.string(),
    keypair: z.string().describe('the key file'),
    from: z.string().optional(),
    encrypted: z.boolean().optional(),
  }),
);
export type KeyFileRecord = Infer<typeof keyFile>;

/** A key file, or a signer program that is used instead. */
export const walletAddress = lazy(() =>
  z.union([keyFile(), z.strictObject({ address: z.string(), signer: z.string() })]),
);

export const balance = lazy(() =>
  z.strictObject({
    address: z.string(),
    network: z.string(),
    money: z.enum(['play', 'real']),
    usdc: z.string(),
    usdc_atomic: z.string(),
    has_usdc_account: z.boolean(),
    sol: z.string(),
    lamports: z.string(),
  }),
);
export type BalanceRecord = Infer<typeof balance>;

export const mark = lazy(() =>
  z.strictObject({ address: z.string(), money: z.enum(['play', 'real']) }),
);
export type MarkRecord = Infer<typeof mark>;

/** With --output, where the key was written; on a terminal the secret itself, in the chosen format. */
export const exportedKey = lazy(() =>
  z.union([
    z.strictObject({
      address: z.string(),
      keypair: z.string(),
      output: z.string(),
      format: z.enum(['json', 'base58']),
    }),
    z.array(z.number().int().min(0).max(255)).length(64),
    z.string(),
  ]),
);
