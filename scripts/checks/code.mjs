// What a source may not contain: timers, the system's clock and randomness outside their adapters, bare errors, casts
// through `unknown`, and what kube has for all.
import { KUBE_TIME } from './imports.mjs';
import { isTest } from './sources.mjs';

/** The only files that may ask the machine for the time, a timer or a random number. */
const ADAPTER = /(?:^|[/-])(?:clock|random(?:-name)?|timers?)\.ts$/;
const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const MEMBERS = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'crypto.randomUUID',
  'crypto.randomBytes',
  'crypto.getRandomValues',
  'AbortSignal.timeout',
]);
/** The same by name, where a module exports it: any import of it counts. */
const IMPORTED = {
  'node:timers': /./,
  'node:timers/promises': /./,
  'node:crypto': /^random/,
  'node:perf_hooks': /^performance$/,
};

/** What kube has for all, and how it looks where it is written anew. */
const ONCE = [
  [/\.localeCompare\(|\? -1 : Number\(\w+ > /, 'compareText of kube', 'json/compare-text.ts'],
  [/instanceof Error\s*\?\s*\w+\.message\s*:\s*String\(/, 'errorText of kube', 'error-text.ts'],
];

/** A text without any of these needs no look at its tree. */
const SUSPECT =
  /\bset(?:Timeout|Interval|Immediate)\b|\b(?:Date|Math|performance|crypto|AbortSignal)\b|\bnew\s+(?:Error|Date)\b|\bas\s+unknown\b/;

/** Every node of an ESTree, depth first. */
function* nodes(value) {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodes(item);
  } else if (value !== null && typeof value === 'object') {
    if (typeof value.type === 'string') yield value;
    for (const [key, child] of Object.entries(value)) if (key !== 'parent') yield* nodes(child);
  }
}

function impureCall(node) {
  return node.type === 'CallExpression' && TIMERS.has(node.callee.name) ? node.callee.name : undefined;
}

/** A turn of the event loop is no sleep. */
function sleep(node) {
  const name = impureCall(node);
  return name === 'setImmediate' ? undefined : name;
}

function impureMember(node) {
  if (node.type !== 'MemberExpression' || node.object.type !== 'Identifier') return undefined;
  const name = `${node.object.name}.${node.property.name}`;
  return MEMBERS.has(name) ? name : undefined;
}

function bareDate(node) {
  const bare = node.type === 'NewExpression' && node.callee.name === 'Date' && node.arguments.length === 0;
  return bare ? 'new Date()' : undefined;
}

function impurity(packageName, file, node) {
  if (packageName === 'kube' ? KUBE_TIME.test(file) : ADAPTER.test(file)) return undefined;
  const name = isTest(file) ? sleep(node) : (impureCall(node) ?? impureMember(node) ?? bareDate(node));
  if (name === undefined) return undefined;
  const why = isTest(file)
    ? 'a test waits for what it expects, never for time'
    : 'inject a clock or a random source';
  return `${name}: ${why}`;
}

/** Clocks, timers and random numbers that a file imports from a module of Node. */
function* impureImports({ staticImports }) {
  for (const { moduleRequest, entries } of staticImports) {
    const impure = Object.hasOwn(IMPORTED, moduleRequest.value) ? IMPORTED[moduleRequest.value] : undefined;
    for (const { importName, isType } of entries) {
      const name = importName.name ?? '*';
      if (!isType && impure?.test(name))
        yield {
          start: moduleRequest.start,
          fault: `${name} of ${moduleRequest.value}: inject a clock or a random source`,
        };
    }
  }
}

function isUncheckedCast(node) {
  const inner = node.type === 'TSAsExpression' ? node.expression : undefined;
  return inner?.type === 'TSAsExpression' && inner.typeAnnotation.type === 'TSUnknownKeyword';
}

/** An error that says neither what kind of failure it is nor whether the same may succeed later. */
const isBareError = (node) => node.type === 'NewExpression' && node.callee.name === 'Error';

function* treeFaults({ packageName, file, text, program }) {
  if (!SUSPECT.test(text)) return;
  for (const node of nodes(program())) {
    const impure = impurity(packageName, file, node);
    if (impure !== undefined) yield { start: node.start, fault: impure };
    if (isBareError(node))
      yield { start: node.start, fault: "new Error: throw the package's own error, with its code" };
    if (isUncheckedCast(node)) yield { start: node.start, cast: true };
  }
}

const SERVER_MODULE = /^node:(?:net|tls|https?|http2)$/;
const SERVER_MAKER = /^create(?:Secure)?Server$/;

/** A server listens by what keeps errors of its peers, its sockets and its handlers from ending the process. */
function* bareServers({ staticImports }) {
  const listens = staticImports.some(
    ({ moduleRequest, entries }) =>
      moduleRequest.value === '@kubewright/kube/serving' &&
      entries.some(({ importName }) => importName.name === 'listen'),
  );
  if (listens) return;
  const made = staticImports.filter(({ moduleRequest }) => SERVER_MODULE.test(moduleRequest.value));
  for (const { moduleRequest, entries } of made) {
    const [maker] = entries.filter(({ importName }) => SERVER_MAKER.test(importName.name ?? ''));
    const fault = `${maker?.importName.name}: have it listen by listen of @kubewright/kube/serving`;
    if (maker !== undefined) yield { start: moduleRequest.start, fault };
  }
}

function* repeats({ file, text }) {
  for (const [pattern, instead, home] of ONCE) {
    const at = text.search(pattern);
    if (at >= 0 && !file.endsWith(home)) yield { start: at, fault: `there is ${instead} for this` };
  }
}

export function* codeFaults(source) {
  if (!isTest(source.file) && !ADAPTER.test(source.file)) yield* impureImports(source.module);
  if (!isTest(source.file)) yield* bareServers(source.module);
  yield* repeats(source);
  yield* treeFaults(source);
}
