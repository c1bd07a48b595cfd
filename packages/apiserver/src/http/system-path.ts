import { KUBERNETES_VERSION } from '../kubernetes-version.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { Registry } from '../registry/registry.ts';
import { jsonReply, type Reply, textReply } from '../request/reply.ts';

/** Go's names of processors. */
const GO_ARCH: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** Of the checks of a real server those that there are here. */
const LIVE = ['ping', 'log', 'etcd'];
const HEALTH: Readonly<Record<string, readonly string[]>> = {
  healthz: LIVE,
  livez: LIVE,
  readyz: [...LIVE, 'etcd-readiness', 'informer-sync', 'shutdown'],
};

/** Health, version and the root; undefined for all other paths. */
export function systemPath({ path, query }: RequestInfo, registry: Registry): Reply | undefined {
  const [, first = '', ...rest] = path.split('/');
  const checks = Object.hasOwn(HEALTH, first) ? HEALTH[first] : undefined;
  if (checks !== undefined) {
    if (rest.length === 0) return health(first, checks, query);
    return checks.includes(rest.join('/')) ? textReply(200, 'ok') : undefined;
  }
  if (path === '/version' || path === '/version/') return version();
  return path === '/' ? root(registry) : undefined;
}

function health(name: string, checks: readonly string[], query: URLSearchParams): Reply {
  if (!query.has('verbose')) return textReply(200, 'ok');
  const excluded = query.getAll('exclude');
  const lines = checks.map((check) => `[+]${check} ${excluded.includes(check) ? 'excluded: ' : ''}ok`);
  return textReply(200, `${lines.join('\n')}\n${name} check passed\n`);
}

function version(): Reply {
  const [major = '', minor = ''] = KUBERNETES_VERSION.slice(1).split('.', 2);
  return jsonReply(200, {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: KUBERNETES_VERSION,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'kubewright',
    platform: `${process.platform}/${GO_ARCH[process.arch] ?? process.arch}`,
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
