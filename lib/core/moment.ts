/**
 * Whether a text is a time as GitHub writes it, ISO 8601 in UTC: `2026-01-31T10:00:00Z`. `Date.parse` takes more, and much
 * of it in the time zone of the machine it runs on.
 */
export const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text) && !Number.isNaN(Date.parse(text));
