import { z } from 'zod';
import { ToolError } from '../core/errors.js';
import { Ref } from '../core/evidence.js';

/**
 * A whole number. Models write numbers as text, and beyond the range that the schema tells them: the text is read, and
 * the tool that takes the number brings it into its range and says so.
 */
export const wholeNumber = (range: { readonly minimum: number; readonly maximum?: number }) =>
  z.preprocess(
    (value) => (typeof value === 'string' && /^\s*-?\d{1,9}\s*$/.test(value) ? Number(value) : value),
    z.int().meta({ maximum: undefined, ...range }),
  );

/** Arguments that several tools take. */
export const lineNumber = (about: string) => wholeNumber({ minimum: 1 }).optional().describe(about);

export const atRef = Ref.default('head').describe(
  'head: the reviewed commit; base: the version before this change',
);

/** A path from the top of the repository; `./` and a leading slash are forgiven, leaving it is not. */
export function repositoryPath(given: string): string {
  const path = given
    .trim()
    .replace(/^(\.?\/)+/, '')
    .replace(/\/+$/, '');
  if (
    path.split('/').some((part) => part === '..' || part === '.' || part === '') &&
    path !== '' &&
    path !== '.'
  )
    throw new ToolError(
      `"${given}" is not a path of the repository: paths start at its top and have no "." or "..".`,
    );
  return path === '.' ? '' : path;
}
