export { buildSite } from './build.ts';
export { markdownTable } from './reference/markdown-table.ts';
