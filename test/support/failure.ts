/** The error of ours that work ends with; any other end fails the test. */
import { ScripError } from '../../src/domain/message/errors.ts';

export async function failureOf(work: Promise<unknown>): Promise<ScripError> {
  const error = await work.catch((cause: unknown) => cause);
  return thrownBy(() => {
    throw error;
  });
}

/** The same of work that is done at once. */
export function thrownBy(work: () => unknown): ScripError {
  let cause: unknown;
  try {
    cause = work();
  } catch (error) {
    if (error instanceof ScripError) return error;
    cause = error;
  }
  throw new Error('it should have been refused', { cause });
}
