/** An answer of GitHub's that is no success, thrown by whoever finds the reason and written out by the server. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    status: number,
    message: string,
    extra: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.body = {
      message,
      ...extra,
      documentation_url: 'https://docs.github.com/rest',
      status: String(status),
    };
    this.headers = headers;
  }
}

export const notFound = (): Refusal => new Refusal(404, 'Not Found');

/** 422 with sentences, the form of the review endpoints. */
export const unprocessable = (...errors: string[]): Refusal =>
  new Refusal(422, 'Unprocessable Entity', { errors });

/** 422 with fields, the form of the older endpoints. */
export const invalid = (resource: string, field: string, code: string, message?: string): Refusal =>
  new Refusal(422, 'Validation Failed', {
    errors: [{ resource, field, code, ...(message === undefined ? {} : { message }) }],
  });

export const notAccessible = (): Refusal => new Refusal(403, 'Resource not accessible by integration');
