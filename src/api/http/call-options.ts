/** What every call of a run shares: its clock and the user's interruption. */

import type { ScripParts } from '../parts.ts';

export function callOptions({
  clock,
  signal,
}: Pick<ScripParts, 'clock' | 'signal'>): Pick<ScripParts, 'clock' | 'signal'> {
  return { clock, signal };
}
