/**
 * Start page: the first sentence of the README, a history to edit with its verdict and picture, the README's three uses,
 * the first and the newest finding of the board and the time for a million transactions. It needs the rendered README, and the Markdown
 * of the board and of the page on speed; the script of the playground package answers edits.
 */
import { parseNotation } from '@isolab/formats';
import { START_EXAMPLES, briefOf, levelLines } from '@isolab/playground/start';
import { escapeXml } from '@isolab/story/markup';
import { check, story as tellStory } from 'isolab';

export interface Sources {
  /** HTML of the README. */
  readonly readme: string;
  /** Renders Markdown of a page at a path, with the links of the start page. */
  readonly render: (markdown: string, path: string) => string;
  readonly board: string;
  readonly speed: string;
}

class StartError extends Error {}

/** Writes the content of the start page. */
export async function startPage({ readme, render, board, speed }: Sources): Promise<string> {
  const lead = part(readme, /<\/h1>\s*<p>(.*?)<\/p>/s, 'README.md has no first paragraph');
  const [sentence = '', ...more] = lead.split(/(?<=\.) /);
  const uses = part(readme, /<h2 id="what-it-is-for">.*?<ul>(.*?)<\/ul>/s, 'README.md has no list of uses');
  const rest = readme.slice(Math.max(0, readme.search(/<h2 id="start">/)));
  return `<div class="hero"><h1 id="isolab">${sentence}</h1>
<p class="lead">${more.join(' ')}</p>
${await liveForm()}</div>
<ul class="doors">${uses.replaceAll(/<\/strong>: (<a [^>]*>)?(\w)/g, (_, link = '', letter: string) => `</strong>${link}${letter.toUpperCase()}`)}</ul>
<div class="facts">${findings(board, render)}${speedFact(speed)}</div>
${rest.replace(/<h2 id="what-it-is-for">.*?(?=<h2 )/s, '')}`;
}

function part(text: string, pattern: RegExp, missing: string): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new StartError(missing);
  return found;
}

/** Form with an example, its verdict and its picture, which the script replaces after each edit. */
async function liveForm(): Promise<string> {
  const { text } = START_EXAMPLES[0]!;
  const history = parseNotation(text);
  const result = await check(history, { level: 'all' });
  const { title, summary, picture } = briefOf((await tellStory(history, result))!);
  return `<section class="live" aria-label="A history to edit">
<div class="given"><label for="live-text">What the clients saw: a line per session, <code>r(key,value)</code> read, <code>w(key,value)</code> written. Change it.</label>
<textarea id="live-text" rows="5" spellcheck="false" autocapitalize="off" autocomplete="off">${escapeXml(text)}</textarea>
<p class="examples">${START_EXAMPLES.map(({ title: name, text: shownText }) => `<button type="button" data-history="${escapeXml(shownText)}">${escapeXml(name)}</button>`).join(' ')}</p>
<p><a id="live-link" class="button" href="playground.html">Open it in the playground</a></p></div>
<div class="seen"><div role="status"><p id="live-verdict" class="bad">${escapeXml(title)}</p>
<p id="live-summary">${escapeXml(summary)}</p></div>
<div id="live-wide">${picture.wide}</div><div id="live-narrow">${picture.narrow}</div>
<p id="live-levels">${escapeXml(levelLines(result.answer!))}</p></div>
</section>`;
}

/** The finding that the board explains first, and the first row of its table, which has the newest findings first. */
function findings(board: string, render: Sources['render']): string {
  const newest = newestFinding(board, render);
  const told = /^## (.+)\n\n(?:(?!## ).*\n)*?.*\[The whole finding\]\((.+?)\)/m.exec(board);
  const first = told === null ? '' : render(`[${told[1]}](${told[2]})`, 'reports/field/README.md');
  return `<div><h2 id="newest">On the board</h2>${first}${newest}</div>`;
}

function newestFinding(board: string, render: Sources['render']): string {
  const row = /\n\| anomaly \|.*\n\|[- |]+\n\| (.*) \|\n/.exec(board)?.[1]?.split(' | ');
  if (row === undefined) throw new StartError('reports/field/README.md has no row of findings');
  const [anomaly, database, releases, level, , date] = row;
  const [newest] = releases!.split(', ');
  const text = `${anomaly} in ${database} ${newest} at ${level!.replace(/ \(.*/, '')}`;
  return `${render(`Newest: ${text}, ${date!}.`, 'reports/field/README.md')}<p class="faint"><a href="reports/field/index.html">All findings</a></p>`;
}

function speedFact(speed: string): string {
  const seconds = part(
    speed,
    /With 1,000,000 transactions of 15 operations .*? ([\d.]+) instead of [\d.]+ s at serializable/s,
    'docs/speed.md does not state the time of a million transactions at serializable',
  );
  return `<div><h2 id="speed"><b>${seconds} s</b></h2><p>to check a million transactions, 15 million operations, for serializability on two cores.</p><p class="faint"><a href="docs/speed.html">How it was measured, and where others are faster</a></p></div>`;
}
