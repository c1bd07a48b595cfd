import { ApiError, type Client, ignoreNotFound } from '@kubewright/client';
import type { JsonObject, KubeObject, Stored } from '@kubewright/kube';
import { guarded } from './guarded-apply.ts';
import { object } from './ownership-objects.ts';

const CONFIG_MAPS = { group: '', version: 'v1', kind: 'ConfigMap' };

type Key = { readonly namespace: string; readonly name: string };

/** A tool beside the operator that has objects too. */
export type ForeignTool = {
  /** Takes an object over, if it is there. */
  readonly take: (client: Client, key: Key) => Promise<void>;
  /** Gives up an object, if it is there: it stays. */
  readonly yieldIt: (client: Client, key: Key) => Promise<void>;
  readonly has: (live: KubeObject) => boolean;
};

/** A tool that finds its objects by a label or an annotation. */
function marking(
  manager: string,
  on: 'labels' | 'annotations',
  marks: Readonly<Record<string, string>>,
): ForeignTool {
  const patch = async (client: Client, key: Key, values: JsonObject): Promise<void> => {
    const body = { metadata: { [on]: values } };
    await client
      .patch(CONFIG_MAPS, key, { type: 'merge', body }, { fieldManager: manager })
      .catch(unlessGone);
  };
  const names = Object.keys(marks);
  return {
    take: (client, key) => patch(client, key, marks),
    yieldIt: (client, key) => patch(client, key, Object.fromEntries(names.map((name) => [name, null]))),
    has: ({ metadata }) => names.some((name) => metadata[on]?.[name] !== undefined),
  };
}

/** A tool that applies the object with a manifest of its own. */
function applying(manager: string): ForeignTool {
  const apply = async (client: Client, key: Key, fields: JsonObject): Promise<void> => {
    const live = await ignoreNotFound(client.get(CONFIG_MAPS, key));
    if (live === undefined) return;
    const manifest = object({ apiVersion: 'v1', kind: 'ConfigMap', metadata: key, ...fields });
    await guarded(client, CONFIG_MAPS, live, manifest, manager).catch(unlessGone);
  };
  return {
    take: (client, key) => apply(client, key, { data: { [manager]: '1' } }),
    yieldIt: (client, key) => apply(client, key, {}),
    has: ({ metadata: { managedFields = [] } }) =>
      managedFields.some((entry) => entry.manager === manager && entry.operation === 'Apply'),
  };
}

/** A controller that owns the object by reference. Its own object is there from then on. */
function owning(name: string): ForeignTool {
  const refer = async (client: Client, key: Key, ownerReferences: readonly JsonObject[] | null) => {
    const body = { metadata: { ownerReferences } };
    await client
      .patch(CONFIG_MAPS, key, { type: 'merge', body }, { fieldManager: 'some-controller' })
      .catch(unlessGone);
  };
  const type = { apiVersion: 'v1', kind: 'ConfigMap' };
  return {
    async take(client, key) {
      const own = { namespace: key.namespace, name };
      const there: Stored | undefined = await ignoreNotFound(client.get(CONFIG_MAPS, own));
      const { metadata } = there ?? (await client.create(CONFIG_MAPS, object({ ...type, metadata: own })));
      await refer(client, key, [{ ...type, name, uid: metadata.uid }]);
    },
    yieldIt: (client, key) => refer(client, key, null),
    has: ({ metadata: { ownerReferences = [] } }) => ownerReferences.some((one) => one.name === name),
  };
}

/** Whoever shares objects with the operator, by the ways in which it has to know them. */
export const foreignTools: readonly ForeignTool[] = [
  marking('helm', 'annotations', {
    'meta.helm.sh/release-name': 'web',
    'meta.helm.sh/release-namespace': 'shop',
  }),
  marking('argocd-controller', 'annotations', { 'argocd.argoproj.io/tracking-id': 'web:/ConfigMap:shop/x' }),
  marking('kustomize-controller', 'labels', {
    'kustomize.toolkit.fluxcd.io/name': 'apps',
    'kustomize.toolkit.fluxcd.io/namespace': 'flux-system',
  }),
  applying('ci'),
  owning('owner-of-others'),
];

/** Whether one of them has the object. */
export function isOfTool(live: KubeObject): boolean {
  return foreignTools.some(({ has }) => has(live));
}

function unlessGone(error: unknown): void {
  if (!(error instanceof ApiError && (error.code === 404 || error.code === 409))) throw error;
}
