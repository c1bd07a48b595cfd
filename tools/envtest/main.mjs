// Records the flags of kube-apiserver and etcd that others' suites may pass: their names, and which take no value. Run it
// after `npm run assets`, when the version of Kubernetes changes.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findServers, KUBERNETES_VERSION } from '../assets/find.mjs';

const OUT = fileURLToPath(
  new URL('../../packages/kubewright/src/envtest/flag-names.data.ts', import.meta.url),
);
const directory = findServers();
if (directory === undefined) throw new TypeError('no binaries: npm run assets builds them');

function helpOf(name) {
  return execFileSync(join(directory, name), ['--help'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Of a list of flags those with `pattern`, whose first group is the name, and whether a value follows. */
function flagsIn(help, pattern, takesValue) {
  const flags = { switches: [], values: [] };
  for (const match of help.matchAll(pattern)) flags[takesValue(match) ? 'values' : 'switches'].push(match[1]);
  return flags;
}

// A flag without a type is a switch: "--profiling    Enable profiling".
const server = flagsIn(
  helpOf('kube-apiserver'),
  /^ +(?:-\w, )?--([\w-]+)( \S+)?(?: {2}.*)?$/gm,
  (match) => match[2] !== undefined && !match[2].endsWith('[=true]'),
);
// etcd prints defaults, and of some flags none: their names tell whether it is a number.
const etcd = flagsIn(helpOf('etcd'), /^ {2}--([\w-]+)( .*)?$/gm, ([, name, standard]) =>
  standard === undefined
    ? /-(?:megabytes|interval|entries|time)$/.test(name)
    : !/^ '(?:true|false)'$/.test(standard),
);

const list = (names) =>
  `[\n${[...new Set(names)]
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => `    '${name}',`)
    .join('\n')}\n  ]`;
const text = `// Made by tools/envtest from the help of Kubernetes ${KUBERNETES_VERSION}; do not edit.
import type { GoFlags } from './read-go-flags.ts';

export const KUBE_APISERVER: GoFlags = {
  switches: ${list(server.switches)},
  values: ${list(server.values)},
};

export const ETCD: GoFlags = {
  switches: ${list(etcd.switches)},
  values: ${list(etcd.values)},
};
`;
writeFileSync(OUT, text);
process.stdout.write(
  `${server.switches.length + server.values.length} and ${etcd.switches.length + etcd.values.length} flags\n`,
);
