import type { JsonObject, KubeObject } from '@kubewright/kube';
import { describe, expect, it } from 'vitest';
import { appliedAlready } from './applied-already.ts';

const base = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'ns' } };
const wanted: KubeObject = {
  ...base,
  metadata: { ...base.metadata, labels: { app: 'a' } },
  spec: { ports: [{ port: 80, name: 'http' }], selector: { app: 'a' } },
};
const fieldsV1: JsonObject = {
  'f:metadata': { 'f:labels': { 'f:app': {} } },
  'f:spec': {
    'f:selector': {},
    'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:name': {} } },
  },
};
const entry = { manager: 'me', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 };
const stored = (over: JsonObject = {}, entries: readonly object[] = [entry]): KubeObject => ({
  ...wanted,
  metadata: { ...wanted.metadata, resourceVersion: '1', managedFields: entries },
  spec: {
    clusterIP: '10.0.0.1',
    selector: { app: 'a' },
    ports: [
      { port: 443, protocol: 'TCP' },
      { port: 80, name: 'http', protocol: 'TCP', targetPort: 80 },
    ],
    ...over,
  },
});
const ask = (live: KubeObject, object = wanted, manager = 'me'): boolean =>
  appliedAlready(live, object, manager);

describe('whether an apply would change anything', () => {
  it('would not, where every field is claimed and as wanted, whatever others have added', () => {
    expect(ask(stored())).toBe(true);
  });

  it.each<[string, boolean]>([
    ['a value is another', ask(stored({ selector: { app: 'b' } }))],
    ['an item of a list is another', ask(stored({ ports: [{ port: 80, protocol: 'TCP', name: 'web' }] }))],
    ['an item is gone', ask(stored({ ports: [] }))],
    ['the manager is another', ask(stored(), wanted, 'you')],
    ['the claims are of an update', ask(stored({}, [{ ...entry, operation: 'Update' }]))],
    ['the claims are of a subresource', ask(stored({}, [{ ...entry, subresource: 'status' }]))],
    ['the claims are unknown', ask(stored({}, []))],
    ['the claims make no sense', ask(stored({}, [{ ...entry, fieldsV1: { 'k:x': {} } }]))],
    [
      'more is wanted',
      ask(stored(), { ...wanted, spec: { ...(wanted['spec'] as object), type: 'NodePort' } }),
    ],
    ['less is wanted', ask(stored(), { ...wanted, metadata: base.metadata })],
    [
      'one more item is wanted',
      ask(stored(), {
        ...wanted,
        spec: { selector: { app: 'a' }, ports: [{ port: 80, name: 'http' }, { port: 443 }] },
      }),
    ],
    ['the version is another', ask(stored(), { ...wanted, apiVersion: 'v2' })],
  ])('would, when %s', (_title, applied) => {
    expect(applied).toBe(false);
  });
});
