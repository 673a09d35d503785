/** Parts of the start page that the site writes and its script repeats after each edit. */

export { START_EXAMPLES } from './examples/examples.ts';
export { levelLines } from './page/level-lines.ts';
export { briefOf } from './worker/brief.ts';
