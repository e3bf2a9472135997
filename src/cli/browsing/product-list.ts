/** What a list of products says beside its rows, whichever side of the merchant it is from. */
import { joined, Message, t } from '../../domain/message.ts';

export const NO_PRODUCT = t`No product matches. Leave --search, --kind, --min and --max out for all.`;

/** The remarks that apply, as one note. */
export function noteOf(...remarks: readonly (Message | false | undefined)[]): {
  readonly note?: Message;
} {
  const said = remarks.filter((remark) => remark instanceof Message);
  return said.length === 0 ? {} : { note: joined(said, ' ') };
}
