/**
 * The fields of every reply that a purchase touches, as the interface lists them, section by section:
 * what a host must send, what it need not, and what no purchase is possible without although the
 * table of the section calls it optional. Written down by hand: the schemas of src/contract are ours.
 */

/** Fields of an object, as words of one text each. */
export interface Fields {
  /** Heading of the interface. */
  readonly section: string;
  readonly required: string;
  /** Optional in the table of the section; another rule has it sent, as `because` says. */
  readonly needed?: string;
  readonly because?: string;
  readonly optional?: string;
  /** What stands in fields that are objects, or lists of objects. */
  readonly inside?: Readonly<Record<string, Fields>>;
}

const BRAND: Fields = {
  section: 'A. Brand',
  required: 'brand_name family category',
  optional: 'min max',
};

const CATALOG_ITEM: Fields = {
  section: 'A. CatalogItem',
  required: 'product_id brand_name is_range price_usdc country_code',
  optional:
    'product_name denomination denomination_label currency face_value_usd type min_value max_value',
};

const PRICE_QUOTE: Fields = {
  section: 'A. PriceQuote',
  required: 'product_id brand_name is_range currency price_usdc quote_expires_at',
  optional: 'product_name country_code face_value min_value max_value',
};

const CHECKOUT_DELIVERY: Fields = {
  section: 'A. Delivery (checkout host)',
  required: '',
  needed: 'voucher_code',
  because: 'States, A: voucher fields appear once the delivery is completed',
  optional:
    'id delivery_state brand_name product_name denomination face_value currency pin_serial security_code redeem_instructions terms_and_conditions url barcode_image_url qr_image_url beneficiary_account country_code delivery_type failure_reason',
};

const ORDER_RECEIPT: Fields = {
  section: 'A. OrderReceipt',
  required: 'order_id status poll_url',
  optional: 'email estimated_delivery_seconds deliveries',
};

const ORDER_STATUS: Fields = {
  section: 'A. OrderStatus',
  required: 'order_id status',
  needed: 'deliveries',
  because: 'States, A: voucher fields appear in deliveries[]',
  inside: { deliveries: CHECKOUT_DELIVERY },
};

export const PAYMENT_REQUIRED: Fields = {
  section: 'A. X402PaymentRequired',
  required: 'x402Version accepts',
  // The last four are of the public standard and of other hosts.
  optional: 'resource error expiresAt extensions',
  inside: {
    accepts: {
      section: 'A. PaymentRequirement',
      required: 'scheme network maxAmountRequired asset payTo',
      needed: 'extra',
      because: 'rules of POST /v1/orders, 4: the fee payer is named in extra.feePayer',
      optional: 'description outputSchema maxTimeoutSeconds',
      inside: {
        extra: {
          section: 'A. PaymentRequirement, extra',
          required: '',
          needed: 'feePayer',
          because: 'rules of POST /v1/orders, 4',
          optional: 'memo sessionId',
        },
      },
    },
  },
};

const PARTNER_BRAND: Fields = {
  section: 'B. BrandModel',
  required: 'family brand_id brand logo_url category is_out_of_stock country_code product_type',
  optional: 'logo_base_url bg_color kind min max additional_categories promotion',
};

const BRAND_LIST: Fields = {
  section: 'B. Brand list response',
  required: 'country_code categories all_brands last_user_purchases suggestions',
  inside: {
    categories: {
      section: 'B. CategoryModel',
      required: 'kind brands popular_brands',
      optional: 'category',
      inside: { brands: PARTNER_BRAND, popular_brands: PARTNER_BRAND },
    },
    all_brands: PARTNER_BRAND,
    last_user_purchases: PARTNER_BRAND,
    suggestions: PARTNER_BRAND,
  },
};

const PRODUCT: Fields = {
  section: 'B. ProductResponse',
  required: 'product_id is_dynamic coin payment_method delivery_type points product_type',
  needed: 'denomination range coin_amount',
  because: 'rules of surface B, 1 and 2; GET /v5/products: with a coin, fixed products carry it',
  optional:
    'customer_specific localized_denomination original_coin_amount face_value benefits additional_details valid_regions',
};

const PRODUCTS_FOR_BRAND: Fields = {
  section: 'B. ProductsForBrandResponse',
  required:
    'country_code category additional_categories kind default_denomination products family brand_id brand is_out_of_stock logo_url logo_base_url product_tc redeem_method product_type',
  optional: 'rich_description promotion',
  inside: { products: PRODUCT },
};

const CURRENCY: Fields = {
  section: 'B. Currency (BaseCurrency)',
  required: 'name logo_url is_suspended',
};

const PAYMENT_VIA: Fields = {
  section: 'B. Payment via (PaymentViaWithCurrencies)',
  required: 'name logo_url currencies',
  inside: {
    currencies: {
      section: 'B. CurrencyWithNetwork',
      required: 'name logo_url networks is_suspended',
      optional: 'threshold',
      inside: {
        networks: {
          section: 'B. PaymentNetwork',
          required: 'name',
          optional:
            'chain_id logo_url threshold smart_contract_engine base_token smart_contract estimated_transfer_cost',
        },
      },
    },
  },
};

const PARTNER_DELIVERY: Fields = {
  section: 'B. Delivery (partner API)',
  required: 'id delivery_state kind deliverable',
  optional: 'sandbox_mode',
  inside: {
    deliverable: {
      section: 'B. ProductDeliverable',
      required: 'denomination brand_name beneficiary_account country_code',
      needed: 'pin_code',
      because: 'States, B: deliveries[] carry redemption data',
      optional:
        'product_value localized_denomination family brand_logo brand_bg_color error_description failure_reason pin_serial security_code pin_usage_instructions barcode_image_url qr_image_url delivery_type points coin_amount original_coin_amount original_price currency_code redeem_instructions terms_and_conditions promotion',
    },
  },
};

const SUMMARY: Fields = {
  section: 'B. OrderSummary',
  required:
    'coin_amount_before_discount coin_amount_after_discount coin_amount_to_pay_in_crypto coin_amount_to_pay_via_nft coin_amount_to_pay_via_coupon',
};

const VALIDATION: Fields = {
  section: 'B. Validation response',
  required:
    'coin coin_amount original_coin_amount deliveries payment_fee points summary is_payment_processor_external',
  needed: 'problems',
  because: 'Errors, B: validation and order responses carry problems',
  optional: 'coupon_code nft_codes',
  inside: { deliveries: PARTNER_DELIVERY, summary: SUMMARY },
};

const PARTNER_ORDER: Fields = {
  section: 'B. Order response (MultiProductsOrderResponse)',
  required: 'order_id created_at payment_state order_state is_payment_processor_external',
  needed: 'deliveries',
  because: 'States, B: deliveries[] carry redemption data',
  optional:
    'wallet_address coin_amount payment_method payment_via payment_method_protocol payment_id payment_value network coin original_price qr_text qr_url sent_coin_amount received_amount missing_amount missing_amount_qr_text missing_amount_qr_url checkout_url nft_codes summary user payment_requested_at payment_transactions campaign_rewards state_transition_notification_url sandbox_mode store_type',
  inside: { deliveries: PARTNER_DELIVERY },
};

const CREATED_ORDER: Fields = {
  ...PARTNER_ORDER,
  needed: 'deliveries wallet_address coin_amount',
  because: 'POST /v5/orders: the response includes wallet_address and coin_amount',
};

const ERROR: Fields = { section: 'A. Error', required: 'error', optional: 'message' };

const PARTNER_ERROR: Fields = {
  section: 'Errors, B: top-level HTTP errors',
  required: 'status detail',
  optional: 'moreDetails',
};

const ORDER_ID = '[0-9a-f-]{36}';

/** Successful replies by method and path; a stream's messages are replies of its path. */
const REPLIES: readonly (readonly [asked: RegExp, fields: Fields])[] = [
  [/^GET \/v1\/brands$/, BRAND],
  [/^GET \/v1\/catalog$/, CATALOG_ITEM],
  [/^GET \/v1\/price$/, PRICE_QUOTE],
  [/^POST \/v1\/orders$/, ORDER_RECEIPT],
  [/^GET \/v1\/orders\/[^/]+$/, ORDER_STATUS],
  [/^GET \/v3\/currencies$/, CURRENCY],
  [/^GET \/v3\/payment_vias$/, PAYMENT_VIA],
  [/^GET \/v2\/brands$/, BRAND_LIST],
  [/^GET \/v5\/products\/country\/[^/]+$/, PRODUCTS_FOR_BRAND],
  [/^GET \/v4\/products\/price$/, PRODUCT],
  [/^POST \/v5\/orders\/validations$/, VALIDATION],
  [/^POST \/v5\/orders$/, CREATED_ORDER],
  [new RegExp(`^GET /v5/orders/${ORDER_ID}(/subscribe)?$`), PARTNER_ORDER],
];

/** @param asked method and path, without a query */
export function fieldsOf(asked: string, status: number): Fields | undefined {
  if (status === 402) return PAYMENT_REQUIRED;
  if (status !== 200) return asked.includes('/v1/') ? ERROR : PARTNER_ERROR;
  return REPLIES.find(([known]) => known.test(asked))?.[1];
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
type Body = any;

/** The body with what must be sent, and nothing else. */
export function leastOf(fields: Fields, body: Body): Body {
  if (Array.isArray(body)) return body.map((row) => leastOf(fields, row));
  if (!isObject(body)) return body;
  const kept = namesIn(fields.required, fields.needed).filter((name) => Object.hasOwn(body, name));
  return Object.fromEntries(kept.map((name) => [name, within(fields, name, body[name], leastOf)]));
}

/** The body with `null` in every field that need not be sent. */
export function nulledOf(fields: Fields, body: Body): Body {
  if (Array.isArray(body)) return body.map((row) => nulledOf(fields, row));
  if (!isObject(body)) return body;
  const needed = new Set(namesIn(fields.needed));
  const nulled = new Set(namesIn(fields.optional).filter((name) => !needed.has(name)));
  const entries = Object.entries(body).filter(([name]) => !nulled.has(name));
  return {
    ...Object.fromEntries(
      entries.map(([name, value]) => [name, within(fields, name, value, nulledOf)]),
    ),
    ...Object.fromEntries([...nulled].map((name) => [name, null])),
  };
}

function within(
  { inside = {} }: Fields,
  name: string,
  value: Body,
  change: (fields: Fields, body: Body) => Body,
): Body {
  const inner = Object.hasOwn(inside, name) ? inside[name] : undefined;
  return inner === undefined ? value : change(inner, value);
}

function namesIn(...texts: readonly (string | undefined)[]): readonly string[] {
  return texts.flatMap((text) => (text ?? '').split(' ')).filter((name) => name !== '');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
