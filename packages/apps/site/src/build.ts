import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { playgroundPage, startScript } from '@isolab/playground';
import { type Repository, type Target, linkTo, narrowName, relative, sourceAddress, targetOf } from './links.ts';
import { type Rendered, renderMarkdown } from './markdown.ts';
import { MENU, PLAYGROUND, siteAddress } from './pages.ts';
import { narrowFigures } from './reference/figures.ts';
import { type References, references } from './reference/index.ts';
import { PAGE_SCRIPT, searchScript } from './search.ts';
import {
  CARD_FILE,
  MARK,
  MARK_FILE,
  SCRIPT_FILE,
  SEARCH_FILE,
  START_FILE,
  STYLE_FILE,
  page,
  styleSheet,
} from './shell.ts';
import { startPage } from './start.ts';

export interface Built {
  readonly pages: number;
  /** Links without a target: the page, the link, and the missing target. */
  readonly broken: readonly string[];
}

export interface Site {
  /** Folder of the checkout. */
  readonly root: string;
  readonly out: string;
  /** Address of the repository, for links to folders without a page. */
  readonly address: string | null;
  /** Folder of the real histories, for pictures of the gallery. */
  readonly datasets: string | undefined;
}

/** Builds the site of a checkout into a folder. */
export async function buildSite({ root, out, address, datasets }: Site): Promise<Built> {
  const { parts, pictures, pages } = await references(datasets);
  const { files, folders } = filesOf(root);
  const made = [
    ...pictures.map(({ path, content }) => ({ path: `docs/${path}`, content })),
    ...(await narrowFigures(root)).map(({ path, content }) => ({ path: narrowName(path), content })),
  ];
  for (const { path } of [...made, ...pages]) files.add(path);
  files.add(PLAYGROUND);
  made.push({ path: PLAYGROUND, content: withWayHome(await playgroundPage()) });
  const repository = { files, folders, address };
  const builder = new Builder(root, out, repository, { parts, pictures: made, pages });
  for (const path of files) if (path.endsWith('.md') && !isNoPage(path)) builder.addPage(path);
  await builder.addStart();
  return builder.finish();
}

/** Adds a link to the start page, which the page alone does not have. */
function withWayHome(html: string): string {
  const [before, after] = html.split('<h1>isolab playground</h1>');
  if (before === undefined || after === undefined) throw new Error('The playground has no heading.');
  return `${before}<p><a href="index.html">isolab</a> · <a href="docs/gallery.html">Gallery</a> · <a href="docs/anomalies.html">Anomalies</a></p>\n<h1>Playground</h1>${after}`;
}

/** Page with which the site begins. */
const START = 'README.md';

/** Files that `isolab new` copies, and the parts of the next changelog, which are not pages of the site. */
const isNoPage = (path: string): boolean => path.includes('/template/') || path.startsWith('.changes/');

/** Files that git tracks, and their folders. */
function filesOf(root: string): { readonly files: Set<string>; readonly folders: Set<string> } {
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
  readonly #parts: References['parts'];
  /** Generated files of the site, which the checkout lacks. */
  readonly #made: ReadonlyMap<string, string>;
  readonly #explained: References['pages'];
  /** Path of the page of an anomaly or a level, by its names in small letters. */
  readonly #named: ReadonlyMap<string, string>;
  readonly #pages = new Map<string, Rendered>();
  readonly #files = new Set<string>();
  readonly #sources = new Set<string>();
  readonly #anchors: { readonly from: string; readonly path: string; readonly anchor: string }[] = [];
  readonly #broken: string[] = [];

  constructor(root: string, out: string, repository: Repository, { parts, pictures, pages }: References) {
    this.#root = root;
    this.#out = out;
    this.#repository = repository;
    this.#parts = parts;
    this.#made = new Map([
      ...pictures.map(({ path, content }) => [path, content] as const),
      ...pages.map(({ path, markdown }) => [path, markdown] as const),
    ]);
    this.#explained = pages;
    this.#named = new Map(pages.flatMap(({ path, names }) => names.map((name) => [name.toLowerCase(), path])));
  }

  addPage(path: string): void {
    const markdown = (this.#made.get(path) ?? readFileSync(join(this.#root, path), 'utf8')).replaceAll(
      /^<!-- site:(\w+) -->$/gm,
      (_, name: string) => {
        const part = this.#parts[name];
        if (part === undefined) this.#broken.push(`${path}: there is no part ${name}`);
        return part ?? '';
      },
    );
    const rendered = renderMarkdown(markdown, (link) => this.#follow(link, path), {
      hasNarrow: (link) => this.#hasFile(narrowName(link), path),
      pageOf: (name) => this.#pageOf(name, path),
    });
    this.#pages.set(path, rendered);
    const title = rendered.title === '' ? path : rendered.title;
    if (path !== START) this.#writePage(path, { ...rendered, title });
  }

  /** Writes the start page, which has parts of other pages. */
  async addStart(): Promise<void> {
    const read = (path: string): string => readFileSync(join(this.#root, path), 'utf8');
    const render = (markdown: string, path: string): string =>
      renderMarkdown(markdown, (link) => this.#follow(link, path, START), {
        pageOf: (name) => this.#pageOf(name, START),
      }).html;
    const rendered = this.#pages.get(START)!;
    const [board, speed] = [read('reports/field/README.md'), read('docs/speed.md')];
    const html = await startPage({ readme: rendered.html, render, board, speed });
    this.#writePage(START, { ...rendered, html });
    this.write(START_FILE, await startScript());
    this.write(MARK_FILE, MARK);
    copyFileSync(new URL('../card.png', import.meta.url), join(this.#out, CARD_FILE));
  }

  #writePage(path: string, { title, html, headings, sections }: Rendered): void {
    const about = sections.find(({ text }) => text !== '')?.text ?? title;
    const address = siteAddress(path);
    this.write(address, page({ title, address, html, headings, about, site: this.#repository.address }));
  }

  /** Finds the target of a page's link in the site; records that it must exist. */
  #follow(link: string, from: string, on = from): string | null {
    const target = targetOf(link, from, this.#repository);
    if (target.kind === 'missing') this.#broken.push(`${from}: ${link}: there is no page or file ${target.path}`);
    if (target.kind === 'page' && target.anchor !== '') this.#anchors.push({ from, ...target });
    this.#require(target);
    return linkTo(target, siteAddress(on), this.#repository);
  }

  /** Links a name of an anomaly or a level to its page. */
  #pageOf(name: string, from: string): string | null {
    const path = this.#named.get(name.toLowerCase());
    return path === undefined || path === from ? null : relative(siteAddress(from), siteAddress(path));
  }

  #hasFile(link: string, from: string): boolean {
    return targetOf(link, from, this.#repository).kind === 'file';
  }

  #require(target: Target): void {
    if (target.kind === 'file') this.#files.add(target.path);
    if (target.kind === 'source') this.#sources.add(target.path);
  }

  finish(): Built {
    for (const { from, path, anchor } of this.#anchors)
      if (!this.#hasAnchor(path, anchor)) this.#broken.push(`${from}: ${path} has no heading #${anchor}`);
    for (const { path } of MENU.flatMap(({ entries }) => entries))
      if (path !== PLAYGROUND && !this.#pages.has(path)) this.#broken.push(`menu: there is no page ${path}`);
    for (const path of [...this.#files, PLAYGROUND]) this.#copy(path);
    for (const path of this.#sources) this.#writeSource(path);
    const inMenu = new Map(MENU.flatMap(({ entries }) => entries.map(({ path, asked = '' }) => [path, asked])));
    const names = new Map(this.#explained.map((each) => [each.path, [...each.names, ...each.aliases]]));
    const indexed = [...this.#pages].map(([path, { title, sections }]) => ({
      title: title === '' ? path : title,
      address: siteAddress(path),
      sections,
      isMain: inMenu.has(path) || names.has(path),
      asked: inMenu.get(path) ?? '',
      names: names.get(path) ?? [],
    }));
    indexed.push({
      title: 'Playground',
      address: PLAYGROUND,
      sections: [{ heading: 'Playground', id: '', text: 'Check a history in your browser; nothing leaves the page.' }],
      isMain: true,
      asked: inMenu.get(PLAYGROUND) ?? '',
      names: [],
    });
    this.write(STYLE_FILE, styleSheet());
    this.write(SCRIPT_FILE, PAGE_SCRIPT);
    this.write(SEARCH_FILE, searchScript(indexed));
    return { pages: this.#pages.size, broken: this.#broken };
  }

  #hasAnchor(path: string, anchor: string): boolean {
    return this.#pages.get(path)?.html.includes(`id="${anchor}"`) === true;
  }

  #copy(path: string): void {
    const [to, made] = [join(this.#out, path), this.#made.get(path)];
    if (made !== undefined) return this.write(path, made);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(this.#root, path), to);
  }

  #writeSource(path: string): void {
    const bytes = readFileSync(join(this.#root, path));
    this.write(sourceAddress(path), (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
  }

  write(address: string, text: string): void {
    const to = join(this.#out, address);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, text);
  }
}
