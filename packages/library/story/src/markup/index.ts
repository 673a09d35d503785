export { capitalised, grouped, plural } from '@isolab/history';
export { BASE_STYLE, type Column, htmlPage, htmlTable } from './page.ts';
export {
  codeMarkdown,
  csvField,
  elided,
  escapeMarkdown,
  escapeXml,
  fencedMarkdown,
  jsonForScript,
  markdownRow,
} from './text.ts';
