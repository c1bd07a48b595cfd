import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { corev1 } from '@kubewright/kube';
import { openKind } from '../../../packages/operators/src/drift/testing/open-kind.ts';
import { valueAt } from '../../../packages/operators/src/kit/testing/value-at.ts';
import { at, isCondition, kindOf } from '../at-place.ts';
import type { Place, Scenario, Step } from '../scenario.ts';

const KUSTOMIZATIONS = kindOf('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', 'kustomizations');
const NAMES = ['GitRepository', 'Bucket', 'OCIRepository', 'ExternalArtifact'];
const SOURCES = NAMES.map((kind) =>
  openKind(
    'source.toolkit.fluxcd.io',
    kind,
    kind === 'GitRepository' || kind === 'OCIRepository'
      ? kind.toLowerCase().replace('repository', 'repositories')
      : `${kind.toLowerCase()}s`,
  ),
);
const REPOSITORIES = kindOf('source.toolkit.fluxcd.io/v1', 'GitRepository', 'gitrepositories');
const NAME = 'apps';

/** What source-controller would serve: archives, by their path. */
const archives = new Map<string, Buffer>();
const server = createServer((request, response) => {
  const found = archives.get(request.url ?? '');
  response.writeHead(found === undefined ? 404 : 200).end(found);
});
server.listen(0, '127.0.0.1').unref();

/** An archive with the manifests of a revision. */
function archiveOf(color: string, replicas: number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'kubewright-archive-'));
  mkdirSync(join(folder, 'tree'));
  const labels = { app: NAME };
  const manifests = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { color } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: NAME },
      spec: {
        replicas,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'apps:1' }] } },
      },
    },
  ];
  const text = manifests.map((one) => JSON.stringify(one)).join('\n---\n');
  writeFileSync(join(folder, 'tree', 'apps.yaml'), text);
  const file = join(folder, 'archive.tar.gz');
  execFileSync('tar', ['-czf', file, '-C', join(folder, 'tree'), '.']);
  const archive = readFileSync(file);
  rmSync(folder, { recursive: true });
  return archive;
}

let revisions = 0;
/** source-controller has fetched another revision. */
async function publish(place: Place, color: string, replicas: number): Promise<void> {
  const archive = archiveOf(color, replicas);
  const digest = `sha256:${createHash('sha256').update(archive).digest('hex')}`;
  const path = `/${place.namespace}/${(revisions += 1)}.tar.gz`;
  archives.set(path, archive);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const revision = `main@sha1:${createHash('sha1').update(path).digest('hex')}`;
  const lastUpdateTime = new Date().toISOString().replace(/\.\d+/, '');
  await at(place).mergeStatus(REPOSITORIES, NAME, {
    observedGeneration: 1,
    artifact: { url, revision, digest, path: path.slice(1), lastUpdateTime, size: archive.length },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Succeeded',
        message: '',
        observedGeneration: 1,
        lastTransitionTime: lastUpdateTime,
      },
    ],
  });
}

const isApplied = async (place: Place): Promise<boolean> => {
  const [live, source] = [await at(place).get(KUSTOMIZATIONS, NAME), await at(place).get(REPOSITORIES, NAME)];
  return (
    isCondition(live, 'Ready') &&
    valueAt(live, 'status.observedGeneration') === live.metadata.generation &&
    valueAt(live, 'status.lastAppliedRevision') === valueAt(source, 'status.artifact.revision')
  );
};
let colors = 0;
const revised: Step = {
  title: 'another revision is fetched',
  act: (place) => publish(place, `color-${(colors += 1)}`, 1 + (colors % 2)),
  until: isApplied,
};
const colorOf = async (place: Place): Promise<unknown> =>
  valueAt(await at(place).get(corev1.configmaps, 'settings'), 'data.color');
const edited: Step = {
  title: 'somebody edits an object',
  act: (place) => at(place).merge(corev1.configmaps, 'settings', { data: { color: 'by hand' } }),
  until: async (place) => (await colorOf(place)) !== 'by hand',
};

/** What Flux applies of a repository. Its objects have no owner. */
export const kustomizeController: Scenario = {
  name: 'kustomize-controller',
  leftOut: 'source-controller: the harness serves the archives',
  launch: ({ ports: [metrics, health] }) => ({
    args: [
      `--metrics-addr=127.0.0.1:${metrics}`,
      `--health-addr=127.0.0.1:${health}`,
      '--enable-leader-election=false',
      '--interval-jitter-percentage=0',
    ],
    env: { RUNTIME_NAMESPACE: 'default' },
  }),
  definitions: SOURCES.map(({ definition }) => JSON.parse(JSON.stringify(definition))),
  resources: [
    { apiGroups: ['kustomize.toolkit.fluxcd.io'], resources: ['kustomizations'] },
    { apiGroups: ['apps'], resources: ['deployments'] },
    { apiGroups: [''], resources: ['configmaps'] },
  ],
  steps: [
    {
      title: 'a Kustomization is created',
      act: async (place) => {
        await at(place).create(REPOSITORIES, NAME, {
          spec: { interval: '1h', url: 'https://example.com/apps' },
        });
        await publish(place, 'red', 1);
        await at(place).create(KUSTOMIZATIONS, NAME, {
          spec: {
            interval: '3s',
            path: './',
            prune: true,
            wait: true,
            timeout: '30s',
            targetNamespace: place.namespace,
            sourceRef: { kind: 'GitRepository', name: NAME },
          },
        });
      },
      until: isApplied,
    },
    revised,
    edited,
    {
      title: 'somebody deletes an object',
      act: (place) => at(place).remove(corev1.configmaps, 'settings'),
      until: async (place) => (await colorOf(place).catch(() => undefined)) !== undefined,
    },
    {
      title: 'it is suspended, and goes on',
      act: async (place) => {
        await at(place).merge(KUSTOMIZATIONS, NAME, { spec: { suspend: true } });
        await at(place).merge(KUSTOMIZATIONS, NAME, { spec: { suspend: false } });
      },
      until: isApplied,
    },
  ],
  later: [edited, revised],
};
