import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { unless } from '@isolab/needs';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Engine } from '../src/engine/engine.ts';
import { findEngine, get, start } from '../src/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-programs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The tools are scripts here, which note their arguments and make the files of the real ones. */
describe('a driver program', unless('posix'), () => {
  const bin = join(folder, 'bin');
  const asked = join(folder, 'asked');
  const cache = (): string => join(process.env['ISOLAB_CACHE']!, 'engines');

  beforeEach(() => {
    mkdirSync(bin, { recursive: true });
    vi.stubEnv('ISOLAB_CACHE', mkdtempSync(join(folder, 'cache-')));
    vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH']}`);
    rmSync(asked, { force: true });
    writeFileSync(join(folder, 'library.jar'), 'a library');
    tool('java', '');
    tool('javac', '');
    tool(
      'mvn',
      `folder=$(sed -n 's|.*<outputDirectory>\\(.*\\)</outputDirectory>.*|\\1|p' pom.xml); mkdir -p "$folder"
sed -n 's|.*<artifactId>\\(.*\\)</artifactId><version>\\(.*\\)</version></artifactItem>|\\1-\\2.jar|p' pom.xml |
while read -r jar; do cp '${folder}/library.jar' "$folder/$jar"; done`,
    );
    tool('go', `while [ "$1" != -o ]; do shift; done; echo '#!/bin/sh' > "$2"`);
    tool('cargo', 'mkdir -p "$CARGO_TARGET_DIR/release"; echo > "$CARGO_TARGET_DIR/release/isolab-engine"');
  });
  afterEach(() => vi.unstubAllEnvs());

  function tool(name: string, script: string): void {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >> '${asked}'\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }

  const java = (sha256 = createHash('sha256').update('a library').digest('hex')): Engine => ({
    ...findEngine('h2@2.4.240'),
    origin: { kind: 'java', jars: [{ artifact: 'org.example:library:1.0', sha256 }] },
  });

  test('a driver program in Java is compiled beside the jars that it needs', async () => {
    const found = await get(java());
    expect(existsSync(join(found, 'library-1.0.jar'))).toBe(true);
    expect(readFileSync(asked, 'utf8')).toMatch(/^mvn .*\njavac -d .*Main\.java/);
  });

  test('a driver program in Java has native libraries of a wheel and of Debian packages beside it', async () => {
    tool('python3', 'while [ "$1" != --target ]; do shift; done; echo > "$2/wheel.so"');
    tool('apt-get', 'echo > lib.deb');
    tool('dpkg', 'echo > "$3/debian.so"');
    const packages = [{ name: 'lib', version: '1', sha256: createHash('sha256').update('\n').digest('hex') }];
    const { origin } = java();
    const found = await get({
      ...java(),
      origin: { ...origin, natives: { wheels: 'firebird.txt', packages } } as never,
    });
    expect(existsSync(join(found, 'wheel.so')) && existsSync(join(found, 'debian.so'))).toBe(true);
    expect(readFileSync(asked, 'utf8')).toMatch(
      /^python3 -m pip .*--require-hashes -r firebird\.txt\napt-get download lib=1$/m,
    );
  });

  test('in Java is refused where a jar is another one, before anything is run', async () => {
    await expect(get(java('0'.repeat(64)))).rejects.toThrow(
      /library-1\.0\.jar of org\.example:library:1\.0 has the checksum [0-9a-f]{64}, expected 0{64}\. isolab does not run it/,
    );
    expect(readFileSync(asked, 'utf8')).not.toContain('javac');
  });

  test('in Go is built with its tag and its checksums, once for the sources that there are', async () => {
    const engine = findEngine('bbolt@1.5.0');
    const found = await get(engine);
    expect(found).toMatch(/bbolt@1\.5\.0-[0-9a-f]{12}$/);
    expect(existsSync(join(found, 'isolab-engine'))).toBe(true);
    expect(await get(engine)).toBe(found);
    expect(readFileSync(asked, 'utf8').match(/^go build -mod=readonly .*-tags bbolt /gm)).toHaveLength(1);
  });

  test('a driver program in Rust is built with its feature and its lock file; a long step is announced', async () => {
    const said: string[] = [];
    const before = join(folder, 'built-before');
    writeFileSync(before, '');
    tool(
      'cargo',
      `[ src/main.rs -nt ${before} ] || exit 1; ` +
        'printf "\\033[0m\\n\\033[1m   Compiling fjall v2\\033[0m\\n" >&2; mkdir -p "$CARGO_TARGET_DIR/release"; echo > "$CARGO_TARGET_DIR/release/isolab-engine"',
    );
    await get(findEngine('fjall@2.11.2'), undefined, (line) => void said.push(line));
    expect(readFileSync(asked, 'utf8')).toContain('cargo build --release --locked --features fjall-2');
    expect(said).toEqual([
      'fjall@2.11.2 is built once, with cargo. This takes a few minutes.',
      '   Compiling fjall v2',
    ]);
  });

  test('a driver program that does not build leaves nothing, and the compiler’s words are said', async () => {
    tool('cargo', 'echo "error[E0432]: unresolved import" >&2; exit 101');
    await expect(get(findEngine('fjall@2.11.2'))).rejects.toThrow('cargo failed: error[E0432]: unresolved import');
    await expect(get(findEngine('fjall@2.11.2'))).rejects.toThrow('fjall@2.11.2 cannot be fetched');
    expect(existsSync(join(cache(), '.rust', 'release'))).toBe(false);
  });

  test.each([
    ['fjall@2.11.2', 'fjall@2.11.2 needs cargo, which is not installed'],
    ['badger@4.9.6', 'badger@4.9.6 needs go, which is not installed'],
    ['h2@2.4.240', 'h2@2.4.240 needs mvn and javac and java, which are not installed'],
  ])('a driver program names the tool that is missing: %s', async (name, message) => {
    vi.stubEnv('PATH', join(folder, 'empty'));
    await expect(get(findEngine(name))).rejects.toThrow(message);
  });

  test('a driver program is started on a folder of its own, with the options of its address or isolab’s', async () => {
    const engine = { ...java(), name: 'hsqldb', options: findEngine('hsqldb@2.7.4').options };
    const running = await start(engine, { tx: 'mvcc' });
    const [address] = running.addresses;
    expect(address).toMatch(
      /^exec:cd '(.*)' && echo \$\$ >>'processes' && exec 'java' .* '-Djava\.io\.tmpdir=\1' .* 'Main' 'h2' '\1\/data' 'title=H2 2\.4\.240' 'tx=mvcc' 'storage=memory'$/,
    );
    const [, data = ''] = /'([^']*\/data)'/.exec(address!)!;
    expect(existsSync(data)).toBe(true);
    await running.end();
    expect(existsSync(data)).toBe(false);
  });
});
