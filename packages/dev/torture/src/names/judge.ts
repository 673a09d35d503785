import { execFileSync } from 'node:child_process';
import { all, parse, textOf } from '@isolab/needs/browser';
import { visibleLine, visibleText } from '@isolab/history';
import { MARK } from './hostile.ts';

/**
 * Reason why a printed text could control a terminal or a job, or, if that is checked, forge a line; null if it is
 * harmless.
 */
export function whyUnsafe(printed: string, noForgedLine = true): string | null {
  const bare = printed.replaceAll(OUR_STYLES, '');
  for (const [pattern, what] of noForgedLine ? [...UNSAFE, FORGED] : UNSAFE) {
    const found = pattern.exec(bare);
    if (found) return `${what}: ${JSON.stringify(bare.slice(Math.max(0, found.index - 60), found.index + 60))}`;
  }
  return null;
}

// oxlint-disable-next-line no-control-regex -- styles begin with one
const OUR_STYLES = /\u001B\[(?:1|2|22|31|32|33|39)m/g;

const UNSAFE: readonly (readonly [RegExp, string])[] = [
  [/(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u3164\uFFA0]/u, 'an invisible character'],
  [/^\s*::/m, 'a command to GitHub'],
  [/##(?:\[|vso\[|teamcity\[)/i, 'a command to a job'],
];
const FORGED = [new RegExp(`^[^\\p{L}\\p{N}]*${MARK}`, 'mu'), 'a forged line'] as const;

export function whyNoJson(printed: string, path: string): string | null {
  const data = JSON.parse(printed) as { readonly path?: string };
  return data.path === undefined || data.path === path ? null : `the path has become ${JSON.stringify(data.path)}`;
}

/** Reason why XML, SVG or a page cannot be parsed, or contains unintended parts. */
export function whyNoMarkup(source: string, html: boolean): string | null {
  const root = parse(source, { html });
  const forged = all(
    root,
    ({ name, attributes }) => name === 'img' || Object.keys(attributes).some((a) => a.startsWith('on')),
  );
  return forged.length === 0 ? null : `it contains <${forged[0]!.name}> from the input`;
}

/** Reason why a text is not JUnit XML with the path as the name of the suite. */
export function whyNoJunit(source: string, path: string): string | null {
  const suites = all(parse(source), ({ name }) => name === 'testsuite');
  const name = suites[0]?.attributes['name'];
  return name === visibleText(path) || name === visibleLine(path)
    ? null
    : `the name of the suite is ${JSON.stringify(name)}`;
}

/** Reason why a text is not valid Graphviz: strings must be closed, with only drawDot's own text between them. */
export function whyNoDot(source: string): string | null {
  const rest = source.replaceAll(/"(?:[^"\\]|\\.)*"/gs, 'S').replaceAll(/^digraph story \{|\}$/gm, '');
  const wrong = rest.split('\n').find((line) => !/^[\w\s[\]=,.:;{}>-]*$/.test(line));
  if (wrong !== undefined) return `a string ended too early: ${JSON.stringify(wrong)}`;
  return /^(?!\s*(?:$|label|rankdir|node|edge|subgraph|\}|t\d+\b|S))/m.test(rest) ? `it contains more: ${rest}` : null;
}

/** Reason why a command that a page or a text offers, run by a shell, does anything but name the path. */
export function whyNoCommand(source: string, isPage: boolean, path: string, folder: string): string | null {
  const command = isPage
    ? all(parse(source, { html: true }), ({ attributes }) => attributes['class'] === 'command').map(textOf)[0]
    : /^To reproduce it:\n\n(`{3,})sh\n([^]*?)\n\1$/m.exec(source)?.[2];
  if (command === undefined) return 'it has no command to repeat the check';
  const script = `isolab() { printf '%s\\0' "$@"; }\n${command}\n`;
  const words = execFileSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8' }).split('\0');
  const expected = path.startsWith('-') ? `./${path}` : path;
  if (words[0] !== 'check' || words[1] !== expected || words[2] !== '--level')
    return `the shell reads ${JSON.stringify(words)} of ${command}`;
  return null;
}
