/** The values in Z3's answer to get-value: `((term value) …)`, where terms are plain names. Truth values are 0 and 1. */
export function parseValues(answer: string): number[] {
  const values: number[] = [];
  for (const [, value] of answer.matchAll(PAIR)) values.push(valueOf(value!));
  return values;
}

const PAIR = /\(\s*[^\s()]+\s+(#b[01]+|#x[0-9a-f]+|\d+|true|false|\(-\s*\d+\s*\))\s*\)/g;

function valueOf(value: string): number {
  if (value === 'true') return 1;
  if (value === 'false') return 0;
  if (value.startsWith('#b')) return Number.parseInt(value.slice(2), 2);
  if (value.startsWith('#x')) return Number.parseInt(value.slice(2), 16);
  return value.startsWith('(') ? -Number(value.replaceAll(/[^\d]/g, '')) : Number(value);
}
