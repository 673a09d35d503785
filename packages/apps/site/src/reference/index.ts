/**
 * Parts of pages that are generated for the site alone, from the sources. A page has the line `<!-- site:NAME -->` for
 * each.
 */
import { anomalyReference } from './anomalies.ts';
import { apiReference } from './api.ts';
import { bibtexReference } from './bibtex.ts';
import { commandReference } from './commands.ts';
import { engineReference, errorReference } from './engines.ts';
import type { Picture } from './gallery-entry.ts';
import { gallery } from './gallery.ts';
import { litmusReference } from './litmus.ts';
import { toolReference } from './tools.ts';

export interface References {
  /** Markdown text of each part, by name. */
  readonly parts: Readonly<Record<string, string>>;
  /** Pictures of the parts, below docs/. */
  readonly pictures: readonly Picture[];
}

/** Makes all references; `datasets` is the folder of real histories, for pictures of the bugs of real databases. */
export async function references(datasets: string | undefined): Promise<References> {
  const { text, pictures } = await gallery(datasets);
  const anomalies = await anomalyReference();
  const parts = {
    anomalies: anomalies.text,
    api: apiReference(),
    bibtex: bibtexReference(),
    commands: commandReference(),
    engines: engineReference(),
    errors: errorReference(),
    gallery: text,
    litmus: litmusReference(),
    tools: toolReference(),
  };
  return { parts, pictures: [...pictures, ...anomalies.pictures] };
}
