import assert from 'node:assert/strict';
import type { Transport } from '@kubewright/kube';
import { call } from '../support/api.ts';
import { NAMESPACE } from './episode.ts';
import { WIDGET_CRD, widget } from './kinds/widget.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Makes the namespace and the custom resource, and waits until the resource is served. */
export async function prepare(transport: Transport): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } };
  await call(transport, 'POST', '/api/v1/namespaces', namespace);
  const created = await call(transport, 'POST', CRDS, WIDGET_CRD);
  assert(created.status === 201, `the CRD was refused: ${JSON.stringify(created.body)}`);
  for (let tries = 0; tries < 200; tries++) {
    const { status } = await call(transport, 'GET', widget.collection(NAMESPACE));
    if (status === 200) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  assert.fail('the custom resource is not served');
}
