// Slow: packs every package, installs the tarballs, and runs them with every version of Node.
import { afterAll, beforeAll, describe } from 'vitest';
import { describeCi } from './packed/ci.ts';
import { describeCommands, describeLibrary } from './packed/commands.ts';
import { type Installed, packAndInstall } from './packed/installed.ts';
import { describeNodes } from './packed/nodes.ts';
import { describeFiles, describePlugin } from './packed/plugin.ts';
import { describeWritten } from './packed/written.ts';

let installed: Installed;
beforeAll(() => {
  installed = packAndInstall();
});
afterAll(() => installed?.remove(), 60_000);

describe('the command, installed from its tarball', () => {
  describeCommands(() => installed);
});
describe('the library, installed from its tarball', () => {
  describeLibrary(() => installed);
});
describe('every version of Node that is supported', () => {
  describeNodes(() => installed);
});
describe('a plug-in', () => {
  describePlugin(() => installed);
});
describe('a plug-in in one file', () => {
  describeFiles(() => installed);
});
describe('docs/ci.md', () => {
  describeCi(() => installed);
});
describe('files that commands write for their users to run', () => {
  describeWritten(() => installed);
});
