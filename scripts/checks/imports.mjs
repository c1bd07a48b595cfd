// Which package may import which, and what kube may import at all.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { ROOT, isTest, moduleRequests } from './sources.mjs';

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

/** kube reads its data file, and has the adapters of time in one folder; nothing else in it does I/O. */
const KUBE_DATA_READER = /^packages\/kube\/src\/schema\/(?:.*\/)?[\w-]*catalogue[\w-]*\.ts$/;
const KUBE_DATA_MODULES = new Set(['node:module']);
export const KUBE_TIME = /^packages\/kube\/src\/time\//;
const KUBE_TIME_MODULES = new Set(['node:events']);

/** Name of a package → the entries that its `exports` name. */
const entries = new Map(
  Object.keys(MAY_IMPORT)
    .map((folder) => join(ROOT, 'packages', folder, 'package.json'))
    .filter((path) => existsSync(path))
    .map((path) => JSON.parse(readFileSync(path, 'utf8')))
    .map(({ name, exports = {} }) => [name, Object.keys(exports)]),
);

function relativeFault(packageName, path, specifier) {
  const home = join(ROOT, 'packages', packageName);
  const target = resolve(dirname(path), specifier);
  const time = join(home, 'src', 'time');
  if (
    packageName === 'kube' &&
    dirname(target) === time &&
    ![time, join(home, 'src')].includes(dirname(path))
  ) {
    return `'${specifier}': kube is pure: only its users may use a clock or a random source`;
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

/** The package of ours that `specifier` names, and the entry of it. */
function ours(specifier) {
  const [, name, path = ''] = /^(@kubewright\/[^/]+|kubewright)(\/.*)?$/.exec(specifier) ?? [];
  return name === undefined ? undefined : { name, entry: `.${path}` };
}

function importFault({ packageName, file, path }, specifier) {
  const target = ours(specifier);
  if (target !== undefined && !entries.get(target.name)?.includes(target.entry)) {
    return `'${specifier}' reaches into a package: import an entry of it`;
  }
  if (isTest(file)) return undefined;
  if (specifier.startsWith('.')) return relativeFault(packageName, path, specifier);
  if (packageName === 'kube' && specifier.startsWith('node:')) return kubeFault(file, specifier);
  return target !== undefined && !MAY_IMPORT[packageName].includes(target.name)
    ? `'${specifier}': ${packageName} may not import this layer`
    : undefined;
}

export function* importFaults(source) {
  if (!Object.hasOwn(MAY_IMPORT, source.packageName)) {
    yield { start: 0, fault: `${source.packageName} has no layer: add it to scripts/checks/imports.mjs` };
    return;
  }
  for (const { start, value } of moduleRequests(source)) {
    const fault = importFault(source, value);
    if (fault) yield { start, fault };
  }
}
