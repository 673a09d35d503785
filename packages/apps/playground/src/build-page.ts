/** Builds the page: scripts, style and markup in one file. */

import { htmlPage, jsonForScript } from 'isolab/stories';
import { builtInText } from 'isolab/levels';
import { KNOWN_LEVELS } from 'isolab/skin';
import { bundle } from './build/bundle.ts';
import { LISTEN, WORKER } from './in-process.ts';
import { markup } from './build/markup.ts';
import { STYLE } from './build/style.ts';
import { checkerChoices } from './examples/choices.ts';
import { EXAMPLES } from './examples/examples.ts';

export async function buildPage(): Promise<string> {
  const script = await bundle('../page/page');
  const worker = await workerCode();
  if (/<\/script|<!--/i.test(script)) throw new Error('The script of the page contains text that would end it.');
  const shown = EXAMPLES;
  const checkers = await checkerChoices();
  const data = `${dataElement('examples', shown)}${dataElement('checker-choices', checkers)}${dataElement('level-texts', levelTexts())}${dataElement('worker-code', worker)}`;
  const page = htmlPage({
    title: 'isolab playground',
    body: `${markup(shown, checkers)}\n${data}`,
    style: STYLE,
    script,
  });
  return allowingWorker(page);
}

/** Builds the script of the start page, which contains its worker. */
export async function buildStartScript(): Promise<string> {
  return `window.isolabWorker=${jsonForScript(await workerCode())};\n${await bundle('../page/start')}`;
}

const workerCode = async (): Promise<string> => `${await bundle('../worker/worker', WORKER)}${LISTEN}`;

/** Files of all levels, as templates for new ones; their names are reserved. */
const levelTexts = (): Record<string, string> =>
  Object.fromEntries(
    KNOWN_LEVELS.map(({ name }) => [
      name,
      builtInText(name)
        .replace(`level ${name}`, `level my-${name}`)
        .replace(/^also .*\n/m, ''),
    ]),
  );

/** Data for the page's script; inside, `</script>` and `<!--` would end or change it. */
const dataElement = (id: string, data: unknown): string =>
  `<script type="application/json" id="${id}">${jsonForScript(data)}</script>\n`;

/** Pages forbid all but their own scripts and styles; this page also starts the worker that it contains. */
function allowingWorker(page: string): string {
  const nothing = "default-src 'none';";
  if (!page.includes(nothing)) throw new Error('The page has no policy that forbids loading.');
  return page.replace(nothing, `${nothing} worker-src blob:;`);
}
