/** What a shell may offer. */
export interface Candidate {
  readonly value: string;
  readonly what: string;
}

/** A line that was written when the program was built: a value, a tab, what it is. */
export function splitLine(line: string): Candidate {
  const [value = '', what = ''] = line.split('\t');
  return { value, what };
}
