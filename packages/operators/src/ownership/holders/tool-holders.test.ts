import type { JsonObject, ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { toolHolders } from './tool-holders.ts';

const entry = (
  manager: string,
  operation: string,
  fieldsV1: JsonObject,
  subresource = '',
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...(subresource === '' ? {} : { subresource }),
});
const DATA = { 'f:data': { 'f:a': {} } };
const object = (metadata: object, ...managedFields: readonly ManagedFieldsEntry[]): Stored => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'shop', uid: 'u', resourceVersion: '1', managedFields, ...metadata },
});
const helm = {
  annotations: { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop' },
};
const ourHelm = { 'f:metadata': { 'f:annotations': { 'f:meta.helm.sh/release-name': {} } } };
const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n' };
const ourOwner = { 'f:metadata': { 'f:ownerReferences': { 'k:{"uid":"n"}': {} } } };
const INSTANCE = { 'app.kubernetes.io/instance': 'web' };
const instance = { 'f:metadata': { 'f:labels': { 'f:app.kubernetes.io/instance': {} } } };
const webhook = (fields: JsonObject): JsonObject => ({
  'f:webhooks': { 'k:{"name":"w"}': { '.': {}, 'f:name': {}, ...fields } },
});
const bundle = { 'f:clientConfig': { 'f:caBundle': {} } };

describe('who has an object, by what the object says', () => {
  test.each<[what: string, live: Stored, holders: readonly string[]]>([
    ['nobody, where only we apply it', object({}, entry('eno', 'Apply', DATA)), []],
    ['nobody, where others only wrote it', object({}, entry('kubectl-create', 'Update', DATA)), []],
    ['a Helm release', object(helm), ['Helm release shop/web']],
    [
      'the same, beside us',
      object(helm, entry('eno', 'Apply', ourHelm), entry('helm', 'Update', ourHelm)),
      ['Helm release shop/web'],
    ],
    ['nobody, where the mark is of our manifest', object(helm, entry('eno', 'Apply', ourHelm)), []],
    [
      'an Argo CD Application, by its label',
      object({ labels: { 'argocd.argoproj.io/instance': 'web' } }),
      ['Argo CD Application web'],
    ],
    [
      'a HelmRelease of Flux',
      object({
        labels: { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': 'flux' },
      }),
      ['Flux HelmRelease flux/web'],
    ],
    ['an inventory', object({ annotations: { 'config.k8s.io/owning-inventory': 'i' } }), ['inventory i']],
    [
      'nobody, where a chart only says by what it was rendered',
      object({ labels: { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/instance': 'web' } }),
      [],
    ],
    ['an owner', object({ ownerReferences: [owner] }), ['Node n (owner reference)']],
    [
      'nobody, where the owner is of our manifest',
      object({ ownerReferences: [owner] }, entry('eno', 'Apply', ourOwner)),
      [],
    ],
    ['another applier', object({}, entry('ci', 'Apply', DATA), entry('eno', 'Apply', DATA)), ['ci (Apply)']],
    [
      'nobody, where one applies the status',
      object({}, entry('ci', 'Apply', { 'f:status': {} }, 'status')),
      [],
    ],
    [
      'nobody, where one only fills in CA bundles',
      object({}, entry('cainjector', 'Apply', webhook(bundle))),
      [],
    ],
    [
      'one that applies more than that',
      object({}, entry('ci', 'Apply', webhook({ ...bundle, 'f:rules': {} }))),
      ['ci (Apply)'],
    ],
    [
      'an Argo CD Application, by a label of charts that Argo CD has written',
      object(
        { labels: INSTANCE },
        entry('argocd-controller', 'Update', instance),
        entry('eno', 'Apply', DATA),
      ),
      ['Argo CD Application web'],
    ],
    [
      'nobody, where somebody else has written it',
      object(
        { labels: INSTANCE },
        entry('kubectl-create', 'Update', instance),
        entry('eno', 'Apply', instance),
      ),
      [],
    ],
    [
      'an applier whose entry cannot be read',
      object({}, entry('ci', 'Apply', { 'x:data': {} }), entry('eno', 'Apply', DATA)),
      ['ci (Apply)'],
    ],
    [
      'nobody, where such an entry is no apply, is of a subresource, or is ours',
      object(
        {},
        entry('ci', 'Update', { 'x:data': {} }),
        entry('ci', 'Apply', { 'x:data': {} }, 'status'),
        entry('eno', 'Apply', { 'x:data': {} }),
      ),
      [],
    ],
    [
      'nobody, by a key of the prototype',
      object({ labels: JSON.parse('{"__proto__": {"kapp.k14s.io/app": "x"}}') as object }),
      [],
    ],
  ])('%s', (_what, live, holders) => {
    expect(toolHolders(live)).toEqual(holders);
  });
});
