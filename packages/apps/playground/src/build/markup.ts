/** Markup of the page before any check. */

import { KNOWN_LEVELS } from 'isolab/skin';
import { type Level, LEVELS } from 'isolab/check';
import { ALL_FORMATS, HISTORY_FORMATS } from 'isolab/formats';
import { escapeXml } from 'isolab/stories';
import type { CheckerChoice } from '../examples/choices.ts';
import type { Example } from '../examples/examples.ts';

export const markup = (examples: readonly Example[], checkers: readonly CheckerChoice[]): string => `
<header>
<h1>isolab playground</h1>
<p>Which isolation levels does a history of transactions keep? This page checks it in your browser: <b>nothing leaves the page</b>, which has no server and can send no request.</p>
</header>
<main id="main">
<noscript><p class="bad">The page checks with a script of its own; allow it scripts.</p></noscript>
${formMarkup(examples, checkers)}
<p id="announced" role="status" class="announced"></p>
<section id="running" class="running" aria-label="Progress" hidden>
<progress id="progress" max="1" aria-label="Progress of the current stage"></progress>
<p><button type="button" id="cancel">Cancel</button> <span id="doing"></span> <span id="elapsed" class="faint"></span></p>
</section>
<section id="result" aria-labelledby="headline" hidden>
<h2 id="headline"></h2>
<p id="detail"></p>
<p id="opened" class="faint"></p>
<div id="verdict-more"></div>
<div id="lattice" class="lattice" role="group" aria-label="The levels, stronger ones above; choose one to see why" hidden></div>
<details id="counts" hidden><summary>What is in it</summary><div class="scroll" role="region" aria-label="Counts" tabindex="0"><table><tbody id="count-rows"></tbody></table></div>
<p class="convert"><label for="to">Write it as</label> <select id="to">${writtenOptions()}</select> <button type="button" id="convert">Save</button> <span id="converted" role="status" class="faint"></span></p></details>
<details id="runs" hidden><summary>What was run</summary><div class="scroll" role="region" aria-label="Runs" tabindex="0"><table><thead><tr><th scope="col">level</th><th scope="col">checker</th><th scope="col">verdict</th><th scope="col" class="number">time</th><th scope="col">stages and counters</th></tr></thead><tbody id="run-rows"></tbody></table></div></details>
<div id="told" hidden>
<p id="note" class="faint"></p>
<div class="toolbar" role="toolbar" aria-label="Keep">
<button type="button" id="whole" aria-pressed="false" title="Tell it by all transactions, not by the smallest part that violates the level">Whole history</button>
<button type="button" id="save-page">Save the page</button>
<button type="button" id="save-history">Save the history</button>
<button type="button" id="link-part">Copy a link to it</button>
<button type="button" id="copy-markdown">Copy as Markdown</button>
<button type="button" id="save-certificate">Save the certificate</button>
<span id="said" role="status" class="faint"></span>
</div>
<iframe id="story" title="The story of the verdict" hidden></iframe>
</div>
</section>
</main>
<footer>isolab checks histories with published algorithms and one of its own. The command <code>isolab check</code> takes large histories, limits memory, and runs published programs.</footer>`;

const formMarkup = (examples: readonly Example[], checkers: readonly CheckerChoice[]): string => `\
<form id="form" class="ask">
<section class="given" aria-labelledby="given-title">
<h2 id="given-title">History</h2>
<label for="text">Paste it, in any format that isolab reads, or write it in the notation</label>
<textarea id="text" rows="7" spellcheck="false" autocapitalize="off" autocomplete="off" placeholder="r(x,0) w(x,1) | r(y,0)&#10;r(x,0) w(x,2)" aria-describedby="example-note"></textarea>
<p id="chosen" class="chosen" hidden><span id="chosen-name"></span> <button type="button" id="remove">Remove</button></p>
<p class="files"><label class="button" for="file">Choose a file…</label><input type="file" id="file" multiple> <span class="faint">or drop it anywhere on this page; <code>.gz</code> too, and all the logs of a directory at once.</span></p>
<details><summary>The notation</summary>${NOTATION_HELP}</details>
</section>
<section class="setting" aria-labelledby="examples-title">
<h2 id="examples-title">Examples</h2>
<ul class="examples">${examples.map(exampleButton).join('')}</ul>
<p id="example-note" class="faint example-note"></p>
<h2 id="asked-title">Question</h2>
<div class="choices">
<label for="level">Level</label><select id="level"><option value="all">every common level</option>${levelOptions()}${OWN_OPTION}</select>
<label for="checker">Checker</label><select id="checker"><option value="auto">choose for me</option>${checkers.map(({ name, title }) => option(name, name, title)).join('')}</select>
</div>
<div id="own-part" hidden><label for="own-level">A level of your own, in the language of docs/levels.md</label>
<textarea id="own-level" rows="9" spellcheck="false" autocapitalize="off" autocomplete="off" placeholder="${escapeXml(OWN_PLACEHOLDER)}"></textarea>
<div class="choices"><label for="own-from">Begin with</label><select id="own-from"><option value="">the file of a level…</option>${allLevelOptions('')}</select></div>
<details><summary>The language</summary>${LANGUAGE_HELP}</details></div>
<details id="more"><summary>More settings</summary><div class="choices">
<label for="format">Format</label><select id="format"><option value="auto">by its content</option>${formatOptions()}</select>
<label for="variant">Variant</label><select id="variant"></select>
<label for="options">Options</label><div><input id="options" type="text" spellcheck="false" autocapitalize="off" autocomplete="off" placeholder="name=value" aria-describedby="options-help"><dl id="options-help" class="faint options" hidden></dl></div>
<label for="time">Time limit</label><input id="time" type="text" placeholder="none, or 500ms, 60s, 10m" autocomplete="off">
<label for="steps">Limit of steps</label><input id="steps" type="text" inputmode="numeric" placeholder="none, or a number" autocomplete="off">
<label for="failed-statements">Failed statements</label><select id="failed-statements"><option value="published">count in a committed transaction</option><option value="rollback">undo their transaction</option></select>
<label for="initial-transaction">Initial transaction</label><select id="initial-transaction"><option value="stated">as the file states</option><option value="first">the first one</option><option value="ordinary">none</option></select>
</div>
<ul class="switches">
<li><label><input type="checkbox" id="find-all"> Find every kind of anomaly, with counts</label></li>
<li><label><input type="checkbox" id="allow-vacuous"> A level is satisfied even if nothing could have violated it</label></li>
<li><label><input type="checkbox" id="allow-cut-off"> A level is satisfied even if the history was cut off</label></li>
</ul></details>
<p class="actions"><button type="submit" id="check" class="main">Check</button> <button type="button" id="compare">Ask every checker</button> <button type="button" id="copy-link" title="The link holds the history and these settings, and opens with the verdict.">Copy a link</button></p>
<p id="link-note" role="status" class="faint link-note"></p>
<details id="verify-part"><summary>Verify a certificate</summary>
<label for="certificate">Paste a certificate of this history, or choose its file</label>
<textarea id="certificate" rows="3" spellcheck="false" autocapitalize="off" autocomplete="off" placeholder="{&quot;isolab&quot;:&quot;certificate&quot;, …}"></textarea>
<p class="files"><label class="button" for="certificate-file">Choose a file…</label><input type="file" id="certificate-file"> <button type="button" id="verify">Verify</button></p></details>
<details id="levels-part"><summary>Compare two levels</summary><div class="choices">
<label for="first-level">First</label><select id="first-level">${allLevelOptions('serializable')}${OWN_OPTION}</select>
<label for="second-level">Second</label><select id="second-level">${allLevelOptions('snapshot-isolation')}${OWN_OPTION}</select>
</div><p class="actions"><button type="button" id="compare-levels">Find histories that distinguish them</button></p></details>
</section>
</form>`;

/** The user writes the text of the level `own` below the question. */
const OWN_OPTION = '<option value="own">a level of your own…</option>';

const OWN_PLACEHOLDER = `level my-level
title "My level"
summary "The promise of the level, in a sentence."
acyclic so | wr | ww`;

const option = (value: string, text: string, title: string): string =>
  `<option value="${escapeXml(value)}" title="${escapeXml(title)}">${escapeXml(text)}</option>`;

const levelOption = ({ name, summary }: Level): string => option(name, name, summary);

/** Lists levels of the lattice first, then those that their axioms decide. */
const levelOptions = (): string => {
  const others = KNOWN_LEVELS.filter(({ name }) => LEVELS.every((level) => level.name !== name));
  return `<optgroup label="common levels">${LEVELS.toReversed().map(levelOption).join('')}</optgroup><optgroup label="more levels">${others.toReversed().map(levelOption).join('')}</optgroup>`;
};

const allLevelOptions = (selected: string): string =>
  KNOWN_LEVELS.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(levelOption)
    .join('')
    .replace(`value="${selected}"`, '$& selected');

const writtenOptions = (): string =>
  HISTORY_FORMATS.filter(({ writer }) => writer !== undefined)
    .map(({ name, title }) => option(name, name, title))
    .join('');

const formatOptions = (): string => ALL_FORMATS.map(({ name, title }) => option(name, name, title)).join('');

const exampleButton = ({ title, note }: Example, i: number): string =>
  `<li><button type="button" data-example="${i}" title="${escapeXml(note)}">${escapeXml(title)}</button></li>`;

const NOTATION_HELP = `
<p>One line per session; <code>|</code> between its transactions; <code>!</code> before an aborted transaction and <code>?</code> before one of unknown outcome; <code>@3-7</code> after one that was called at 3 and returned at 7. Every key is initially 0 (or nil, or the empty list).</p>
<ul>
<li><code>w(x,1)</code> a write, <code>r(x,1)</code> a read that returned 1, <code>r(x,nil)</code> a read that found no value; every key is initially 0, or has the value in a first line such as <code>initial nil</code></li>
<li><code>a(x,1)</code> an append, <code>r(x,[1 2])</code> a read of a list</li>
<li><code>inc(n,1)</code> an increment of a counter</li>
<li><code>cas(x,1,2)</code> a compare-and-set, <code>cas!(x,1,2)</code> one that failed</li>
<li><code>ins(x,nil,1)</code> an insert, <code>del(x,1,9)</code> a delete that leaves 9, <code>range(a,c,a=1 b=2)</code> a range read</li>
<li><code>put(t/1, {on: true})</code> a write of a row of a table, <code>put(t/1, nil)</code> its deletion, <code>get(t/1, {on: true})</code> a read of it, with its result, <code>scan(t, on = true, {1: {on: true}})</code> all rows that match an SQL condition, <code>count(t, on = true, 1)</code> their number</li>
</ul>`;

const LANGUAGE_HELP = `
<p>One axiom per line: <code>acyclic E</code>, <code>irreflexive E</code>, <code>empty E</code>, <code>co contains E</code>, or <code>if t2 E t3 then t2 before t1</code>, where t3 reads from t1 a key that t2 writes, too. <code>let name = E</code> names a part, <code>implies</code> and <code>includes</code> name another level, and <code>#</code> begins a comment.</p>
<ul>
<li><code>so</code> earlier in its session, <code>rt</code> earlier in real time, <code>co</code> earlier in the commit order</li>
<li><code>wr</code> from a writer to its reader, <code>ww</code> to the writer of the next version, <code>rw</code> from a reader to the overwriter</li>
<li><code>|</code> either, <code>&amp;</code> both, <code>\\</code> the first and not the second, <code>;</code> one after the other, <code>+</code> once or more, <code>*</code> zero or more times, <code>?</code> at most once, <code>^-1</code> the inverse</li>
</ul>`;
