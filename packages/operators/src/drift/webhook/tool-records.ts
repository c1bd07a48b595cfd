import { ApiError, type KindRef } from '@kubewright/client';
import { corev1, defined, type KubeObject, parseApiVersion, type Stored } from '@kubewright/kube';
import { detach } from '@kubewright/kube/serving';
import { type Manager, type PartRef, partOf } from '@kubewright/runtime';
import { type ToolMark, toolMarks, type ToolRecordKind } from '../../kit/tool-marks.ts';
import type { ToolRecord } from '../decide/review.ts';
import { projectTool, revisionIn } from './project-tool.ts';

/** What the tools record whose marks an object has, as far as it is cached. */
export type ToolRecords = {
  /** Waits for nothing: what is not cached yet is begun to be. */
  of(object: KubeObject): readonly ToolRecord[];
};

type Source = { readonly ref: KindRef; readonly kind: string; readonly labelSelector?: string };

const SOURCES: Partial<Record<ToolRecordKind, Source>> = {
  Kustomization: sourceOf('kustomize.toolkit.fluxcd.io', 'Kustomization'),
  HelmRelease: sourceOf('helm.toolkit.fluxcd.io', 'HelmRelease'),
  Application: sourceOf('argoproj.io', 'Application'),
  // Helm stores each revision of a release in a Secret with labels.
  Release: { ref: corev1.secrets, kind: 'Secret', labelSelector: 'owner=helm' },
};

function sourceOf(group: string, kind: string): Source {
  return { ref: { group, kind }, kind };
}

/** Where Argo CD is installed, as its manifests have it. */
const ARGO_NAMESPACE = 'argocd';
/** Whether a kind is served, and may be read, is asked again after so long. */
const AGAIN_MS = 60_000;
const BY_NAME = 'tool';

export function createToolRecords(manager: Pick<Manager, 'cache' | 'client' | 'clock'>): ToolRecords {
  const watched = new Map<ToolRecordKind, () => PartRef | undefined>();
  const partFor = (kind: ToolRecordKind, source: Source): PartRef | undefined => {
    const part = watched.get(kind) ?? watchedPart(manager, source);
    watched.set(kind, part);
    return part();
  };
  const recordsFor = ({ title, record }: ToolMark): readonly ToolRecord[] => {
    const source = SOURCES[record.kind];
    if (source === undefined) return [];
    const { kind, ref } = source;
    const part = partFor(record.kind, source);
    if (part === undefined) {
      const { namespace = '', name } = record;
      return [{ title, apiVersion: ref.group, kind, namespace, name }];
    }
    const object = objectFor(record, manager.cache.byIndex(part, BY_NAME, keyFor(record)));
    return object === undefined ? [] : [recordIn(object, title)];
  };
  return {
    of: (object) =>
      toolMarks(object)
        .filter((mark) => isAbout(mark, object))
        .flatMap(recordsFor),
  };
}

/** The cached part of a kind, once it is there. It is begun where the kind is served and may be listed. */
function watchedPart(
  { cache, client, clock }: Pick<Manager, 'cache' | 'client' | 'clock'>,
  { ref, ...selection }: Source,
): () => PartRef | undefined {
  const { labelSelector } = selection;
  const selected = defined({ labelSelector });
  const part = partOf<KubeObject>(ref, 'tools', { ...selected, transform: projectTool, isOnDemand: true });
  let isBegun = false;
  let next = clock.monotonic();
  const begin = async (): Promise<void> => {
    await client.list(ref, { limit: 1, ...selected });
    cache.addIndex(part, BY_NAME, keysOf);
    isBegun = true;
  };
  return () => {
    if (isBegun) return cache.informer(part).synced ? part : undefined;
    if (clock.monotonic() < next) return undefined;
    next = clock.monotonic() + AGAIN_MS;
    detach(begin, (error) => {
      // A server that does not respond is asked at the next write.
      if (!(error instanceof ApiError)) next = clock.monotonic();
    });
    return undefined;
  };
}

/** Argo CD ignores an id that is another object's: it has been copied. */
function isAbout({ key, value }: ToolMark, { apiVersion, kind, metadata }: KubeObject): boolean {
  if (key !== 'argocd.argoproj.io/tracking-id') return true;
  const [, about, place = ''] = value.split(':', 3);
  if (about !== `${parseApiVersion(apiVersion).group}/${kind}`) return false;
  // Of an object without a namespace, the id has that of the Application's destination.
  const { namespace = place.split('/', 1)[0] ?? '', name } = metadata;
  return place === `${namespace}/${name}`;
}

function keysOf({ kind, metadata }: Stored): readonly string[] {
  const { namespace = '' } = metadata;
  const name = kind === 'Secret' ? (metadata.labels?.['name'] ?? '') : metadata.name;
  return [`${namespace}/${name}`, `/${name}`];
}

function keyFor({ namespace = '', name }: ToolMark['record']): string {
  return `${namespace}/${name}`;
}

/** The latest revision of a release; of Applications of the same name, that where Argo CD is. */
function objectFor({ kind }: ToolMark['record'], found: readonly Stored[]): Stored | undefined {
  if (kind === 'Release') return found.toSorted((one, other) => versionOf(other) - versionOf(one))[0];
  return found.length <= 1 ? found[0] : found.find(({ metadata }) => metadata.namespace === ARGO_NAMESPACE);
}

function versionOf({ metadata }: Stored): number {
  const version = Number(metadata.labels?.['version']);
  return Number.isInteger(version) ? version : 0;
}

function recordIn(object: Stored, title: string): ToolRecord {
  const { apiVersion, kind, metadata } = object;
  const { namespace = '', name } = metadata;
  return { title, apiVersion, kind, namespace, name, object, ...defined({ revision: revisionIn(object) }) };
}
