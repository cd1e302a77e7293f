import type { PageCall } from '../http.js';

/** One field of a form; empty where it is not there. Browsers send line ends as CRLF. */
export const field = (call: Pick<PageCall, 'body'>, name: string): string => {
  const value = fieldsOf(call.body)[name];
  return typeof value === 'string' ? value.replace(/\r\n/g, '\n') : '';
};

const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
