/** `did you mean weave? `, or nothing where no name is near. */
export function orNearest(word: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, edits: editsBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(Math.min(word.length, name.length) / 3)))
    .toSorted((a, b) => a.edits - b.edits)[0];
  return near === undefined ? '' : `did you mean ${near.name}? `;
}

/** How many letters one types, leaves out or exchanges to get from one word to the other. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
