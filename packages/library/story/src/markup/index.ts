export { BASE_STYLE, type Column, htmlPage, htmlTable } from './page.ts';
export {
  codeMarkdown,
  csvField,
  elided,
  escapeMarkdown,
  escapeXml,
  fencedMarkdown,
  grouped,
  jsonForScript,
  markdownRow,
  plural,
} from './text.ts';
