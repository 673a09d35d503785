import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser as Program, chromium, firefox, type Page } from 'playwright-core';

/** Names of the Chromium builds of Debian, Google and Microsoft. */
const PROGRAMS = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'microsoft-edge',
];

/** Names of the Firefox builds of Debian and Mozilla. */
const FIREFOXES = ['firefox-esr', 'firefox'];

export interface PageSettings {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
}

export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts, errors written to the console, and every request to another machine (all are blocked). */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export interface Browser {
  open(address: URL | string, settings?: PageSettings): Promise<OpenedPage>;
  close(): Promise<void>;
}

/**
 * Finds a Chromium on this machine: ISOLAB_BROWSER, or the first on the PATH. Without one, tests of pages are skipped.
 */
export function findBrowser(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment['ISOLAB_BROWSER'] ?? firstOnPath(PROGRAMS, environment);
}

/** Finds a Firefox on this machine: ISOLAB_FIREFOX, or the first on the PATH. */
export function findFirefox(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  return environment['ISOLAB_FIREFOX'] ?? firstOnPath(FIREFOXES, environment);
}

function firstOnPath(names: readonly string[], environment: NodeJS.ProcessEnv): string | undefined {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function isElsewhere({ protocol, hostname }: URL): boolean {
  return /^(http|ws)s?:$/.test(protocol) && hostname !== 'localhost' && !hostname.startsWith('127.');
}

export async function openBrowser(program: string): Promise<Browser> {
  // Chromium's sandbox refuses to run as root, which tests in containers do; the pages are our own.
  return pagesOf(await chromium.launch({ executablePath: program, args: ['--no-sandbox'] }));
}

/** Opens Firefox, as Mozilla or Debian builds it, through WebDriver BiDi; its colour scheme is set at the start. */
export async function openFirefox(program: string, { dark = false } = {}): Promise<Browser> {
  const firefoxUserPrefs = { 'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1 };
  return pagesOf(await firefox.launch({ channel: 'moz-firefox', executablePath: program, firefoxUserPrefs }));
}

function pagesOf(browser: Program): Browser {
  return {
    async open(address, { width = 1280, height = 800, dark = false } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
      });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(`script: ${error.message}`));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
      });
      await context.route(isElsewhere, (route) => {
        complaints.push(`request: ${route.request().url()}`);
        return route.abort();
      });
      await page.goto(String(address));
      return { page, complaints, close: () => context.close() };
    },
    close: () => browser.close(),
  };
}
