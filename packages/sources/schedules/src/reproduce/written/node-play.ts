/** Parts of the source text of a test without isolab. A test includes only the parts that its schedule needs. */

/** Returns code that defines `play`, which runs the schedule once. */
export function playOf({ isLoaded, rushes }: { readonly isLoaded: boolean; readonly rushes: boolean }): string {
  const only = (condition: boolean, lines: string): string => (condition ? lines : '');
  return `/** Sends every statement once those before it are answered, or blocked. */
async function play() {
  const admin = await connect();
  const terminals = [];
  const replies = {};
  const failed = new Set();
${only(isLoaded, '  let isOver = false;\n')}  try {
    for (const sql of SETUP) await admin.query(sql);
    for (let i = 0; i <= Math.max(...STEPS.map(({ terminal }) => terminal)); i++) {
      terminals.push({ client: await connect(), last: Promise.resolve(), waits: 0 });
      for (const sql of SESSION) await terminals[i].client.query(sql.replace('{isolation}', ISOLATION));
    }
${only(isLoaded, '    const loads = await load(() => isOver);\n')}    for (const step of STEPS) {
      const terminal = terminals[step.terminal];
      terminal.waits++;
      terminal.last = terminal.last.then(() => send(terminal.client, step)).finally(() => terminal.waits--);
      terminal.last.catch(() => {}); // it fails below
${only(rushes, '      if (step.rushes) continue;\n')}      await Promise.race([terminal.last, pause(BLOCKED_MS)]);
      if (terminals.some(({ waits }) => waits > 0)) await pause(30); // what waited may go on
    }
    const late = pause(10_000).then(() => assert.fail('The database did not answer within 10 seconds.'));
    await Promise.race([Promise.all(terminals.map(({ last }) => last)), late]);
${only(isLoaded, '    isOver = true;\n    await Promise.all(loads);\n')}  } finally {
${only(isLoaded, '    isOver = true;\n')}    for (const { client } of [...terminals, { client: admin }]) await client.close();
  }
  return { replies, failed };

  async function send(client, step) {
    if (failed.has(step.transaction)) return;
    try {
      replies[step.name] = await ask(client, step);
    } catch (error) {
      if (!isAbort(error)) throw error; // no database is right because it does not work
      failed.add(step.transaction);
      replies[step.name] = String(error.message);
      await client.query('ROLLBACK').catch(() => {});
    }
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());
`;
}

/** Code that defines `load`, for clients beside the schedule. */
export const LOADED = `/** Other clients run the same transactions with values of their own, until it is over. */
async function load(isOver) {
  const names = [...new Set(STEPS.map(({ transaction }) => transaction))];
  let value = 1_000_000;
  const run = async (client) => {
    for (const sql of SESSION) await client.query(sql.replace('{isolation}', ISOLATION));
    while (!isOver()) {
      const name = names[Math.floor(Math.random() * names.length)];
      try {
        for (const step of STEPS.filter(({ transaction }) => transaction === name)) {
          const own = step.own === undefined ? step.sql : step.own.replace('{value}', String(value++));
          await ask(client, { ...step, sql: own });
        }
      } catch (error) {
        if (!isAbort(error)) throw error;
        await client.query('ROLLBACK').catch(() => {});
      }
    }
    await client.close();
  };
  const clients = await Promise.all(Array.from({ length: LOAD }, connect));
  return clients.map(run);
}
`;

/** Code that reads a reply, by kind of request. */
const READERS: readonly { readonly kinds: readonly string[]; readonly code: string; readonly needs?: string }[] = [
  {
    kinds: ['read'],
    code: `    case 'read':
      return value === null ? null : Number(value);`,
    needs: 'value',
  },
  {
    kinds: ['read-list'],
    code: `    case 'read-list':
      return value === null ? [] : String(value).split(',').map(Number);`,
    needs: 'value',
  },
  {
    kinds: ['range'],
    code: `    case 'range':
      return rows.map((row) => ({ key: Number(row.k), value: Number(row.v), dead: Number(row.dead) !== 0 }));`,
  },
  {
    kinds: ['compare-and-set'],
    code: `    case 'compare-and-set': {
      const isExpected = (value === null ? null : Number(value)) === expected;
      if (isExpected) await client.query(write);
      return isExpected;
    }`,
    needs: 'value',
  },
  {
    kinds: ['insert', 'delete'],
    code: `    case 'insert':
    case 'delete': {
      const found = rows.map((row) => ({ value: Number(row.v), dead: Number(row.dead) !== 0 }));
      const isLive = found.length > 0 && !found[0].dead;
      if (isLive === (kind === 'delete')) await client.query(write);
      return found;
    }`,
  },
];

/** Returns code that defines `ask` for the given kinds of requests. */
export function askOf(kinds: ReadonlySet<string>): string {
  const used = READERS.filter((reader) => reader.kinds.some((kind) => kinds.has(kind)));
  const writes = kinds.has('insert') || kinds.has('delete') || kinds.has('compare-and-set');
  const members = [
    ...(used.length > 0 ? ['kind'] : []),
    'sql',
    ...(writes ? ['write'] : []),
    ...(kinds.has('compare-and-set') ? ['expected'] : []),
  ];
  const asking = "await client.query(sql.replace('{isolation}', ISOLATION));";
  if (used.length === 0)
    return `/** Sends a statement. */
async function ask(client, { sql }) {
  ${asking}
  return 'done';
}
`;
  return `/** Sends a statement, and reads the rows that come back. */
async function ask(client, { ${members.join(', ')} }) {
  const rows = ${asking}
${used.some(({ needs }) => needs === 'value') ? '  const value = rows[0]?.v ?? null;\n' : ''}  switch (kind) {
${used.map(({ code }) => code).join('\n')}
    default:
      return 'done';
  }
}
`;
}
