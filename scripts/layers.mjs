// Enforces the floors of the house: who may import whom, that kube is pure, that time and chance are injected, and that
// what a package throws is of its own class. Counts the casts that no compiler checks.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Package folder → the packages of ours that its source may import. Tests may import any. */
const MAY_IMPORT = {
  kube: [],
  client: ['@kubewright/kube'],
  apiserver: ['@kubewright/kube'],
  runtime: ['@kubewright/client', '@kubewright/kube'],
  cluster: ['@kubewright/apiserver', '@kubewright/runtime', '@kubewright/client', '@kubewright/kube'],
  migratable: [],
  operators: ['@kubewright/runtime', '@kubewright/client', '@kubewright/migratable', '@kubewright/kube'],
  kubewright: [
    '@kubewright/kube',
    '@kubewright/client',
    '@kubewright/apiserver',
    '@kubewright/runtime',
    '@kubewright/cluster',
    '@kubewright/operators',
  ],
};

/** kube reads its data file, and has the adapters of time in one folder; nothing else in it touches the outside. */
const KUBE_DATA_READER = /^packages\/kube\/src\/schema\/(?:.*\/)?[\w-]*catalogue[\w-]*\.ts$/;
const KUBE_DATA_MODULES = new Set(['node:module']);
const KUBE_TIME = /^packages\/kube\/src\/time\//;
const KUBE_TIME_MODULES = new Set(['node:events']);

/** The only files that may ask the machine for the time, a timer or chance. */
const ADAPTER = /(?:^|[/-])(?:clock|random|timers?)\.ts$/;
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

/** Casts through `unknown` in all packages, tests too. Each needs a comment that says why no type can tell. */
const UNCHECKED_CASTS = 3;

const isTest = (file) => /\.(?:test|contract|bench)\.ts$|\/testing\//.test(file);

function* sources(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (entry.name.endsWith('.ts')) yield path;
  }
}

/** Every node of an ESTree, depth first. */
function* nodes(value) {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodes(item);
  } else if (value !== null && typeof value === 'object') {
    if (typeof value.type === 'string') yield value;
    for (const [key, child] of Object.entries(value)) if (key !== 'parent') yield* nodes(child);
  }
}

function relativeFault(packageName, path, specifier) {
  const home = join(ROOT, 'packages', packageName);
  const target = resolve(dirname(path), specifier);
  const time = join(home, 'src', 'time');
  if (
    packageName === 'kube' &&
    dirname(target) === time &&
    ![time, join(home, 'src')].includes(dirname(path))
  ) {
    return `'${specifier}': kube is pure: only its users may use a clock or chance`;
  }
  const inside = target.startsWith(join(home, 'src') + sep);
  const data = target.endsWith('.json') && target.startsWith(home + sep);
  return inside || data ? undefined : `'${specifier}' leaves the package: import another package by its name`;
}

function kubeFault(file, specifier) {
  const mayRead = KUBE_DATA_READER.test(file) && KUBE_DATA_MODULES.has(specifier);
  return mayRead || (KUBE_TIME.test(file) && KUBE_TIME_MODULES.has(specifier))
    ? undefined
    : `'${specifier}': kube is pure and does no I/O`;
}

/** Ours of `specifier`: the package, and the entry of it, as its `exports` name them. */
function ours(specifier) {
  const [, name, path = ''] = /^(@kubewright\/[^/]+|kubewright)(\/.*)?$/.exec(specifier) ?? [];
  return name === undefined ? undefined : { name, entry: `.${path}` };
}

const entries = new Map();
for (const folder of Object.keys(MAY_IMPORT)) {
  const { name, exports = {} } = JSON.parse(readFileSync(join(ROOT, 'packages', folder, 'package.json')));
  entries.set(name, Object.keys(exports));
}

function importFault(packageName, file, path, specifier) {
  const target = ours(specifier);
  if (target !== undefined && !entries.get(target.name)?.includes(target.entry)) {
    return `'${specifier}' reaches into a package: import an entry of it`;
  }
  if (isTest(file)) return undefined;
  if (specifier.startsWith('.')) return relativeFault(packageName, path, specifier);
  if (packageName === 'kube' && specifier.startsWith('node:')) return kubeFault(file, specifier);
  return target !== undefined && !MAY_IMPORT[packageName].includes(target.name)
    ? `'${specifier}' stands on a floor that ${packageName} may not import`
    : undefined;
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

/** Every module that the file names, with its place. */
function* requests(text, { staticImports, staticExports, dynamicImports }) {
  for (const { moduleRequest } of staticImports) yield moduleRequest;
  for (const { entries } of staticExports) {
    for (const { moduleRequest } of entries) if (moduleRequest) yield moduleRequest;
  }
  for (const { moduleRequest } of dynamicImports) {
    const literal = text.slice(moduleRequest.start, moduleRequest.end);
    yield { start: moduleRequest.start, value: literal.replaceAll(/^['"]|['"]$/g, '') };
  }
}

/** Time, timers and chance that a file takes from a module of Node. */
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

function* purityFaults(packageName, file, program) {
  if (packageName === 'kube' ? KUBE_TIME.test(file) : ADAPTER.test(file)) return;
  for (const node of nodes(program)) {
    const name = isTest(file) ? sleep(node) : (impureCall(node) ?? impureMember(node) ?? bareDate(node));
    if (name === undefined) continue;
    const why = isTest(file)
      ? 'a test waits for what it expects, never for time'
      : 'inject a clock or a random source';
    yield { start: node.start, fault: `${name}: ${why}` };
  }
}

/** An error that says neither what kind of failure it is nor whether the same may succeed later. */
function* bareErrors(program) {
  for (const node of nodes(program)) {
    if (node.type === 'NewExpression' && node.callee.name === 'Error')
      yield { start: node.start, fault: "new Error: throw the package's own error, with its code" };
  }
}

function* repeats(file, text) {
  for (const [pattern, instead, home] of ONCE) {
    const at = text.search(pattern);
    if (at >= 0 && !file.endsWith(home)) yield { start: at, fault: `there is ${instead} for this` };
  }
}

let casts = 0;

function countCasts(program) {
  for (const node of nodes(program)) {
    const inner = node.type === 'TSAsExpression' ? node.expression : undefined;
    if (inner?.type === 'TSAsExpression' && inner.typeAnnotation.type === 'TSUnknownKeyword') casts += 1;
  }
}

function checkFile(packageName, path) {
  const file = relative(ROOT, path).split(sep).join('/');
  const text = readFileSync(path, 'utf8');
  const { module, program } = parseSync(path, text);
  const found = [...purityFaults(packageName, file, program), ...repeats(file, text)];
  countCasts(program);
  if (!isTest(file) && !ADAPTER.test(file)) found.push(...impureImports(module));
  found.push(...bareErrors(program));
  for (const { start, value } of requests(text, module)) {
    const fault = importFault(packageName, file, path, value);
    if (fault) found.push({ start, fault });
  }
  return found.map(({ start, fault }) => `${file}:${text.slice(0, start).split('\n').length}: ${fault}`);
}

const faults = [];
let files = 0;
for (const packageName of readdirSync(join(ROOT, 'packages'))) {
  const folder = join(ROOT, 'packages', packageName, 'src');
  if (!existsSync(folder)) continue;
  if (!Object.hasOwn(MAY_IMPORT, packageName)) {
    faults.push(`packages/${packageName}: no floor: add it to scripts/layers.mjs`);
    continue;
  }
  for (const path of sources(folder)) {
    files += 1;
    faults.push(...checkFile(packageName, path));
  }
}
if (casts > UNCHECKED_CASTS) faults.push(`${casts} casts through unknown: at most ${UNCHECKED_CASTS}`);
const unique = [...new Set(faults)];
for (const fault of unique) console.error(fault);
console.log(`layers: ${files} files, ${unique.length} ${unique.length === 1 ? 'fault' : 'faults'}`);
process.exitCode = unique.length === 0 ? 0 : 1;
