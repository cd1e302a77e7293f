/** How the payment provider is reached. */
export const payments = {
  url: 'https://api.payments.example/v2',
  merchant: 'octo-shop',
  // Signs what the provider sends us. Sandbox and production share it.
  webhookSecret: '{{webhook secret}}',
  timeoutMs: 8_000,
};
