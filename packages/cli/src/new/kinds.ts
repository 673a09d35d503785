import { driver } from './driver.ts';
import type { PluginKind } from './kind.ts';

/** What `isolab new` begins as one file. To add a kind, write its file here and its template, and name it. */
export const KINDS: readonly PluginKind[] = [driver];
