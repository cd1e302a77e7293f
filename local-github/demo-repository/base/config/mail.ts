/** How order confirmations leave the house. */
export const mail = {
  host: process.env['MAIL_HOST'] ?? 'localhost',
  password: process.env['MAIL_PASSWORD'] ?? '',
  from: 'orders@octo-shop.example',
};
