// Finds the controllers that `npm run test:controllers` plays: looks, never builds.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory, holds } from './find.mjs';
import { PLANTS } from './plants.mjs';

/**
 * The controllers: the module that each is from, the releases that are built, its program, and where the module has the
 * definitions of its kinds. The last release is the one that go.mod pins.
 */
export const CONTROLLERS = {
  jobset: {
    module: 'sigs.k8s.io/jobset',
    // Earlier releases do not compile with the libraries of the others.
    versions: ['v0.12.0'],
    program: 'sigs.k8s.io/jobset',
    definitions: ['config/components/crd/bases'],
  },
  'cert-manager': {
    module: 'github.com/cert-manager/cert-manager',
    versions: ['v1.21.1', 'v1.21.2'],
    program: './cert-manager',
    definitions: ['deploy/crds'],
  },
  'kustomize-controller': {
    module: 'github.com/fluxcd/kustomize-controller',
    versions: ['v1.9.5', 'v1.9.6'],
    program: 'github.com/fluxcd/kustomize-controller',
    definitions: ['config/crd/bases'],
  },
  'argo-rollouts': {
    module: 'github.com/argoproj/argo-rollouts',
    versions: ['v1.9.1', 'v1.9.2'],
    program: 'github.com/argoproj/argo-rollouts/cmd/rollouts-controller',
    // A library of which it needs an earlier release than the others.
    older: ['-replace=github.com/prometheus/client_golang=github.com/prometheus/client_golang@v1.22.0'],
    definitions: ['manifests/crds'],
  },
};

/** Where built controllers are kept, outside the repository. */
export function controllersDirectory(env = process.env) {
  return join(dirname(cacheDirectory(env)), 'controllers');
}

/** What is built of a controller: the pinned release, the one before, and the pinned one with something planted. */
export function programsOf(name) {
  const { versions } = CONTROLLERS[name];
  const [current, previous] = versions.toReversed().map((version) => `${name}-${version}`);
  const planted = PLANTS[name] === undefined ? undefined : `${current}-planted`;
  return { current, previous, planted, definitions: `${current}-definitions` };
}

/** The paths of the programs of one controller, and of the folder of its definitions; undefined when one of them is missing. */
export function findController(name, env = process.env) {
  const directory = controllersDirectory(env);
  const found = programsOf(name);
  const { definitions, ...programs } = found;
  const wanted = Object.values(programs).filter((program) => program !== undefined);
  if (!holds(directory, wanted) || !existsSync(join(directory, definitions))) return undefined;
  const paths = Object.entries(found).map(([key, file]) => [key, file && join(directory, file)]);
  return Object.fromEntries(paths);
}
