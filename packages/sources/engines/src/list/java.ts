import type { Engine, Isolation, Jar, JavaOrigin, Options, Violation } from '../engine/engine.ts';
import { deb } from './debian.ts';
import { throughProgram } from './driver-program.ts';

export const GSON: Jar = {
  artifact: 'com.google.code.gson:gson:2.11.0',
  sha256: '57928d6e5a6edeb2abd3770a8f95ba44dce45f3b23b7a9dc2b309c581552a78b',
};

const release = (
  name: string,
  version: string,
  title: string,
  jars: readonly Jar[],
  isolations: readonly Isolation[],
  documentation: string,
  choices: NonNullable<Options['choices']>,
  violations: readonly Violation[] = [],
  more: Pick<JavaOrigin, 'store' | 'natives'> = {},
): Engine =>
  throughProgram({
    name,
    version,
    title,
    isolations,
    origin: { kind: 'java', jars: [GSON, ...jars], ...more },
    needs: ['mvn', 'javac', 'java', ...(more.natives ? ['python3', 'apt-get', 'dpkg'] : [])],
    ...(more.natives && { platforms: ['linux-x64'] }),
    runs: { kind: 'program', options: [name] },
    options: { choices },
    documentation,
    ...(violations.length > 0 && { violations }),
  });

const STORAGE = { storage: ['memory', 'file'] };

const H2_LEVELS: readonly Isolation[] = [
  { name: 'read committed', claims: 'read-committed' },
  {
    name: 'repeatable read',
    claims: 'snapshot-isolation',
    warning: 'H2 promises only that reads are not dirty and are repeatable; isolab checks snapshot isolation.',
  },
  { name: 'snapshot', claims: 'snapshot-isolation' },
  {
    name: 'serializable',
    claims: 'serializable',
    warning:
      'According to H2’s documentation, SERIALIZABLE does not make writing transactions equivalent to a serial execution.',
  },
];

const H2_SERIALIZABLE: Violation = {
  level: 'serializable',
  what: 'write skew, as its documentation states',
  link: 'https://github.com/h2database/h2database/issues/2167',
};

const h2 = (version: string, sha256: string, more: readonly Violation[] = []): Engine =>
  release(
    'h2',
    version,
    'H2',
    [{ artifact: `com.h2database:h2:${version}`, sha256 }],
    H2_LEVELS,
    'https://h2database.com/html/advanced.html#transaction_isolation',
    STORAGE,
    [...more, H2_SERIALIZABLE],
  );

const GUIDE = 'https://hsqldb.org/doc/2.0/guide/sessions-chapt.html';

const HSQLDB_LEVELS: readonly Isolation[] = [
  { name: 'read committed', claims: 'read-committed' },
  {
    name: 'serializable',
    claims: 'serializable',
    warning: 'According to HSQLDB’s documentation, SERIALIZABLE with tx=mvcc is snapshot isolation.',
  },
];

const hsqldb = (version: string, sha256: string): Engine =>
  release(
    'hsqldb',
    version,
    'HSQLDB',
    [{ artifact: `org.hsqldb:hsqldb:${version}`, sha256 }],
    HSQLDB_LEVELS,
    GUIDE,
    { tx: ['locks', 'mvlocks', 'mvcc'], ...STORAGE },
    [
      {
        level: 'serializable',
        what: 'write skew with tx=mvcc, which its documentation calls snapshot isolation',
        link: GUIDE,
      },
    ],
  );

const DERBY_LEVELS: readonly Isolation[] = [
  { name: 'read committed', claims: 'read-committed' },
  { name: 'serializable', claims: 'serializable' },
];

const FIREBIRD_LEVELS: readonly Isolation[] = [
  { name: 'read committed', claims: 'read-committed' },
  { name: 'snapshot', claims: 'snapshot-isolation' },
  {
    name: 'snapshot table stability',
    claims: 'serializable',
    warning:
      'Firebird calls this level its most restrictive one, and its drivers use it as SERIALIZABLE. isolab checks serializability.',
  },
];

export const JAVA: readonly Engine[] = [
  h2('1.4.200', '3ad9ac4b6aae9cd9d3ac1c447465e1ed06019b851b893dd6a8d76ddb6d85bca6', [
    {
      level: 'snapshot-isolation',
      what: 'lost updates; fixed in 2.0.202',
      link: 'https://github.com/h2database/h2database/issues/2371',
    },
  ]),
  h2('2.1.214', 'd623cdc0f61d218cf549a8d09f1c391ff91096116b22e2475475fce4fbe72bd0'),
  h2('2.2.224', 'b9d8f19358ada82a4f6eb5b174c6cfe320a375b5a9cb5a4fe456d623e6e55497'),
  h2('2.3.232', '8dae62d22db8982c3dcb3826edb9c727c5d302063a67eef7d63d82de401f07d3'),
  h2('2.4.240', '29b70e427cc1c40cdc376283adbb0cc62853073797bb5fe5761f81fe73d57ce0', [
    {
      level: 'snapshot-isolation',
      what: 'lost updates where statements are prepared once, unless OPTIMIZE_REUSE_RESULTS is off',
      link: 'https://github.com/h2database/h2database/issues/4208',
    },
  ]),
  h2('2.5.252', '90b11dc413da82070ef15fc943282c1408e6ffd34fa68998335fea8603b5ff20'),
  hsqldb('2.5.2', 'e4aa39c5afb318e8effdec80a0e6de7c9dacc453c1cf7666c515f29a16658dac'),
  hsqldb('2.6.1', 'e3f9e9d472d985b95ee5c10ed40d03496c3a26b950590ae0a49ce608626dcbe8'),
  hsqldb('2.7.4', '5fab2bb4384ac06b762638c8fa2740c944b8d080e4796c0c6c2af8b90dd4e5ad'),
  release(
    'derby',
    '10.16.1.1',
    'Apache Derby',
    [
      {
        artifact: 'org.apache.derby:derby:10.16.1.1',
        sha256: 'ede804cb04e871d7c52d2414e952ab939f9ef243abb7bd0ce7dbeb6e1e28bd0b',
      },
      {
        artifact: 'org.apache.derby:derbyshared:10.16.1.1',
        sha256: '27d4be683a45f6c15940167277ce39bb7e26b9f6dc0bc05efbcf813cac5d2b8f',
      },
    ],
    DERBY_LEVELS,
    'https://db.apache.org/derby/docs/10.16/devguide/cdevconcepts15366.html',
    STORAGE,
    [
      {
        level: 'read-committed',
        what: 'a range that has a value of a transaction that is rolled back, in a few of half a million ranges',
        link: null,
      },
    ],
  ),
  // A wheel of Python contains the engine, which needs a library of Debian.
  release(
    'firebird',
    '5.0.4',
    'Firebird',
    [
      {
        artifact: 'org.firebirdsql.jdbc:jaybird:5.0.12.java11',
        sha256: '3844dbbc59373b12a4943aa615a8bbec8d8a642685f6d01d6843bca0e1f76472',
      },
      {
        artifact: 'net.java.dev.jna:jna:5.18.1',
        sha256: '260c4b1e22b1db9e110ee441c4f13ce115f841fa48c41d78750986214b395557',
      },
    ],
    FIREBIRD_LEVELS,
    'https://www.firebirdsql.org/file/documentation/html/en/refdocs/fblangref50/firebird-50-language-reference.html#fblangref50-transacs-settransac-iso',
    {},
    [
      {
        level: 'serializable',
        what: 'write skew: a transaction reads a table as of its start, after another one wrote it and committed',
        link: 'https://github.com/FirebirdSQL/firebird/issues/7546',
      },
    ],
    {
      store: 'Firebird',
      natives: {
        wheels: 'firebird.txt',
        packages: [
          deb('libtommath1', '1.2.0-6+deb12u1', '9ee19bf48bd80f903cd1ad64c1231198b1b1e5e2d3c2427fcd946916644424fa'),
        ],
      },
    },
  ),
];
