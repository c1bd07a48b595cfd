import { createApiServer } from '@kubewright/apiserver';
import { createClient } from '@kubewright/client';
import { corev1 } from '@kubewright/kube';
import { createManager, installDefinitions, silentLogger } from '@kubewright/runtime';
import { expect, test } from 'vitest';
import { ANNOTATIONS, type Approval } from '../api.ts';
import { approvalId, approvalsOf } from '../annotations/find-approval.ts';
import { SITES } from '../demo/site.ts';
import { addRecords } from './add-records.ts';
import { placeOf } from '../annotations/place-of.ts';
import { requestFor } from './notes.ts';
import { isUseStored } from './record-steps.ts';

const WEB = { namespace: 'default', name: 'web' };

test('DRF-50 an approval that was used goes, even when its parent has changed since', async () => {
  const server = createApiServer();
  const stop = new AbortController();
  const admin = createClient(server.transport());
  await installDefinitions(admin, [SITES.definition], { fieldManager: 'test' });
  const used: Approval = { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', generation: 1, mode: 'once' };
  await admin.create(SITES, {
    apiVersion: 'demo.kubewright.io/v1',
    kind: 'Site',
    metadata: { ...WEB, annotations: { [ANNOTATIONS.approvals]: JSON.stringify([used]) } },
    spec: { color: 'red' },
  });
  const annotations = { [ANNOTATIONS.usedApprovals]: approvalId(used) };
  await admin.create(corev1.configmaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...WEB, annotations },
  });
  const site = await admin.patch(SITES, WEB, { type: 'merge', body: { spec: { color: 'blue' } } });
  expect(site.metadata.generation).toBe(2);

  const manager = createManager({ client: createClient(server.transport()), log: silentLogger });
  const { wake } = addRecords(manager, isUseStored);
  const ended = manager.start(stop.signal);
  wake(requestFor(placeOf(site)));
  await expect.poll(async () => approvalsOf(await admin.get(SITES, WEB))).toEqual([]);

  stop.abort();
  await ended;
  await server.close();
});
