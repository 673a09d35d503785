/**
 * CITATION.cff, generated from benchmarks/papers.json: isolab, and the papers whose work it reproduces or compares
 * with.
 */

interface Papers {
  readonly references: Readonly<Record<string, Reference>>;
}

/** Fields of the Citation File Format, except that authors are given as whole names. */
type Reference = { readonly authors: readonly string[] } & Readonly<Record<string, unknown>>;

/** Converts the texts of papers.json and of the root's package.json to CFF 1.2.0. */
export function citationFile(papers: string, root: string): string {
  const { references } = JSON.parse(papers) as Papers;
  const { version, license, description } = JSON.parse(root) as Record<'version' | 'license' | 'description', string>;
  return [
    '# npm run generate writes this file from benchmarks/papers.json.',
    'cff-version: 1.2.0',
    'message: If you use isolab, please cite it, and the papers whose checkers, figures or histories you use.',
    'type: software',
    'title: isolab',
    `abstract: ${scalar(description)}`,
    'authors:',
    '  - name: isolab contributors',
    `version: ${version}`,
    `license: ${license}`,
    'references:',
    ...Object.values(references).flatMap(referenceLines),
    '',
  ].join('\n');
}

function referenceLines({ authors, ...fields }: Reference): string[] {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${scalar(value)}`);
  const names = authors.flatMap((author) => {
    const cut = author.lastIndexOf(' ');
    const [given, family] = [author.slice(0, cut), author.slice(cut + 1)];
    return [`  - family-names: ${scalar(family)}`, `    given-names: ${scalar(given)}`];
  });
  return [...lines, 'authors:', ...names].map((line, i) => `${i === 0 ? '  - ' : '    '}${line}`);
}

/** Scalar of YAML: numbers unchanged, texts in quotes, with each quote in the text doubled. */
const scalar = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
