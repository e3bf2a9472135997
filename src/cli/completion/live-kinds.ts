/** Kinds of values that are looked up when Tab is pressed. */
export const LIVE_KINDS = [
  'countries',
  'brands',
  'families',
  'products',
  'goods',
  'coins',
  'networks',
  'ways',
  'orders',
  'profiles',
  'faults',
  'fields',
  'schema',
] as const;

export type LiveKind = (typeof LIVE_KINDS)[number];
