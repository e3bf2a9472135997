/** What may be done to journal records themselves, apart from adding to them. */

export interface JournalCare {
  /**
   * Overwrites the sealed codes of a purchase; the finding that it was delivered stays.
   * @param key idempotency key of the purchase
   * @throws {ScripError} JOURNAL_UNUSABLE
   */
  forgetGoods(key: string): Promise<void>;
}
