// Finds the test binaries of other people's suites that `npm run test:suites` runs: looks, never builds.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDirectory, holds } from './find.mjs';

/**
 * The suites: the module that each is from, its release with the checksum that go.sum would have, and which packages of it
 * start a control plane with envtest. A binary is built with the libraries that the release itself pins.
 */
export const SUITES = {
  'controller-runtime': {
    module: 'sigs.k8s.io/controller-runtime',
    version: 'v0.25.3',
    sum: 'h1:b4OcZSY/aKHY8JG+rBlQmQ1xLs574+ZBEjv1dtfLd80=',
    packages: {
      client: 'pkg/client',
      manager: 'pkg/manager',
      webhook: 'pkg/webhook',
      builder: 'pkg/builder',
      envtest: 'pkg/envtest',
      recorder: 'pkg/internal/recorder',
      integration: 'pkg/manager/internal/integration',
    },
  },
  jobset: {
    module: 'sigs.k8s.io/jobset',
    version: 'v0.12.0',
    sum: 'h1:YYPuV0px8Ongq/RXmJg6V0w2UC67aiR+rCMD06vhQQQ=',
    packages: { webhook: 'test/integration/webhook', controller: 'test/integration/controller' },
  },
  lws: {
    module: 'sigs.k8s.io/lws',
    version: 'v0.8.0',
    sum: 'h1:DdhJ8QabwTfWgbgaHH2gdf8twliioHaoSfmDXRYEVU0=',
    packages: { webhooks: 'test/integration/webhooks', controllers: 'test/integration/controllers' },
  },
  rabbitmq: {
    module: 'github.com/rabbitmq/cluster-operator/v2',
    version: 'v2.16.0',
    sum: 'h1:oYJm+1tXIatGHtiUWyN9hGdO+0eWsXA/j1b81wh0IqI=',
    packages: { controllers: 'controllers' },
  },
};

/** Where the built suites are kept, outside the repository. */
export function suitesDirectory(env = process.env) {
  return join(dirname(cacheDirectory(env)), 'suites');
}

/** The folder of one suite: the sources of its release, which the tests read, and in `bin` a binary for each package. */
export function suiteFolder(name, env = process.env) {
  return join(suitesDirectory(env), `${name}-${SUITES[name].version}`);
}

/** The packages of one suite, each with its binary and the folder that it runs in; undefined when one of them is missing. */
export function findSuite(name, env = process.env) {
  const folder = suiteFolder(name, env);
  const { packages } = SUITES[name];
  if (!existsSync(folder) || !holds(join(folder, 'bin'), Object.keys(packages))) return undefined;
  return Object.entries(packages).map(([key, path]) => ({
    name: key,
    binary: join(folder, 'bin', key),
    folder: join(folder, path),
  }));
}
