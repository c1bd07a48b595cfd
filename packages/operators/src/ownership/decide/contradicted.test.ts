import type { JsonObject, Stored } from '@kubewright/kube';
import { formatPath } from '@kubewright/kube/fields';
import { applyJsonPatch } from '@kubewright/kube/patch';
import { expect, test } from 'vitest';
import { contradicted } from './contradicted.ts';

const containers = {
  'k:{"name":"web"}': { '.': {}, 'f:name': {}, 'f:image': {} },
  'k:{"name":"log"}': { '.': {}, 'f:name': {} },
};
const fieldsV1: JsonObject = {
  'f:spec': {
    'f:replicas': {},
    'f:selector': {},
    'f:template': { 'f:spec': { 'f:containers': containers, 'f:securityContext': {} } },
  },
};
const live = (operation: 'Apply' | 'Update', manager = 'eno'): Stored => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    uid: 'u',
    resourceVersion: '1',
    managedFields: [{ manager, operation, apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1 }],
  },
  spec: {
    replicas: 1,
    paused: false,
    selector: { matchLabels: { app: 'web' } },
    template: {
      spec: {
        containers: [
          { name: 'web', image: 'web:1' },
          { name: 'log', image: 'log:1' },
        ],
        securityContext: {},
      },
    },
  },
});
const pod = '/spec/template/spec';
const set = (path: string, value: JsonObject | string | number) => ({ op: 'replace', path, value });

test.each<[string, object, readonly string[]]>([
  ['a value', set('/spec/replicas', 2), ['.spec.replicas']],
  ['a removal', { op: 'remove', path: '/spec/replicas' }, ['.spec.replicas']],
  ['an atomic map', set('/spec/selector/matchLabels/app', 'x'), ['.spec.selector']],
  [
    'a field of an item',
    set(`${pod}/containers/0/image`, 'web:2'),
    ['.spec.template.spec.containers[name="web"].image'],
  ],
  ['an item', { op: 'remove', path: `${pod}/containers/1` }, ['[name="log"]', '[name="log"].name']],
  ['nothing: a field of nobody', set('/spec/paused', 1), []],
  ['nothing: a field of an item of ours that is not ours', set(`${pod}/containers/1/image`, 'log:2'), []],
  ['nothing: a new item', { op: 'add', path: `${pod}/containers/0`, value: { name: 'new' } }, []],
  [
    'nothing: something in an empty struct',
    { op: 'add', path: `${pod}/securityContext/runAsUser`, value: 1 },
    [],
  ],
])('a Patch contradicts a manifest in %s', (_title, operation, expected) => {
  const patched = applyJsonPatch(live('Apply'), [operation as JsonObject]);
  const paths = contradicted(live('Apply'), patched).map((path) => formatPath(path));
  expect(paths).toEqual(expected.map((path) => expect.stringContaining(path)));
});

test.each([live('Update'), live('Apply', 'helm')])(
  'it contradicts no manifest where another wrote',
  (object) => {
    expect(contradicted(object, applyJsonPatch(object, [set('/spec/replicas', 2)]))).toEqual([]);
  },
);
