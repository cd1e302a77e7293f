export type Row = { readonly label: string; readonly place: string; readonly text: string };

/** A text whose words are broken before `width`, each further line indented by `indent` blanks. */
export function wrapped(text: string, indent: number, width = 80): readonly string[] {
  const lines: string[] = [];
  let line = '';
  // Blanks side by side are kept: they make the columns.
  for (const word of text.trimEnd().split(/ (?=\S)/)) {
    const next = line === '' ? word : `${line} ${word}`;
    if (line.trim() !== '' && next.length > width) {
      lines.push(line.trimEnd());
      line = `${' '.repeat(indent)}${word.trimStart()}`;
    } else line = next;
  }
  return [...lines, line.trimEnd()];
}

/** Fewer columns than this for the text, and a place stands on a line of its own. */
const leastText = 30;

/** Label, place and text side by side; the text goes on below itself. */
export function columns(rows: readonly Row[], width = 80): readonly string[] {
  const labels = Math.max(0, ...rows.map(({ label }) => label.length)) + 2;
  const most = width - labels - leastText - 2;
  const places = Math.max(0, ...rows.map(({ place }) => place.length).filter((length) => length <= most)) + 2;
  return rows.flatMap(({ label, place, text }) => {
    const start = labels + places;
    if (place.length < places)
      return wrapped(`${label.padEnd(labels)}${place.padEnd(places)}${text}`, start, width);
    return [
      `${label.padEnd(labels)}${place}`,
      ...wrapped(`${' '.repeat(labels + 2)}${text}`, labels + 2, width),
    ];
  });
}

/** Two texts at both ends of a line, or one below the other when they do not fit. */
export const apart = (left: string, right: string, width = 80): string =>
  left.length + right.length + 2 <= width
    ? `${left}${right.padStart(width - left.length)}`
    : `${left}\n${right.padStart(width)}`;
