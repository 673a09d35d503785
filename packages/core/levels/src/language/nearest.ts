/** Returns a hint such as `did you mean weave? `, or an empty string if no known name is similar. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = known
    .map((name) => ({ name, edits: editsBetween(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(1, Math.floor(Math.min(word.length, name.length) / 3)))
    .toSorted((a, b) => a.edits - b.edits)[0]?.name;
  const longer =
    word.length < LEAST ? undefined : known.find((name) => name.toLowerCase().startsWith(word.toLowerCase()));
  const meant = near ?? longer;
  return meant === undefined ? '' : `did you mean ${meant}? `;
}

/** Least length of a word that names may begin with. */
const LEAST = 3;

/** Returns the number of letters to add, drop, replace or swap to turn one word into the other. */
function editsBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced, isSwap ? before[j - 2]! + 1 : Infinity));
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
