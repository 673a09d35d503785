export { buildSite } from './build.ts';
export { markdownTable } from './markdown-table.ts';
