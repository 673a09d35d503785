/** Whether a word is most likely another one, misspelt: `Status`, `commit_ts`, `stauts`, `sesion`. */
export function looksLike(word: string, meant: string): boolean {
  const [a, b] = [plain(word), plain(meant)];
  return a === b || (Math.min(a.length, b.length) >= 4 && isOneEditAway(a, b));
}

const plain = (word: string): string => word.toLowerCase().replaceAll(/[-_ ]/g, '');

/** One letter more, less or another, or two neighbours swapped. */
function isOneEditAway(a: string, b: string): boolean {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  const [restA, restB] = [a.slice(i), b.slice(i)];
  if (restA.length === restB.length)
    return (
      restA.slice(1) === restB.slice(1) ||
      (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
    );
  return restA.length > restB.length ? restA.slice(1) === restB : restB.slice(1) === restA;
}
