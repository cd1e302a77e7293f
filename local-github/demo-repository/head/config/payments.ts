/** How the payment provider is reached. */
export const payments = {
  url: 'https://api.payments.example/v2',
  merchant: 'octo-shop',
  // Signs what the provider sends us. Sandbox and production share it.
  webhookSecret: '{{webhook secret}}',
  // Refunds need their own key: the provider does not take the merchant's name for them.
  refundKey: '{{refund key}}',
  timeoutMs: 8_000,
};
