/** What a list of products says beside its rows, whichever side of the merchant it is from. */

export const NO_PRODUCT =
  'No product matches. Leave --search, --kind, --min and --max out for all.';

/** The remarks that apply, as one note. */
export function noteOf(...remarks: readonly (string | false | undefined)[]): {
  readonly note?: string;
} {
  const said = remarks.filter((remark) => typeof remark === 'string');
  return said.length === 0 ? {} : { note: said.join(' ') };
}
