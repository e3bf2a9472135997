/**
 * The fields of surface B as the interface lists them, typed from its tables by hand: this list, and
 * not the schemas, is what the schemas are held to. A question mark stands for "optional".
 */
export const PARTNER_FIELDS: Readonly<Record<string, string>> = {
  BaseCurrency: 'name logo_url is_suspended',
  PaymentViaWithCurrencies: 'name logo_url currencies',
  CurrencyWithNetwork: 'name logo_url networks is_suspended threshold?',
  PaymentNetwork:
    'name chain_id? logo_url? threshold? smart_contract_engine? base_token? smart_contract? estimated_transfer_cost?',
  SmartContract: 'address decimals symbol',
  BrandList: 'country_code categories all_brands last_user_purchases suggestions',
  CategoryModel: 'kind category? brands popular_brands',
  BrandModel:
    'family brand_id brand logo_url category is_out_of_stock country_code product_type logo_base_url? bg_color? kind? min? max? additional_categories? promotion?',
  ProductsForBrandResponse:
    'country_code category additional_categories kind default_denomination products family brand_id brand is_out_of_stock logo_url logo_base_url product_tc redeem_method product_type rich_description? promotion?',
  RichDescription:
    'markup? description? how_to_redeem? term_and_conditions? country_code? locale? note? redeem_geo?',
  ProductResponse:
    'product_id is_dynamic range? customer_specific? denomination? localized_denomination? coin coin_amount? original_coin_amount? face_value? payment_method delivery_type points benefits? additional_details? valid_regions? product_type',
  Benefit: 'type unit_type unit additional_information amount',
  PaymentVia: 'type payment_via coin network',
  PaymentBinance: 'type coin',
  User: 'email has_accepted_newsletter? referral_code?',
  CreateOrderRequest:
    'user payment deliveries coupon_code? promo_code? nft_codes? acquisition? lang? time_zone? binance_sku? external_store? state_transition_notification_url? refund_wallet_address?',
  ValidationRequest:
    'user? payment deliveries coupon_code? promo_code? nft_codes? acquisition? lang? time_zone? binance_sku? external_store? state_transition_notification_url? refund_wallet_address?',
  NFTCode: 'tokenId contract_address network permit?',
  Acquisition:
    'gclid? cid? utm_source? utm_campaign? utm_medium? utm_term? utm_content? click_id? referer? session_id? conversion_flow?',
  ProductDeliverable:
    'denomination product_value? brand_name beneficiary_account country_code localized_denomination? family? brand_logo? brand_bg_color? error_description? failure_reason? pin_code? pin_serial? security_code? pin_usage_instructions? barcode_image_url? qr_image_url? delivery_type? points? coin_amount? original_coin_amount? original_price? currency_code? redeem_instructions? terms_and_conditions? promotion?',
  Delivery: 'id delivery_state kind deliverable sandbox_mode?',
  ValidationResponse:
    'coin coin_amount original_coin_amount deliveries payment_fee points summary is_payment_processor_external coupon_code? nft_codes? problems?',
  OrderSummary:
    'coin_amount_before_discount coin_amount_after_discount coin_amount_to_pay_in_crypto coin_amount_to_pay_via_nft coin_amount_to_pay_via_coupon',
  MultiProductsOrderResponse:
    'order_id created_at payment_state order_state is_payment_processor_external wallet_address? payment_method? payment_via? payment_method_protocol? payment_id? payment_value? network? coin? coin_amount? original_price? qr_text? qr_url? sent_coin_amount? received_amount? missing_amount? missing_amount_qr_text? missing_amount_qr_url? checkout_url? deliveries? nft_codes? summary? user? payment_requested_at? payment_transactions? campaign_rewards? state_transition_notification_url? sandbox_mode? store_type?',
  // `problems`: an order's answer carries them (interface: Errors), a refused creation too.
  TopLevelError: 'status detail moreDetails? problems?',
};

/** States and codes, as the interface's lists have them. */
export const PAYMENT_STATE_NAMES =
  'WalletRequested WalletCreated PaymentRequested PaymentStarted WaitingForComplianceReport PaymentQuarantined PaymentReceived PartialPaymentStarted Failed WaitingForExpiry WaitingForExpiryAfterPaymentDetection Expired ExpiredAfterPaymentDetection PaymentCanceled';
export const ORDER_STATE_NAMES =
  'WaitingForPayment PaymentStarted PaymentFailed WaitingForNFTCards NFTCardsSpent WaitingForDelivery WaitingForCoupon Refunded Completed WaitingForManualAction Done Expired Canceled Created PaymentReceived PaymentSetupFailed';
export const PROBLEM_NAMES =
  'AMOUNT_LESS_THEN_MINIMUM_ALLOWED MAXIMUM_AMOUNT_PER_ORDER_EXCEEDED DAILY_SPENDING_LIMIT_EXCEEDED MONTHLY_SPENDING_LIMIT_EXCEEDED PRODUCT_COUNT_EXCEEDED MULTIPLE_LIMITED_PRODUCT_SAME_ORDER NOT_AVAILABLE_PRODUCT OUT_OF_STOCK NOT_ACTIVE INVALID_BENEFICIARY_ACCOUNT NOT_ALLOWED_PAYMENT_VIA UNSUPPORTED_PROTOCOL_COIN_COMBINATION LOGIN_REQUIRED COUPON_REQUIRES_LOGIN COUPON_NOT_FOUND COUPON_NOT_ACTIVE COUPON_ALREADY_SPENT COUPON_MAX_USAGE_REACHED COUPON_EXPIRED COUPON_BELOW_MIN_AMOUNT COUPON_NOT_VALID_FOR_USER COUPON_NOT_VALID_FOR_CATEGORY COUPON_NOT_VALID_FOR_KIND COUPON_NOT_VALID_FOR_BRAND COUPON_NOT_VALID_FOR_COUNTRY COUPON_NOT_VALID_FOR_STORE KYC_MISSING KYC_PENDING VERIFICATION_REQUIRED SUSPENDED_COIN SUSPENDED_NETWORK';
