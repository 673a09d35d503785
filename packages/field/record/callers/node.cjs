'use strict';
// Loaded before an application by `isolab record`: adds a comment with the caller's file and line to the statements of
// pg, postgres.js and mysql2, also below an ORM. Answers stay the same. Named statements stay unchanged, because their
// text is their identity.
const Module = require('node:module');
const path = require('node:path');
const { createHook, executionAsyncId } = require('node:async_hooks');

const DEPTH = 60;
const MOST_PROMISES = 50_000;

/** The stack where each promise was created, and the asynchronous work that created it. */
const created = new Map();
const hook = createHook({
  init(id, type, trigger) {
    if (type !== 'PROMISE') return;
    const at = { trigger };
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 16;
    Error.captureStackTrace(at);
    Error.stackTraceLimit = limit;
    created.set(id, at);
    if (created.size > MOST_PROMISES) created.delete(created.keys().next().value);
  },
});
let isHooked = false;

/** Returns the file and the line of the application's code that sends a statement; null if they are unknown. */
function caller() {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = DEPTH;
  const { stack } = new Error('the place of the caller');
  Error.stackTraceLimit = limit;
  const found = placeIn(stack);
  if (found !== null) return found;
  // A builder of queries that is awaited runs without the stack of the code that awaits it.
  if (!isHooked) {
    isHooked = true;
    hook.enable();
  }
  let at = created.get(executionAsyncId());
  for (let i = 0; at !== undefined && i < DEPTH; i++, at = created.get(at.trigger)) {
    const place = placeIn(at.stack);
    if (place !== null) return place;
  }
  return null;
}

const FRAME = /(?:\(|at (?:async )?)((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*):(\d+):\d+\)?$/;

/** Returns the first place outside of node_modules. */
function placeIn(stack) {
  for (const line of String(stack).split('\n').slice(1)) {
    const [, file, row] = FRAME.exec(line) ?? [];
    if (file === undefined || /[\\/]node_modules[\\/]/.test(file)) continue;
    const name = file.startsWith('file:') ? require('node:url').fileURLToPath(file) : file;
    if (name === __filename) continue;
    return { file: path.relative(process.cwd(), name).split(path.sep).join('/'), line: row };
  }
  return null;
}

/** The name of the test that runs, as far as the test runner publishes it. */
function test() {
  try {
    return globalThis.expect?.getState?.().currentTestName ?? null;
  } catch {
    return null;
  }
}

const encoded = (text) => encodeURIComponent(text).replaceAll("'", '%27').replaceAll('*', '%2A');

/** Statements that touch no rows. */
const UNCHANGED = /^\s*(begin|start|commit|end|rollback|abort|savepoint|release|set|show|listen|notify|copy)\b/i;

function commented(sql, at = caller()) {
  if (typeof sql !== 'string' || sql.trim() === '' || sql.includes('/*')) return sql;
  if (at === null || UNCHANGED.test(sql)) return sql;
  const name = test();
  const more = name === null ? '' : `,test='${encoded(name)}'`;
  return `${sql}\n/*file='${encoded(at.file)}',line='${at.line}'${more}*/`;
}

/** Returns a query without a name, with a comment; the application's own object stays the same. */
function commentedQuery(query) {
  if (typeof query === 'string') return commented(query);
  if (query === null || typeof query !== 'object' || typeof query.submit === 'function' || query.name) return query;
  if (typeof query.text !== 'string') return query;
  return Object.create(query, { text: { value: commented(query.text), enumerable: true, writable: true } });
}

/** A statement of mysql2: a text, or options. A command already has its comment. */
function commentedOptions(query) {
  if (typeof query === 'string') return commented(query);
  const isCommand = typeof query?.execute === 'function';
  return typeof query?.sql !== 'string' || isCommand ? query : { ...query, sql: commented(query.sql) };
}

const PATCHES = [
  // Statements of a pool are sent later, when a connection is free.
  [/[\\/]pg-pool[\\/]index\.js$/, (Pool) => withComments(Pool, 'query', commentedQuery)],
  [/[\\/]pg[\\/]lib[\\/]client\.js$/, (Client) => withComments(Client, 'query', commentedQuery)],
  [/[\\/]mysql2[\\/]lib[\\/]base[\\/](connection|pool)\.js$/, withCommentsOfMysql],
  [/[\\/]postgres[\\/]cjs[\\/]src[\\/]query\.js$/, withPlaces],
  [/[\\/]postgres[\\/]cjs[\\/]src[\\/]types\.js$/, withCommentsOfPlaces],
];

function withComments(owner, method, change) {
  const original = owner.prototype[method];
  owner.prototype[method] = function (first, ...rest) {
    return original.call(this, change(first), ...rest);
  };
  return owner;
}

function withCommentsOfMysql(owner) {
  return withComments(withComments(owner, 'query', commentedOptions), 'execute', commentedOptions);
}

const PLACE = Symbol('the place of the caller');

/** Queries of postgres.js get their text later than their caller. */
function withPlaces(module) {
  module.Query = class Query extends module.Query {
    constructor(...parts) {
      super(...parts);
      this[PLACE] = caller();
    }
  };
  return module;
}

function withCommentsOfPlaces(module) {
  const { stringify } = module;
  module.stringify = (query, ...rest) => {
    const sql = stringify(query, ...rest);
    return query[PLACE] === undefined ? sql : commented(sql, query[PLACE]);
  };
  return module;
}

const patched = new WeakSet();
/* oxlint-disable no-underscore-dangle -- the names of Node's loader */
const load = Module._load;
Module._load = function (request, parent, ...rest) {
  const loaded = load.call(this, request, parent, ...rest);
  if (!/(^|[\\/])(pg-pool|client|connection|pool|query|types)(\.js)?$/.test(request) || patched.has(loaded))
    return loaded;
  try {
    const file = Module._resolveFilename(request, parent);
    const patch = PATCHES.find(([name]) => name.test(file));
    if (patch === undefined) return loaded;
    patched.add(loaded);
    return patch[1](loaded);
  } catch {
    return loaded;
  }
};

/** Modules import another form of postgres.js, which Module._load never sees: they get the form for `require`. */
const REQUIRED = "name === 'postgres' ? { ...context, conditions: ['node', 'require'] } : context";
try {
  Module.createRequire(path.join(process.cwd(), 'index.js')).resolve('postgres');
  if (Module.registerHooks)
    Module.registerHooks({
      resolve: (name, context, next) =>
        next(name, name === 'postgres' ? { ...context, conditions: ['node', 'require'] } : context),
    });
  else
    Module.register(
      `data:text/javascript,${encodeURIComponent(`export const resolve = (name, context, next) => next(name, ${REQUIRED});`)}`,
    );
} catch {
  // The application has no postgres.js.
}
