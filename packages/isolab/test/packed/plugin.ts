import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Installed, root } from './installed.ts';

/** What npm says where there is no network. */
const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT|E50\d/;

const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund'];
/** Without a network, say so within seconds. */
const SOON = [
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=2000',
  '--fetch-timeout=60000',
];

export function describePlugin(installed: () => Installed): void {
  test(
    'isolab new checker: installs, passes the conformance suite, checks a history',
    { timeout: 300_000 },
    ({ skip }) => {
      const { folder, tarballs, run, isolab } = installed();
      expect(isolab('new', 'checker', 'plugged').code).toBe(0);
      const plugin = path.join(folder, 'plugged');
      const manifestFile = path.join(plugin, 'package.json');
      const manifest = readFileSync(manifestFile, 'utf8');
      // As if they were published: their versions are what isolab asks for.
      const local = manifest.replaceAll(
        /"(@isolab\/(?:checker|testkit))": "\^0\.1\.0"/g,
        (_, name: keyof typeof tarballs) => JSON.stringify({ [name]: `file:${tarballs[name]}` }).slice(1, -1),
      );
      expect(local.match(/file:/g)).toHaveLength(2);
      writeFileSync(manifestFile, local);

      const install = run('npm', [...INSTALL, ...SOON], { cwd: plugin });
      if (install.code !== 0) {
        // npm blames the dependencies if it cannot look them up, so it is asked for nothing else.
        const asked = run('npm', ['view', 'vitest', 'version', ...SOON]);
        if (asked.code !== 0 && UNREACHABLE.test(asked.err)) skip(`no registry to install vitest from: ${asked.err}`);
      }
      expect(install).toMatchObject({ code: 0 });
      const conformance = run('npm', ['test'], { cwd: plugin });
      expect(conformance).toMatchObject({ code: 0, out: expect.stringMatching(/Tests\s.*passed/) });

      symlinkSync(plugin, path.join(folder, 'node_modules/plugged')); // as npm install ./plugged does
      for (const checker of ['./plugged/checker.js', 'plugged']) {
        for (const flags of [[], ['--time', '60s'], ['--memory', '1GB']]) {
          const { code, out } = isolab('check', 'h.jsonl', '-l', 'read-committed', '--checker', checker, ...flags);
          expect(out).toContain('by plugged');
          expect(code).toBe(0);
        }
      }
      const names = 'weave,plume,./plugged/checker.js';
      expect(isolab('compare', 'h.jsonl', '-l', 'read-committed', '--checkers', names)).toMatchObject({ code: 0 });

      const options = { strict: true, module: 'nodenext', target: 'es2023', noEmit: true, types: [], checkJs: true };
      writeFileSync(
        path.join(plugin, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: options, include: ['checker.js', 'test'] }),
      );
      const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
      expect(run(process.execPath, [tsc, '-p', '.'], { cwd: plugin })).toEqual({ code: 0, out: '', err: '' });
    },
  );
}
