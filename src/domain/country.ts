/** A country by its code and its name. */
export interface NamedCountry {
  /** Two letters, lowercase. */
  readonly code: string;
  readonly name: string;
  /** ISO 4217. */
  readonly currency?: string | undefined;
}
