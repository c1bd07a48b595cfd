import { type ApiError, type Client, isForbidden, type ResourceRef } from '@kubewright/client';
import {
  apiextensionsv1,
  corev1,
  type KubeObject,
  ownerReferenceTo,
  type Stored,
  type Transport,
} from '@kubewright/kube';
import { installDefinitions } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { useOperator } from '../kit/testing/use-operator.ts';
import { ANNOTATIONS, KAUSALITIES } from './api.ts';
import { driftParts } from './controller.ts';
import { annotationsOf } from './testing/annotations-of.ts';
import { createPolicy } from './testing/drift-stage.ts';
import { hopsOf } from './testing/hops-of.ts';
import { openKind } from './testing/open-kind.ts';

const KUSTOMIZATION = openKind('kustomize.toolkit.fluxcd.io', 'Kustomization', 'kustomizations');
const APPLICATION = openKind('argoproj.io', 'Application', 'applications');
const SITE = openKind('tools.example.com', 'Site', 'sites');
const KINDS = [KUSTOMIZATION, APPLICATION, SITE];
const MASTERS = ['system:masters'];
const FLUX = 'system:serviceaccount:flux-system:kustomize-controller';
const ARGO = 'system:serviceaccount:argocd:argocd-application-controller';
const [FIRST, SECOND] = ['main@sha1:1111', 'main@sha1:2222'];

type Body = { readonly [key: string]: unknown };
type Data = Readonly<Record<string, string>>;

/** Tools that leave no owner reference on what they apply, each as its source says that it writes. */
export function toolsContract(transport: () => Transport): void {
  describe('drift beside tools without owner references', () => {
    const resources = KINDS.map(({ ref }) => ref.resource);
    const apiGroups = KINDS.map(({ ref }) => ref.group);
    const operator = useOperator(transport, driftParts, { anyKind: { apiGroups, resources } });
    const { namespace } = operator;
    const as = (username: string): Client => operator.as({ username, groups: MASTERS });
    const flux = {
      'kustomize.toolkit.fluxcd.io/name': 'apps',
      'kustomize.toolkit.fluxcd.io/namespace': namespace,
    };

    beforeAll(async () => {
      const { admin } = operator;
      const definitions = KINDS.map(({ definition }) => definition);
      await installDefinitions(admin, definitions, { fieldManager: 'test' });
      await createPolicy(admin, namespace, {
        mode: 'enforce',
        namespaces: { names: [namespace] },
        resources: [
          { apiGroups: [''], resources: ['configmaps'] },
          ...KINDS.map(({ ref }) => ({ apiGroups: [ref.group], resources: [ref.resource] })),
        ],
      });
      await create(KUSTOMIZATION.ref, 'apps', { spec: { path: './apps' } });
      await create(APPLICATION.ref, 'web', { spec: {} });
      let tries = 0;
      await vi.waitFor(
        async () => {
          // The first writes make the operator watch what the tools record.
          const name = `probe-${(tries += 1)}`;
          const probe = await applyAs(FLUX, 'kustomize-controller', name, { data: {}, labels: flux });
          expect(annotationsOf(probe)).toHaveProperty([ANNOTATIONS.updaters]);
          const id = { 'argocd.argoproj.io/tracking-id': `web:/ConfigMap:${namespace}/${name}` };
          await applyAs(ARGO, 'argocd-controller', name, { data: {}, annotations: id });
          for (const { ref } of [KUSTOMIZATION, APPLICATION]) {
            const { cache } = operator.manager;
            expect(cache.informersOf(ref).map(({ synced }) => synced)).toEqual([true]);
          }
        },
        { timeout: 30_000, interval: 200 },
      );
    });
    afterAll(async () => {
      await operator.admin.delete(KAUSALITIES, { name: namespace });
      for (const { definition } of KINDS)
        await operator.admin.delete(apiextensionsv1.customresourcedefinitions, definition.metadata);
    });

    const create = (ref: ResourceRef, name: string, more: Body, by = as('alice')): Promise<Stored> =>
      by.create<KubeObject>(ref, {
        apiVersion: ref.group === '' ? ref.version : `${ref.group}/${ref.version}`,
        kind: ref.kind,
        ...more,
        metadata: { namespace, name, ...(more['metadata'] as Body | undefined) },
      });
    const applyAs = (
      user: string,
      fieldManager: string,
      name: string,
      { data, ...metadata }: { readonly data: Data; readonly labels?: Data; readonly annotations?: Data },
    ): Promise<Stored> => {
      const own = { namespace, name, ...metadata };
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: own, data } as const;
      return as(user).apply(corev1.configmaps, object, { fieldManager, force: true });
    };
    const edit = (name: string, body: Body): Promise<Stored> =>
      as('alice').patch(corev1.configmaps, { namespace, name }, { type: 'merge', body: body as never });
    /** The status of a tool's object, as soon as the operator has seen it. */
    const says = async ({ ref }: typeof SITE, name: string, user: string, status: Body): Promise<void> => {
      const body = { status } as never;
      const options = { subresource: 'status' };
      const key = { namespace, name };
      const { metadata } = await as(user).patch<KubeObject>(ref, key, { type: 'merge', body }, options);
      await vi.waitFor(() => {
        for (const informer of operator.manager.cache.informersOf(ref))
          expect(informer.get(`${namespace}/${name}`)?.metadata).toMatchObject({
            resourceVersion: metadata.resourceVersion,
          });
      });
    };
    /** As kustomize-controller reconciles: the revision that it is about to apply, what it applies, that it has. */
    const reconcile = async (revision: string, name: string, data: Data): Promise<Stored> => {
      await says(KUSTOMIZATION, 'apps', FLUX, { lastAttemptedRevision: revision });
      const applied = await applyAs(FLUX, 'kustomize-controller', name, { data, labels: flux });
      await says(KUSTOMIZATION, 'apps', FLUX, { lastAppliedRevision: revision, observedGeneration: 1 });
      return applied;
    };
    const title = `Flux Kustomization ${namespace}/apps`;
    const corrections = async (): Promise<readonly string[]> => {
      const { items } = await as('alice').list(corev1.events, { namespace });
      return items.flatMap(({ reason, message = '' }) => (reason === 'DriftCorrected' ? [message] : []));
    };

    test('DRF-130 what Flux applies names the Kustomization and its revision, and what it puts back is told as a correction', async () => {
      const made = await reconcile(FIRST, 'colors', { color: 'red' });
      expect(hopsOf(made)).toMatchObject([
        { kind: 'Kustomization', name: 'apps', generation: 1, user: FLUX, tool: { title, revision: FIRST } },
        { kind: 'ConfigMap', name: 'colors', user: FLUX },
      ]);
      expect(hopsOf(made)[0]?.tool).not.toHaveProperty('again');
      const edited = await edit('colors', { data: { color: 'pink' } });
      expect(hopsOf(edited)).toMatchObject([{ kind: 'ConfigMap', user: 'alice' }]);
      const restored = await reconcile(FIRST, 'colors', { color: 'red' });
      expect(restored.data).toEqual({ color: 'red' });
      expect(hopsOf(restored)).toMatchObject([
        { kind: 'Kustomization', user: FLUX, tool: { title, revision: FIRST, again: true } },
        { kind: 'ConfigMap', user: FLUX },
      ]);
      await expect
        .poll(corrections, { timeout: 20_000 })
        .toEqual([
          `${FLUX} updates ConfigMap colors (data.color): ${title} applies ${FIRST} again, and corrects what has been changed since`,
        ]);
      const next = await reconcile(SECOND, 'colors', { color: 'blue' });
      expect(hopsOf(next)).toMatchObject([{ tool: { title, revision: SECOND } }, { kind: 'ConfigMap' }]);
      expect(hopsOf(next)[0]?.tool).not.toHaveProperty('again');
    });

    test('DRF-131 whoever is not the tool stays the cause, whatever labels and field manager the write has', async () => {
      await reconcile(FIRST, 'genuine', { color: 'red' });
      const data = { color: 'pink' };
      const forged = await applyAs('mallory', 'kustomize-controller', 'forged', { data, labels: flux });
      expect(hopsOf(forged)).toMatchObject([{ kind: 'ConfigMap', user: 'mallory' }]);
      // Another service account of the same name: the operator knows who writes the status of the Kustomization.
      const account = 'system:serviceaccount:shop:kustomize-controller';
      const other = await applyAs(account, 'kustomize-controller', 'genuine', { data, labels: flux });
      expect(hopsOf(other)).toMatchObject([{ kind: 'ConfigMap', user: account }]);
      const elsewhere = { ...flux, 'kustomize.toolkit.fluxcd.io/name': 'none' };
      const orphan = await applyAs(FLUX, 'kustomize-controller', 'orphan', { data, labels: elsewhere });
      expect(hopsOf(orphan)).toMatchObject([{ kind: 'ConfigMap', user: FLUX }]);
    });

    test('DRF-132 a mark of a tool explains nothing of what has an owner: its drift is denied', async () => {
      const site = await create(SITE.ref, 'web', { spec: { color: 'red' } });
      const ownerReferences = [ownerReferenceTo(site, { controller: true })];
      const metadata = { ownerReferences, labels: flux };
      await create(corev1.configmaps, 'owned', { metadata, data: { color: 'red' } }, as(FLUX));
      const conditions = [{ type: 'Ready', status: 'True' }];
      await says(SITE, 'web', FLUX, { observedGeneration: 1, conditions });
      const write = applyAs(FLUX, 'kustomize-controller', 'owned', { data: { color: 'blue' }, labels: flux });
      const error: unknown = await write.catch((reason: unknown) => reason);
      expect(error).toSatisfy(isForbidden);
      expect((error as ApiError).message).toContain('nobody has changed Site web');
    });

    test('DRF-133 the account that a Kustomization has Flux use is Flux, and another is not', async () => {
      await create(KUSTOMIZATION.ref, 'team', { spec: { serviceAccountName: 'deployer' } });
      await says(KUSTOMIZATION, 'team', FLUX, { lastAttemptedRevision: FIRST });
      const labels = { ...flux, 'kustomize.toolkit.fluxcd.io/name': 'team' };
      const by = (account: string): Promise<Stored> =>
        applyAs(`system:serviceaccount:${namespace}:${account}`, 'kustomize-controller', account, {
          data: {},
          labels,
        });
      expect(hopsOf(await by('deployer'))).toMatchObject([
        { kind: 'Kustomization', name: 'team', tool: { revision: FIRST } },
        { kind: 'ConfigMap' },
      ]);
      expect(hopsOf(await by('other'))).toMatchObject([{ kind: 'ConfigMap', name: 'other' }]);
    });

    test('DRF-134 what Argo CD syncs names the Application and its revision, and its self-healing is told as a correction', async () => {
      const id = { 'argocd.argoproj.io/tracking-id': `web:/ConfigMap:${namespace}/synced` };
      const argo = `Argo CD Application web`;
      const sync = async (revision: string, before: string, color: string): Promise<Stored> => {
        const operationState = { phase: 'Running', operation: { sync: { revision } } };
        const history = [{ revision: before }];
        await says(APPLICATION, 'web', ARGO, { operationState, history, sync: { revision } });
        return applyAs(ARGO, 'argocd-controller', 'synced', { data: { color }, annotations: id });
      };
      expect(hopsOf(await sync('2222', '1111', 'red'))[0]?.tool).toEqual({ title: argo, revision: '2222' });
      await edit('synced', { data: { color: 'pink' } });
      const healed = hopsOf(await sync('2222', '2222', 'red'));
      expect(healed[0]?.tool).toEqual({ title: argo, revision: '2222', again: true });
      const copied = await applyAs(ARGO, 'argocd-controller', 'copied', { data: {}, annotations: id });
      expect(hopsOf(copied)).toMatchObject([{ kind: 'ConfigMap', name: 'copied' }]);
    });

    test('DRF-135 of a tool whose objects may not be read, no revision is known, and nothing fails', async () => {
      const release = { 'meta.helm.sh/release-name': 'web', 'meta.helm.sh/release-namespace': namespace };
      const made = await applyAs('alice', 'helm', 'released', { data: {}, annotations: release });
      expect(hopsOf(made)).toMatchObject([{ kind: 'ConfigMap', user: 'alice' }]);
      const helm = { 'helm.toolkit.fluxcd.io/name': 'web', 'helm.toolkit.fluxcd.io/namespace': namespace };
      const user = 'system:serviceaccount:flux-system:helm-controller';
      const unknown = await applyAs(user, 'helm-controller', 'unknown', { data: {}, labels: helm });
      expect(hopsOf(unknown)).toMatchObject([
        { kind: 'HelmRelease', user, tool: { title: `Flux HelmRelease ${namespace}/web` } },
        { kind: 'ConfigMap', user },
      ]);
      expect(hopsOf(unknown)[0]?.tool).not.toHaveProperty('revision');
    });
  });
}
