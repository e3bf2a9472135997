/** Options that all calls of a run share: its clock and the user's abort signal. */

import type { ScripParts } from '../parts.ts';

export function callOptions({
  clock,
  signal,
}: Pick<ScripParts, 'clock' | 'signal'>): Pick<ScripParts, 'clock' | 'signal'> {
  return { clock, signal };
}
