import { ignoreNotFound, type ResourceRef } from '@kubewright/client';
import { getOwn, type JsonObject, type KubeObject } from '@kubewright/kube';
import { type Manager, type Request, watchKind } from '@kubewright/runtime';

const core = { group: '', version: 'v1', namespaced: true };
export const configMaps: ResourceRef = { ...core, resource: 'configmaps', kind: 'ConfigMap' };
export const secrets: ResourceRef = { ...core, resource: 'secrets', kind: 'Secret' };
export const namespaces: ResourceRef = {
  ...core,
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

/** What a mirror has done. */
export type MirrorLog = {
  reconciles: number;
  /** Keys that were being reconciled when their reconcile began: there must be none. */
  readonly overlaps: string[];
};

/** Adds a controller that keeps, for each ConfigMap of a namespace, a Secret with the same data, and no other. */
export function addMirror(manager: Manager, namespace: string): MirrorLog {
  const busy = new Set<string>();
  const log: MirrorLog = { reconciles: 0, overlaps: [] };
  const cached = { namespace, pageSize: 50 };
  manager.addController({
    name: 'mirror',
    maxConcurrentReconciles: 8,
    sources: [watchKind(configMaps, { cached }), watchKind(secrets, { cached })],
    reconciler: {
      async reconcile(request) {
        log.reconciles += 1;
        if (busy.has(request.name)) log.overlaps.push(request.name);
        busy.add(request.name);
        try {
          await mirror(manager, request);
        } finally {
          busy.delete(request.name);
        }
        return {};
      },
    },
  });
  return log;
}

async function mirror({ cache, client }: Manager, request: Request): Promise<void> {
  const source = cache.get(configMaps, request);
  const present = cache.get(secrets, request);
  if (source === undefined) {
    if (present === undefined) return;
    const { uid } = present.metadata;
    await ignoreNotFound(client.delete(secrets, request, { preconditions: { uid } }));
  } else if (present === undefined || secretText(present) !== mapText(source)) {
    await client.apply(secrets, secretOf(source), { force: true });
  }
}

function secretOf(source: KubeObject): KubeObject {
  const { name = '', namespace = '' } = source.metadata;
  const text = Buffer.from(mapText(source)).toString('base64');
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, data: { text } };
}

/** The data of a ConfigMap, and that of its Secret, as one text. */
export function mapText(map: KubeObject): string {
  return textOf(map);
}

export function secretText(secret: KubeObject): string {
  return Buffer.from(textOf(secret), 'base64').toString();
}

function textOf(object: KubeObject): string {
  const text = getOwn(object['data'] as JsonObject, 'text');
  return typeof text === 'string' ? text : '';
}
