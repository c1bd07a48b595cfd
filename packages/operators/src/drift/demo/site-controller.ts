import { type Client, ignoreNotFound, isConflict, keyOf } from '@kubewright/client';
import { corev1, formatTime, jsonEqual, ownerReferenceTo } from '@kubewright/kube';
import { type Site, SITES } from './site.ts';

/** The user of the Site controller. */
export const SITE_CONTROLLER = {
  username: 'system:serviceaccount:demo-drift:site-controller',
  groups: ['system:masters'],
};

/** How a version of the controller makes the ConfigMap's content from a Site. */
export type Render = (site: Site) => Readonly<Record<string, string>>;

export const version1: Render = ({ spec }) => ({ color: spec.color });
/** It drifts: it adds a field that no Site has. */
export const version2: Render = ({ spec }) => ({ color: spec.color, theme: 'dark' });

const TRIES = 5;

/** Reconciles a Site: the ConfigMap, then the status. Returns whether it wrote anything. */
export async function reconcileSite(
  client: Client,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  render: Render,
  now: number,
): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    const site = await client.get(SITES, { namespace, name });
    try {
      const outcome = await writeConfigMap(client, site, render(site));
      // A mutating webhook may have undone an accepted write: only the response counts.
      if (outcome === 'undone') return true;
      return (await writeStatus(client, site, now)) || outcome === 'stored';
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
  }
}

async function writeConfigMap(
  client: Client,
  site: Site,
  data: Readonly<Record<string, string>>,
): Promise<'unchanged' | 'stored' | 'undone'> {
  const { name, namespace } = site.metadata;
  const live = await ignoreNotFound(client.get(corev1.configmaps, { namespace, name }));
  if (live !== undefined) {
    if (jsonEqual(live.data, data)) return 'unchanged';
    const stored = await client.update(corev1.configmaps, { ...live, data });
    return jsonEqual(stored.data, data) ? 'stored' : 'undone';
  }
  const ownerReferences = [ownerReferenceTo(site, { controller: true })];
  const metadata = { name, namespace, ownerReferences };
  await client.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  return 'stored';
}

async function writeStatus(client: Client, site: Site, now: number): Promise<boolean> {
  const { generation = 0 } = site.metadata;
  if (site.status?.observedGeneration === generation) return false;
  const ready = { type: 'Ready', status: 'True', reason: 'Served', message: '' } as const;
  const conditions = [{ ...ready, lastTransitionTime: formatTime(new Date(now)) }];
  const status = { observedGeneration: generation, conditions };
  await client.patch(SITES, keyOf(site), { type: 'merge', body: { status } }, { subresource: 'status' });
  return true;
}
