/**
 * A name from the repository as the model is shown it: one line, whatever is in it. git takes line ends in names, and
 * what follows them would stand outside the frame of an answer.
 */
export const shownPath = (path: string): string =>
  path.replace(
    /[\u0000-\u001f\u007f\u0085\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
