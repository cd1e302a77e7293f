import { send } from './provider.js';

/** Takes an amount of cents from a customer. */
export async function charge(customer: string, amount: number): Promise<void> {
  await send('charge', { customer, amount });
}
