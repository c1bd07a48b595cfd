// Builds the control plane's binaries with Go from the modules that are pinned beside this file.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HELM_VERSIONS } from './find-helm.mjs';
import { METRICS_MODULES } from './find-metrics.mjs';
import { S3_MODULES } from './find-s3.mjs';
import { KUBERNETES_VERSION, holds } from './find.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const [, MAJOR, MINOR] = /^v(\d+)\.(\d+)\./.exec(KUBERNETES_VERSION);

/** What a Kubernetes release's own build stamps into its binaries, so that they know their version. */
const STAMP = [
  `-X k8s.io/component-base/version.gitVersion=${KUBERNETES_VERSION}`,
  `-X k8s.io/component-base/version.gitMajor=${MAJOR}`,
  `-X k8s.io/component-base/version.gitMinor=${MINOR}`,
  `-X k8s.io/client-go/pkg/version.gitVersion=${KUBERNETES_VERSION}`,
].join(' ');

/** Name of a binary → the module folder, the package, the linker's flags and, where there are some, the build tags. */
export const RECIPES = {
  etcd: { module: 'etcd', package: '.', ldflags: '-s -w' },
  ...Object.fromEntries(
    ['kube-apiserver', 'kube-controller-manager', 'kubectl', 'kube-scheduler', 'kubelet'].map((name) => [
      name,
      { module: 'kubernetes', package: `k8s.io/kubernetes/cmd/${name}`, ldflags: `-s -w ${STAMP}` },
    ]),
  ),
  'csi-provisioner': {
    module: 'csi',
    package: 'github.com/kubernetes-csi/external-provisioner/v6/cmd/csi-provisioner',
    ldflags: '-s -w',
  },
  'csi-snapshotter': {
    module: 'csi',
    package: 'github.com/kubernetes-csi/external-snapshotter/v8/cmd/csi-snapshotter',
    ldflags: '-s -w',
  },
  'snapshot-controller': {
    module: 'csi',
    package: 'github.com/kubernetes-csi/external-snapshotter/v8/cmd/snapshot-controller',
    ldflags: '-s -w',
  },
  hostpathplugin: {
    module: 'csi-driver',
    package: 'github.com/kubernetes-csi/csi-driver-host-path/cmd/hostpathplugin',
    // Without a version it answers no caller.
    ldflags: '-s -w -X main.version=v1.18.0',
  },
  'nats-server': { module: 'nats', package: 'github.com/nats-io/nats-server/v2', ldflags: '-s -w' },
  ...Object.fromEntries(
    Object.entries(HELM_VERSIONS).map(([name, version]) => {
      const module = `helm.sh/helm/v${version.slice(1).split('.')[0]}`;
      const ldflags = `-s -w -X ${module}/internal/version.version=${version}`;
      return [name, { module: name, package: `${module}/cmd/helm`, ldflags }];
    }),
  ),
  prometheus: {
    module: 'prometheus',
    package: `${METRICS_MODULES.prometheus}/cmd/prometheus`,
    ldflags: '-s -w',
    // Without the libraries of all clouds it is built in a fifth of the time.
    tags: 'remove_all_sd',
  },
  thanos: {
    module: 'thanos',
    package: `${METRICS_MODULES.thanos}/cmd/thanos`,
    ldflags: '-s -w',
    // As its own releases: with labels in another form its stores end at the first answer.
    tags: 'slicelabels',
  },
  rclone: { module: 'rclone', package: '.', ldflags: '-s -w' },
  versitygw: {
    module: 'versitygw',
    package: `${S3_MODULES.versitygw}/cmd/versitygw`,
    ldflags: '-s -w',
  },
  weed: { module: 'weed', package: `${S3_MODULES.weed}/weed`, ldflags: '-s -w' },
  'victoria-metrics': {
    module: 'victoria-metrics',
    package: `${METRICS_MODULES['victoria-metrics']}/app/victoria-metrics`,
    ldflags: '-s -w',
  },
};

/** Runs `go` with arguments that build; says every half minute that it still does. */
export async function goBuild(go, { name, args, cwd, log }) {
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1000);
  const child = spawn(go, args, {
    cwd,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors = (errors + text).slice(-4000);
  });
  const beat = setInterval(() => log(`  ${name}: building (${seconds()} s)`), 30_000);
  const code = await new Promise((settle) => {
    child.on('error', () => settle(-1)).on('close', settle);
  }).finally(() => clearInterval(beat));
  assert(code === 0, `go build of ${name} failed:\n${errors.trim()}`);
  log(`  ${name}: built in ${seconds()} s`);
}

/** Arguments of `go` that build a binary. */
function argumentsFor(name, output) {
  const { ldflags, tags = '', package: from } = RECIPES[name];
  return ['build', '-trimpath', '-mod=readonly', '-tags', tags, '-ldflags', ldflags, '-o', output, from];
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A lock whose holder is dead, or that nobody has signed for a while, is nobody's. */
function abandoned(lock) {
  try {
    return !alive(Number(readFileSync(join(lock, 'pid'), 'utf8')));
  } catch {
    try {
      return Date.now() - statSync(lock).mtimeMs > 10_000;
    } catch {
      return false;
    }
  }
}

/** Only one process builds into a folder; another waits for it. */
async function locked(directory, log, work) {
  const lock = `${directory}.lock`;
  let logged = false;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (abandoned(lock)) rmSync(lock, { recursive: true, force: true });
    else if (!logged) log(`another process builds ${directory}: waiting`);
    logged = true;
    await delay(500);
  }
  try {
    writeFileSync(join(lock, 'pid'), String(process.pid));
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Builds what is missing of `names` into `directory`. A binary appears there whole or not at all. */
export async function build(go, directory, names, log) {
  mkdirSync(directory, { recursive: true });
  await locked(directory, log, async () => {
    for (const name of names.filter((each) => !holds(directory, [each]))) {
      const partial = join(directory, `.${name}.${process.pid}`);
      try {
        const cwd = join(HERE, RECIPES[name].module);
        await goBuild(go, { name, args: argumentsFor(name, partial), cwd, log });
        renameSync(partial, join(directory, name));
      } finally {
        rmSync(partial, { force: true });
      }
    }
  });
}
