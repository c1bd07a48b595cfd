import { createApiServer } from '@kubewright/apiserver';
import { type Client, createClient } from '@kubewright/client';
import { corev1, type KubeObject, type Transport } from '@kubewright/kube';
import { createManager, silentLogger } from '@kubewright/runtime';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ToolRecord } from '../decide/review.ts';
import { createToolRecords, type ToolRecords } from './tool-records.ts';

let admin: Client;
let records: ToolRecords;
let stop: AbortController;
let ended: Promise<void>;
let calls: string[];

beforeEach(async () => {
  const server = createApiServer();
  admin = createClient(server.transport());
  stop = new AbortController();
  calls = [];
  const counted = (transport: Transport): Transport => ({
    request(request) {
      calls.push(request.path);
      return transport.request(request);
    },
    close: () => transport.close(),
  });
  const manager = createManager({ client: createClient(counted(server.transport())), log: silentLogger });
  records = createToolRecords(manager);
  ended = manager.start(stop.signal);
  await manager.cache.waitForSync();
});
afterEach(async () => {
  stop.abort();
  await ended;
});

const marked = (metadata: object): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', ...metadata },
});
const released = marked({
  annotations: { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'default' },
});

/** As Helm stores a revision of a release. */
function revision(version: number, status: string, name = 'web'): Promise<unknown> {
  return admin.create(corev1.secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      namespace: 'default',
      name: `sh.helm.release.v1.${name}.v${version}`,
      labels: { owner: 'helm', name, status, version: String(version) },
    },
    data: { release: 'c2VjcmV0' },
  });
}

describe('what tools record', () => {
  test('DRF-137 the latest revision of a release of Helm is known by its Secret, of which only labels are kept', async () => {
    await revision(9, 'superseded');
    await revision(10, 'pending-upgrade');
    await revision(11, 'deployed', 'web-2');
    expect(records.of(released)).toEqual([
      {
        title: 'Helm release default/web',
        apiVersion: '',
        kind: 'Secret',
        namespace: 'default',
        name: 'web',
      },
    ]);
    const known = (): readonly ToolRecord[] => records.of(released);
    await vi.waitFor(() => expect(known()[0]).toHaveProperty('object'));
    expect(known()).toMatchObject([
      { kind: 'Secret', name: 'sh.helm.release.v1.web.v10', revision: { text: 'revision 10', isNew: true } },
    ]);
    expect(JSON.stringify(known())).not.toContain('c2VjcmV0');
  });

  test('DRF-137 of a kind that is not served nothing is known, and a hundred writes are no hundred calls', async () => {
    const labels = { 'kustomize.toolkit.fluxcd.io/name': 'apps', 'argocd.argoproj.io/instance': 'web' };
    const before = records.of(marked({ labels }));
    expect(before).toMatchObject([{ kind: 'Application' }, { kind: 'Kustomization' }]);
    calls = [];
    for (let write = 0; write < 100; write++) {
      expect(records.of(marked({ labels }))).toEqual(before);
      await revision(write, 'deployed');
    }
    expect(calls.length).toBeLessThan(20);
  });

  test('DRF-137 what has no mark, or the copied id of another object, has no record', () => {
    expect(records.of(marked({}))).toEqual([]);
    const of = (id: string) => records.of(marked({ annotations: { 'argocd.argoproj.io/tracking-id': id } }));
    expect(of('web:apps/Deployment:default/web')).toHaveLength(1);
    for (const id of ['web:apps/Deployment:default/other', 'web:/Deployment:default/web', 'web', '::'])
      expect(of(id)).toEqual([]);
    expect(of('team_web:apps/Deployment:default/web')).toMatchObject([{ namespace: 'team', name: 'web' }]);
  });
});
