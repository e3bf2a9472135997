/** A value that a shell may offer, with its description. */
export interface Candidate {
  readonly value: string;
  readonly what: string;
}

/** Parses a line written by the build: value, tab, description. */
export function splitLine(line: string): Candidate {
  const [value = '', what = ''] = line.split('\t');
  return { value, what };
}
