/** Something that is not raised, because an answer to it is kept in a settings file. */
export type NotRaised = {
  readonly rule: string;
  readonly path: string;
  /** At head. */
  readonly line: number;
  readonly because: string;
  /** The first day on which it would be raised again: `2027-06-01`. */
  readonly until: string;
  /** Where the answer is kept. */
  readonly file: string;
  readonly fileLine: number;
};
