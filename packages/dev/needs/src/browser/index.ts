export {
  type Browser,
  type OpenedPage,
  type PageSettings,
  findBrowser,
  findFirefox,
  openBrowser,
  openFirefox,
} from './browser.ts';
export { type Element, all, hasClass, parse, textOf } from './markup.ts';
