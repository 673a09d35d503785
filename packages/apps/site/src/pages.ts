/** Menu of the site: its pages and their order. All other pages are reached by links and by search. */

export interface MenuEntry {
  readonly title: string;
  /** A page of the repository, or of the site alone. */
  readonly path: string;
  /** Words of searchers that the page answers, and may not contain. */
  readonly asked?: string;
}

export interface MenuGroup {
  readonly title: string;
  readonly entries: readonly MenuEntry[];
}

export const PLAYGROUND = 'playground.html';

const entry = (title: string, path: string, asked = ''): MenuEntry => ({ title, path, asked });

export const MENU: readonly MenuGroup[] = [
  {
    title: 'Start',
    entries: [
      entry('isolab', 'README.md', 'install download start'),
      entry('Tutorial', 'docs/tutorial.md'),
      entry('As a researcher', 'docs/newcomers/researcher.md'),
      entry('As an application developer', 'docs/newcomers/application-developer.md'),
      entry('As a database engineer', 'docs/newcomers/database-engineer.md'),
      entry('As a contributor', 'docs/newcomers/contributor.md'),
      entry('Playground', PLAYGROUND, 'try online browser'),
      entry('Gallery of anomalies', 'docs/gallery.md'),
      entry('Bugs found in the field', 'reports/field/README.md', 'bugs postgresql mysql mariadb sqlite duckdb h2'),
    ],
  },
  {
    title: 'Guides',
    entries: [
      entry('Check a database nightly', 'docs/ci.md'),
      entry('Watch a running system', 'docs/watch.md'),
      entry(
        'Record an application',
        'docs/record.md',
        'prisma sequelize sqlalchemy django hibernate orm select update',
      ),
      entry('Record on MariaDB', 'docs/record-mariadb.md'),
      entry('Predict what could happen', 'docs/predict.md'),
      entry('Recorders in five languages', 'docs/recorders.md'),
      entry('Python and notebooks', 'docs/python.md', 'jupyter notebook pip wheel pytest'),
      entry('Hunt for violations', 'docs/field.md'),
      entry('Reproduce a violation', 'docs/reproduce.md'),
      entry('Is REPEATABLE READ enough?', 'docs/repeatable-read.md', 'mysql fix lost update prevent'),
      entry('Levels of your database', 'docs/hermitage.md'),
      entry('Write a plug-in', 'docs/plugin.md'),
      entry('Write a checker', 'docs/plugin-checker.md'),
      entry('Write a driver', 'docs/drivers.md'),
      entry('Compare with other tools', 'docs/tools.md'),
      entry('With Jepsen and Elle', 'docs/jepsen.md', 'edn knossos compare'),
      entry('Contribute', 'CONTRIBUTING.md'),
    ],
  },
  {
    title: 'Reference',
    entries: [
      entry('Commands', 'docs/commands.md'),
      entry('Library', 'packages/library/isolab/README.md'),
      entry('API', 'docs/api.md'),
      entry('Levels', 'docs/levels.md', 'serializable snapshot isolation'),
      entry('Anomalies', 'docs/anomalies.md'),
      entry('Checkers', 'docs/checkers.md'),
      entry('Formats', 'docs/formats.md'),
      entry('Engines', 'docs/engines.md'),
      entry('Faults', 'docs/faults.md'),
      entry('Certificates', 'docs/certificates.md'),
      entry('Glossary', 'docs/glossary.md'),
      entry('Trust', 'docs/trust.md', 'false positives negatives wrong believe unknown mean meaning'),
      entry('Security', 'SECURITY.md'),
    ],
  },
  {
    title: 'Evidence',
    entries: [
      entry('How fast it is', 'docs/speed.md'),
      entry('Large histories', 'docs/scale.md'),
      entry('Claims of the papers', 'reports/laptop/summary.md'),
      entry('Reports', 'reports/README.md', 'bibtex cite citation'),
      entry('weave, measured', 'reports/weave.md'),
      entry('Datasets', 'datasets/README.md'),
      entry('Experiments', 'benchmarks/README.md'),
    ],
  },
  {
    title: 'Inside',
    entries: [
      entry('Architecture', 'docs/architecture.md', 'work works'),
      entry('weave', 'docs/weave.md'),
      entry('Decisions', 'docs/decisions.md'),
      entry('Changes', 'CHANGELOG.md'),
    ],
  },
];

/** Address in the site of a page of the repository. */
export const siteAddress = (path: string): string =>
  path.endsWith('.md') ? path.replace(/(^|\/)README\.md$/, '$1index.md').replace(/\.md$/, '.html') : path;
