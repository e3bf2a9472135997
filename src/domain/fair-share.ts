/** Shares a limited number of slots, so that no address keeps the others out. */

/**
 * Picks the address that gives up a slot for a newcomer: the one with most slots, if it still has at least as
 * many as the newcomer afterwards.
 * @param holders the address that holds each slot
 * @returns undefined when no address has enough
 */
export function giverOf(holders: Iterable<string>, newcomer: string): string | undefined {
  const counts = new Map<string, number>();
  for (const holder of holders) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  if (most <= (counts.get(newcomer) ?? 0) + 1) return undefined;
  return [...counts].find(([, count]) => count === most)?.[0];
}
