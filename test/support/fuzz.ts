/** How many inputs a property is tried with: few in every run, ten thousand where somebody asks. */

/** \`SCRIP_FUZZ_RUNS\` over the number that an ordinary run takes. */
export function fuzzRuns(ordinary: number): number {
  const asked = Number(process.env.SCRIP_FUZZ_RUNS);
  return Number.isInteger(asked) && asked > 0 ? asked : ordinary;
}

/** `SCRIP_FULL=1`: all of what an ordinary run takes some of. */
export const IS_FULL = process.env.SCRIP_FULL === '1';
