export { findBrowser, openBrowser, type Browser, type OpenedPage, type PageSettings } from './browser.ts';
