/** The known name with the fewest edits, if it is close enough to be a slip: at most half of what is written. */
export function nearest(
  name: string,
  known: readonly string[],
  most: number = Math.max(2, Math.floor(name.length / 2)),
): string | null {
  const best = known
    .map((candidate) => ({ candidate, distance: editDistance(name.slice(0, 64), candidate) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return best !== undefined && best.distance <= most ? best.candidate : null;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
