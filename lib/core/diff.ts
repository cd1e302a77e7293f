/** RIGHT is the head, LEFT the merge base: GitHub's names for the two columns of a diff. */
export type Side = 'LEFT' | 'RIGHT';

/**
 * One row of a hunk. `text` is the line without its `\n`; a carriage return stays part of it, because git numbers
 * lines by `\n` alone. `noNewline` marks the last line of a file that does not end in one.
 */
export type DiffLine =
  | {
      readonly kind: 'context';
      readonly old: number;
      readonly new: number;
      readonly text: string;
      readonly noNewline?: true;
    }
  | { readonly kind: 'added'; readonly new: number; readonly text: string; readonly noNewline?: true }
  | { readonly kind: 'removed'; readonly old: number; readonly text: string; readonly noNewline?: true };

export type Hunk = {
  readonly oldStart: number;
  readonly oldCount: number;
  readonly newStart: number;
  readonly newCount: number;
  readonly lines: readonly DiffLine[];
};

/** Why a file of the change has no rows. Only `missing` makes a pass partial. */
export type FileContent =
  | { readonly kind: 'text'; readonly hunks: readonly Hunk[] }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'binary' }
  | { readonly kind: 'submodule'; readonly from?: string; readonly to?: string }
  | {
      readonly kind: 'missing';
      readonly why: 'too_large' | 'not_parsed' | 'not_listed';
      readonly detail: string;
    };

export type FileStatus =
  'added' | 'deleted' | 'modified' | 'renamed' | 'copied' | 'mode_only' | 'type_changed';

/** One file of a change, as GitHub shows it: merge base to head. `oldPath` equals `path` unless renamed or copied. */
export type FileDiff = {
  readonly path: string;
  readonly oldPath: string;
  readonly status: FileStatus;
  readonly oldMode?: string;
  readonly newMode?: string;
  readonly symlink: boolean;
  readonly additions: number;
  readonly deletions: number;
  readonly content: FileContent;
};

/** A place on the diff that GitHub accepts a comment on. Context rows are RIGHT. */
export type Position = { readonly path: string; readonly side: Side; readonly line: number };
