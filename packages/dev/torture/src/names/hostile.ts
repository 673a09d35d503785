import type { Random } from '@isolab/workloads';

/**
 * Parts of names that may break out of their place. A unique word replaces `{mark}`, so that it is found in all output.
 */
const PIECES = [
  '\u001B[2J\u001B[31m',
  '\u001B]0;title\u0007',
  '\u009B31m',
  '\u202Etxt.exe\u202C',
  '\u2066a\u2069',
  'zero\u200Bwidth\u200D\uFEFF',
  '\u2028\u2029',
  '\n{mark} forged line',
  '\r{mark} over the line',
  '\n::error::{mark}',
  '::set-output name=x::{mark}',
  '##[error]{mark}',
  '##vso[task.complete result=Succeeded]',
  '\n\n# {mark}\n',
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned #',
  "' ; touch pwned; '",
  '" ; touch pwned; "',
  '-x',
  '--output=json',
  '~',
  '=ls',
  '!!',
  '%s%n\\n\\0',
  '*',
  '</td></tr></table><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onclick='alert(1)",
  ']]> --> &amp; &#0; <!--',
  '</svg><svg/onload=alert(1)>',
  '| a | b |',
  '``` ` ``',
  '[x](https://example.com)',
  '![x](https://example.com/x.png)',
  '**bold** _it_ ~~no~~',
  '\\N\\l\\"} -> x [label="',
  '{a|<b> c}',
  '=1+1',
  'tab\tand  spaces ',
  '\u0001\u0008\u007F',
  '\u{E0041}\u{E0042}',
  '\uFFFE\uFFFF',
  '\u3164\u115F',
  'ünïcödé 漢字 🙂',
] as const;

/** Text that a file may contain: one piece, or several in a row. */
export function hostileText(random: Random): string {
  const pieces = Array.from({ length: random.chance(0.5) ? 1 : 1 + random.below(4) }, () => random.pick(PIECES));
  return pieces.join(random.chance(0.5) ? '' : ' x ').replaceAll('{mark}', MARK);
}

/** A hostile file name: without slash and NUL, and within the length limit for names. */
export function hostileName(random: Random): string {
  const name = hostileText(random).replaceAll(/[/\0]/g, '').slice(0, 50);
  return Buffer.from(random.chance(0.5) ? `${name}.jsonl` : name).toString() || 'x';
}

/** No line may begin with this word, which comes only from hostile names. */
export const MARK = 'FORGED';
