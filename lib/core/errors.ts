/**
 * Expected endings are values. A class exists only where a catcher acts differently: each message says what
 * happened and how to mend it.
 */

/** A setting is missing or wrong: nothing can run until a person mends it. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** The environment variable, flag or file to look at. */
  readonly where: string;
  constructor(message: string, where: string) {
    super(message);
    this.where = where;
  }
}

/** A forge (GitHub, git) refused or failed. `retryable`: the same call may succeed later. */
export class ForgeError extends Error {
  override readonly name = 'ForgeError';
  readonly status: number | undefined;
  readonly retryable: boolean;
  /** GitHub's `x-accepted-github-permissions`, when the refusal was about permissions. */
  readonly acceptedPermissions: string | undefined;
  /** A write whose outcome is not known (time-out, 5xx): read back, never sent again. */
  readonly unknown: boolean;
  /** A rate limit: nothing was done, and the same call is taken again after so many milliseconds. */
  readonly retryAfterMs: number | undefined;
  constructor(
    message: string,
    options: {
      status?: number;
      retryable?: boolean;
      acceptedPermissions?: string;
      unknown?: boolean;
      retryAfterMs?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.retryable = options.retryable ?? false;
    this.acceptedPermissions = options.acceptedPermissions;
    this.unknown = options.unknown ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A model's endpoint refused or failed. `retryable`: the same request may succeed later. */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly status: number | undefined;
  readonly retryable: boolean;
  constructor(message: string, options: { status?: number; retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.status = options.status;
    this.retryable = options.retryable ?? false;
  }
}

/** Goes back to the model as the tool's answer: a sentence it can act on. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** A submission that code refused; goes back to the model with each reason. */
export class SubmissionError extends Error {
  override readonly name = 'SubmissionError';
  readonly reasons: readonly string[];
  constructor(reasons: readonly string[]) {
    super(reasons.join('\n'));
    this.reasons = reasons;
  }
}

/** The reason of an abort when a newer head or a closed pull request made the run pointless: not a failure. */
export class SupersededError extends Error {
  override readonly name = 'SupersededError';
}
