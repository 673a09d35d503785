/**
 * Moves the files of .changes into CHANGELOG.md, under the version of package.json:
 *
 *   npm run changes
 */
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

export const HEADINGS = ['Wrong verdicts fixed', 'New', 'Faster', 'Changed'];

/** The heading and the sentence of a file of .changes; throws an error that says what is wrong with it. */
export function readChange(name, text) {
  const [heading = '', ...rest] = text.trim().split('\n');
  const sentence = rest.join('\n').trim();
  if (!HEADINGS.includes(heading))
    throw new Error(
      `.changes/${name}, line 1: found ${JSON.stringify(heading)}, expected one of ${HEADINGS.join(', ')}`,
    );
  if (!sentence.endsWith('.') || sentence.includes('\n'))
    throw new Error(`.changes/${name}: expected one line with a sentence below the heading`);
  return { heading, sentence };
}

/** The changelog with changes added to the section of a version, which is made if it is not the first one. */
export function withChanges(changelog, version, changes) {
  const [title, ...sections] = changelog.split(/^(?=## )/m);
  const isThere = sections[0]?.startsWith(`## ${version}\n`) ?? false;
  const [head, ...groups] = isThere ? sections[0].trimEnd().split(/^(?=### )/m) : [`## ${version}`];
  const known = new Map(groups.map((group) => [/^### (.*)/.exec(group)[1], group.trimEnd()]));
  for (const { heading, sentence } of changes) {
    const old = known.get(heading);
    known.set(heading, old === undefined ? `### ${heading}\n\n- ${sentence}` : `${old}\n- ${sentence}`);
  }
  const order = [...new Set([...HEADINGS, ...known.keys()])].filter((heading) => known.has(heading));
  const section = [head.trimEnd(), ...order.map((heading) => known.get(heading))].join('\n\n');
  return [
    title,
    [section, ...(isThere ? sections.slice(1) : sections).map((each) => each.trimEnd())].join('\n\n'),
    '\n',
  ].join('');
}

if (process.argv[1] === import.meta.filename) {
  const root = path.resolve(import.meta.dirname, '../../..');
  const read = (name) => readFileSync(path.join(root, name), 'utf8');
  const names = readdirSync(path.join(root, '.changes')).filter((name) => name !== 'README.md');
  const changes = names.map((name) => readChange(name, read(`.changes/${name}`)));
  const { version } = JSON.parse(read('package.json'));
  if (changes.length > 0)
    writeFileSync(path.join(root, 'CHANGELOG.md'), withChanges(read('CHANGELOG.md'), version, changes));
  for (const name of names) rmSync(path.join(root, '.changes', name));
  process.stdout.write(`${changes.length} changes are in CHANGELOG.md now, under ${version}.\n`);
}
