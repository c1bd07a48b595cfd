import type { JsonObject } from '@kubewright/kube';
import { expect, vi } from 'vitest';
import type { AdmissionSuite } from '../../support/admission.ts';

/** A custom kind with a status of its own, in the namespace of a suite. */
export type Widgets = {
  readonly path: string;
  readonly group: string;
  define(): Promise<void>;
  remove(): Promise<void>;
};

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SCHEMA = {
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { size: { type: 'integer' } } },
      status: { type: 'object', properties: { size: { type: 'integer' } } },
      extra: { type: 'object', properties: { size: { type: 'integer' } } },
    },
  },
};

export function widgetsOf({ namespace, call }: Pick<AdmissionSuite, 'namespace' | 'call'>): Widgets {
  const group = `${namespace}.example.com`;
  const path = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
  const names = { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' };
  const version = { name: 'v1', served: true, storage: true, schema: SCHEMA, subresources: { status: {} } };
  return {
    path,
    group,
    async define() {
      await call('POST', DEFINITIONS, {
        metadata: { name: `widgets.${group}` },
        spec: { group, names, scope: 'Namespaced', versions: [version] },
      });
      await vi.waitFor(async () => {
        const made = await call('POST', `${path}?dryRun=All`, widget(group, 'probe'));
        expect(made.status).toBe(201);
      }, 20_000);
    },
    async remove() {
      await call('DELETE', `${DEFINITIONS}/widgets.${group}`);
    },
  };
}

export function widget(group: string, name: string, fields: JsonObject = {}): JsonObject {
  return { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec: { size: 1 }, ...fields };
}
