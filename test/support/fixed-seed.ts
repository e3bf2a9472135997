/** Properties are tried with the same inputs in every run: those of the seed that `choose-seed.ts` chose. */
import { configureGlobal, readConfigureGlobal } from 'fast-check';

configureGlobal({ ...readConfigureGlobal(), seed: Number(process.env.SCRIP_SEED) });
