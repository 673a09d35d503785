import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { escapeXml } from '@isolab/story/markup';
import { playgroundPage } from '@isolab/playground';
import { type Repository, type Target, linkTo, sourceAddress, targetOf } from './links.ts';
import { type Rendered, codeBlock, renderMarkdown } from './markdown.ts';
import { MENU, PLAYGROUND, siteAddress } from './pages.ts';
import { PAGE_SCRIPT, searchScript } from './search.ts';
import { SCRIPT_FILE, SEARCH_FILE, STYLE_FILE, page, styleSheet } from './shell.ts';

export interface Built {
  readonly pages: number;
  /** Links without a target: the page, the link, and the missing target. */
  readonly broken: readonly string[];
}

/** Builds the site of a checkout into a folder. */
export async function buildSite(root: string, out: string, address: string | null): Promise<Built> {
  const repository = { ...filesOf(root), address };
  const builder = new Builder(root, out, repository);
  for (const path of repository.files) if (path.endsWith('.md') && !isTemplate(path)) builder.addPage(path);
  builder.write(PLAYGROUND, await playgroundPage());
  return builder.finish();
}

/** Files that `isolab new` copies, which are no pages of ours. */
const isTemplate = (path: string): boolean => path.includes('/template/');

/** The files that git tracks, and the folders that they lie in. */
function filesOf(root: string): Pick<Repository, 'files' | 'folders'> {
  const listed = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const files = new Set(listed.split('\0').filter((path) => path !== ''));
  const folders = new Set<string>();
  for (const path of files)
    for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) folders.add(folder);
  return { files, folders };
}

class Builder {
  readonly #root: string;
  readonly #out: string;
  readonly #repository: Repository;
  readonly #pages = new Map<string, Rendered>();
  readonly #files = new Set<string>();
  readonly #sources = new Set<string>();
  readonly #anchors: { readonly from: string; readonly path: string; readonly anchor: string }[] = [];
  readonly #broken: string[] = [];

  constructor(root: string, out: string, repository: Repository) {
    this.#root = root;
    this.#out = out;
    this.#repository = repository;
  }

  addPage(path: string): void {
    const markdown = readFileSync(join(this.#root, path), 'utf8');
    const rendered = renderMarkdown(markdown, (link) => this.#follow(link, path));
    this.#pages.set(path, rendered);
    const { html, headings } = rendered;
    const address = siteAddress(path);
    const title = rendered.title === '' ? path : rendered.title;
    this.write(address, page({ title, address, html, headings }));
  }

  /** Where a link of a page leads in the site; notes what has to be there. */
  #follow(link: string, from: string): string | null {
    const target = targetOf(link, from, this.#repository);
    if (target.kind === 'missing') this.#broken.push(`${from}: ${link}: there is no ${target.path}`);
    if (target.kind === 'page' && target.anchor !== '') this.#anchors.push({ from, ...target });
    this.#require(target);
    return linkTo(target, siteAddress(from), this.#repository);
  }

  #require(target: Target): void {
    if (target.kind === 'file') this.#files.add(target.path);
    if (target.kind === 'source') this.#sources.add(target.path);
  }

  finish(): Built {
    for (const { from, path, anchor } of this.#anchors)
      if (!this.#hasAnchor(path, anchor)) this.#broken.push(`${from}: ${path} has no heading #${anchor}`);
    for (const { path } of MENU.flatMap(({ entries }) => entries))
      if (path !== PLAYGROUND && !this.#pages.has(path)) this.#broken.push(`menu: there is no ${path}`);
    for (const path of this.#files) this.#copy(path);
    for (const path of this.#sources) this.#writeSource(path);
    const inMenu = new Set(MENU.flatMap(({ entries }) => entries.map(({ path }) => path)));
    const indexed = [...this.#pages].map(([path, { title, sections }]) => ({
      title: title === '' ? path : title,
      address: siteAddress(path),
      sections,
      isMain: inMenu.has(path),
    }));
    this.write(STYLE_FILE, styleSheet());
    this.write(SCRIPT_FILE, PAGE_SCRIPT);
    this.write(SEARCH_FILE, searchScript(indexed));
    return { pages: this.#pages.size, broken: this.#broken };
  }

  #hasAnchor(path: string, anchor: string): boolean {
    return this.#pages.get(path)?.html.includes(`id="${anchor}"`) === true;
  }

  #copy(path: string): void {
    const to = join(this.#out, path);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(this.#root, path), to);
  }

  #writeSource(path: string): void {
    const bytes = readFileSync(join(this.#root, path));
    const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
    const address = sourceAddress(path);
    // Browsers take seconds to lay out a page of megabytes.
    const isShort = text.length <= MOST_SHOWN;
    const shown = isShort ? text : text.slice(0, text.lastIndexOf('\n', MOST_SHOWN) + 1);
    if (!isShort) this.#copy(path);
    const whole = `${'../'.repeat(address.split('/').length - 1)}${path}`;
    const note = isShort
      ? ''
      : `<p>The beginning, ${Math.round(shown.length / 1000)} of ${Math.round(text.length / 1000)} kB; <a href="${escapeXml(encodeURI(whole))}">the whole file</a>.</p>\n`;
    const html = `<h1>${escapeXml(path)}</h1>\n${note}${codeBlock(shown)}`;
    this.write(address, page({ title: path, address, html, headings: [] }));
  }

  write(address: string, text: string): void {
    const to = join(this.#out, address);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
}

/** Characters of a source file that its page shows. */
const MOST_SHOWN = 200_000;
