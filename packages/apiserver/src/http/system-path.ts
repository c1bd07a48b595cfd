import { KUBERNETES_VERSION } from '../kubernetes-version.ts';
import type { Registry } from '../registry/registry.ts';
import { jsonReply, type Reply, textReply } from '../request/reply.ts';

const HEALTH = new Set(['/healthz', '/livez', '/readyz']);

/** Health, version and the root; undefined for all other paths. */
export function systemPath(path: string, registry: Registry): Reply | undefined {
  if (
    HEALTH.has(path) ||
    path.startsWith('/healthz/') ||
    path.startsWith('/readyz/') ||
    path.startsWith('/livez/')
  ) {
    return textReply(200, 'ok');
  }
  if (path === '/version' || path === '/version/') return version();
  return path === '/' ? root(registry) : undefined;
}

function version(): Reply {
  const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.', 2);
  return jsonReply(200, {
    major,
    minor,
    gitVersion: KUBERNETES_VERSION,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'kubewright',
    platform: `${process.platform}/${process.arch}`,
  });
}

function root(registry: Registry): Reply {
  const served = registry.all().flatMap(({ group, version }) => {
    return group === '' ? [`/api/${version}`] : [`/apis/${group}`, `/apis/${group}/${version}`];
  });
  const paths = new Set([
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    '/openapi/v2',
    '/openapi/v3',
    '/readyz',
    '/version',
    ...served,
  ]);
  return jsonReply(200, { paths: [...paths].sort() });
}
