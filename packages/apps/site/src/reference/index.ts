/**
 * Parts of pages that are generated for the site alone, from the sources. A page has the line `<!-- site:NAME -->` for
 * each.
 */
import { apiReference } from './api.ts';
import { bibtexReference } from './bibtex.ts';
import { commandReference } from './commands.ts';
import { engineReference, errorReference } from './engines.ts';
import { type ExplainedPage, explainedPages } from './explained.ts';
import type { Picture } from './gallery-entry.ts';
import { gallery } from './gallery.ts';
import { toolReference } from './tools.ts';

export interface References {
  /** Markdown text of each part, by name. */
  readonly parts: Readonly<Record<string, string>>;
  /** Pictures of the parts, below docs/. */
  readonly pictures: readonly Picture[];
  /** Pages that only the site has. */
  readonly pages: readonly ExplainedPage[];
}

/** Makes all references; `datasets` is the folder of real histories, for pictures of the bugs of real databases. */
export async function references(datasets: string | undefined): Promise<References> {
  const { text, pictures } = await gallery(datasets);
  const { table, pages, pictures: drawn } = await explainedPages();
  const parts = {
    anomalies: table,
    api: apiReference(),
    bibtex: bibtexReference(),
    commands: commandReference(),
    engines: engineReference(),
    errors: errorReference(),
    gallery: text,
    tools: toolReference(),
  };
  return { parts, pictures: [...pictures, ...drawn], pages };
}
