export { findBrowser, openBrowser, type Browser, type OpenedPage, type PageSettings } from './browser.ts';
export { type Element, all, hasClass, parse, textOf } from './markup.ts';
