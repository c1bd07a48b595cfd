import { ApiError, type Client } from '@kubewright/client';
import type { ManagedFieldsEntry, Stored } from '@kubewright/kube';
import { describe, expect, test } from 'vitest';
import { paintFor } from '../../../kit/paint.ts';
import { readManagedFields } from '../../read-managed-fields.ts';
import { describeScan } from './describe-scan.ts';
import { recordOf } from './record-of.ts';
import { scanKind } from './scan-kind.ts';
import { scanFindings, scanReport } from './scan-report.ts';
import { splitOwnership } from './split-ownership.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };

function entry(manager: string, operation: string, ...keys: readonly string[]): ManagedFieldsEntry {
  const data = Object.fromEntries(keys.map((key) => [`f:${key}`, {}]));
  return { manager, operation, apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': data } };
}

function configMap(name: string, ...managedFields: readonly ManagedFieldsEntry[]): Stored {
  const metadata = { name, namespace: 'shop', uid: name, resourceVersion: '7', managedFields };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

function pairsOf(...managedFields: readonly ManagedFieldsEntry[]): readonly string[] {
  return splitOwnership(readManagedFields(configMap('a', ...managedFields)).claims).map(
    ({ applier, other, shared }) => `${applier.manager} ${other.manager} ${shared.size}`,
  );
}

describe('split ownership', () => {
  test('is a field that an applier and another manager own', () => {
    expect(pairsOf(entry('ci', 'Apply', 'a', 'b'), entry('helm', 'Update', 'b', 'c'))).toEqual(['ci helm 1']);
    expect(pairsOf(entry('ci', 'Apply', 'a'), entry('helm', 'Update', 'c'))).toEqual([]);
  });

  test('needs an applier: an update removes whatever it leaves out', () => {
    expect(pairsOf(entry('edit', 'Update', 'a'), entry('helm', 'Update', 'a'))).toEqual([]);
  });

  test('of two appliers is one pair; the Update entry of an applier is another owner', () => {
    expect(
      pairsOf(entry('ci', 'Apply', 'a'), entry('eno', 'Apply', 'a'), entry('ci', 'Update', 'a')),
    ).toEqual(['ci eno 1', 'ci ci 1', 'eno ci 1']);
  });
});

const SHARED = configMap('shared', entry('ci', 'Apply', 'a', 'b'), entry('helm', 'Update', 'a'));
const OWN = configMap('own', entry('ci', 'Apply', 'a'));
const BROKEN = configMap('broken', { manager: 'old', operation: 'Update', fieldsType: 'FieldsV1' });

/** Serves pages of one object each. Each of `failures` is the first answer to a later page. */
function pagesOf(items: readonly Stored[], failures: readonly Error[] = []): Pick<Client, 'list'> {
  const pending = [...failures];
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fake has objects of one kind
    list: (async (_ref: unknown, { continue: from = '0' }: { readonly continue?: string }) => {
      const failure = from === '0' ? undefined : pending.shift();
      if (failure !== undefined) throw failure;
      const at = Number(from);
      const next = at + 1 < items.length ? { continue: String(at + 1) } : {};
      return { items: items.slice(at, at + 1), resourceVersion: '9', ...next };
    }) as Client['list'],
  };
}

const filter = { signal: new AbortController().signal, onPage: () => undefined };

function expired(): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: 410,
    reason: 'Expired',
  });
}

describe('a scan', () => {
  test('reads all pages and reports what is split, and entries that the server cannot decode', async () => {
    const found = await scanKind(pagesOf([SHARED, OWN, BROKEN]), CONFIG_MAPS, filter);
    const report = scanReport([found], [{ kind: 'secrets', problem: 'secrets is forbidden' }]);
    expect(describeScan(report, paintFor(false))).toMatchInlineSnapshot(`
      "ci (Apply) and helm (Update): 1 object
        ConfigMap shop/shared   1 field, such as .data.a
      unreadable ConfigMap shop/broken: the entry of old: no apiVersion
      not scanned secrets: secrets is forbidden
      1 of 3 objects of 1 kind has split ownership
      kubewright owners plan configmap/shared -n shop --to ci shows what ends it
      "
    `);
    expect(scanFindings(report)).toMatchObject({
      objects: 3,
      split: 1,
      pairs: [{ applier: 'ci', other: { manager: 'helm', operation: 'Update' } }],
    });
  });

  test('begins a list again whose pages have expired, and counts each object once', async () => {
    const found = await scanKind(pagesOf([SHARED, SHARED], [expired()]), CONFIG_MAPS, filter);
    expect(found).toMatchObject({ objects: 2, split: 2 });
    await expect(
      scanKind(pagesOf([SHARED, OWN], [expired(), expired(), expired()]), CONFIG_MAPS, filter),
    ).rejects.toThrow(ApiError);
  });

  test('prints names from the cluster without control characters', async () => {
    const hostile = configMap('x\u001b[2J', entry('ci\u001b', 'Apply', 'a'), entry('helm', 'Update', 'a'));
    const report = scanReport([await scanKind(pagesOf([hostile]), CONFIG_MAPS, filter)], []);
    expect(describeScan(report, paintFor(false))).not.toContain('\u001b');
  });
});

describe('the record that an object names', () => {
  const of = (manager: string, annotations: Record<string, string>, labels: Record<string, string> = {}) =>
    recordOf({ name: 'a', annotations, labels }, manager);

  test('is that of the tool which applies it', () => {
    const release = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': 'shop' };
    expect(of('helm', release)).toBe('--release web -n shop');
    expect(of('ci', release)).toBeUndefined();
    const tracking = { 'argocd.argoproj.io/tracking-id': 'web:apps/Deployment:shop/web' };
    expect(of('argocd-controller', tracking)).toBe('--application web -n argocd');
    const flux = {
      'kustomize.toolkit.fluxcd.io/name': 'web',
      'kustomize.toolkit.fluxcd.io/namespace': 'flux',
    };
    expect(of('kustomize-controller', {}, flux)).toBe('--kustomization web -n flux');
  });

  test('is not what no name is, because the line is to be pasted into a shell', () => {
    const release = {
      'meta.helm.sh/release-name': 'web; rm -rf ~',
      'meta.helm.sh/release-namespace': 'shop',
    };
    expect(of('helm', release)).toBeUndefined();
    expect(of('helm', {})).toBeUndefined();
  });
});
