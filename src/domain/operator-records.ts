/** What operators see of partners and of what was done by hand. */

/** A partner, without its secret. */
export interface PartnerRecord {
  readonly partner_id: string;
  readonly state: 'active' | 'revoked';
  /** IP networks that it may call from; empty for any. */
  readonly networks: readonly string[];
  /** Null for everyone’s limit. */
  readonly orders_per_minute: number | null;
  readonly created_at: string;
  /** Until then the secret before the last rotation is valid too. */
  readonly former_secret_until: string | null;
  readonly revoked_at: string | null;
}

/** A partner whose secret was just made; the secret is not shown again. */
export interface PartnerWithSecret extends PartnerRecord {
  readonly secret: string;
  /** Signs the webhooks of all of its orders; it never changes. */
  readonly webhook_secret: string;
}

/** An order of a shop, as its operator lists it. */
export interface ShopOrderRecord {
  readonly order_id: string;
  readonly surface: 'checkout' | 'partner';
  /** The status at the checkout host, or the order state of the partner API. */
  readonly state: string;
  /** Of the partner API alone. */
  readonly payment_state: string | null;
  readonly partner_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What an operator did. */
export interface OperatorActionRecord {
  readonly at: string;
  readonly who: string;
  readonly action: string;
  readonly subject: string;
  /** `done`, an error code, or `begun` if the command was ended in between. */
  readonly result: string;
}
