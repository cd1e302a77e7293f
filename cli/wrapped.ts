/** Lines of at most 80 columns: a label, a place, then text that goes on below the label's end. */
export function wrapped(label: string, place: string, text: string, width = 80): string[] {
  const indent = ' '.repeat(label.length);
  const lines: string[] = [`${label}${place}`];
  let line = indent;
  for (const word of text.split(/\s+/)) {
    if (line.trim() !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = indent;
    }
    line = line.trim() === '' ? `${indent}${word}` : `${line} ${word}`;
  }
  if (line.trim() !== '') lines.push(line);
  return lines;
}
