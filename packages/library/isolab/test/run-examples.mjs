/** Runs the files that are named, one after the other, and prints a line of JSON of each: what it printed, or its error. */
import { once } from 'node:events';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';

let lines = [];
Object.assign(console, { log: (...words) => void lines.push(...format(...words).split('\n')) });
for (const path of process.argv.slice(2)) {
  lines = [];
  let error = null;
  try {
    await import(pathToFileURL(path).href);
  } catch (thrown) {
    error = String(thrown?.stack ?? thrown);
  }
  if (!process.stdout.write(`${JSON.stringify({ path, lines, error })}\n`)) await once(process.stdout, 'drain');
}
