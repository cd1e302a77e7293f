import { payments } from '../../config/payments.js';

/** Sends one instruction to the payment provider. Throws when it is refused. */
export async function send(kind: 'charge' | 'refund', body: object): Promise<void> {
  const response = await fetch(`${payments.url}/${payments.merchant}/${kind}s`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(payments.timeoutMs),
  });
  if (!response.ok) throw new Error(`the provider refused a ${kind}: ${response.status}`);
}
