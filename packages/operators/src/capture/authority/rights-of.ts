import type { Client } from '@kubewright/client';
import {
  corev1,
  defined,
  KubeError,
  type KubeObject,
  parseApiVersion,
  type ResourceRef,
} from '@kubewright/kube';
import { CAPTURE_SCHEDULES, type CaptureSchedule } from '../api/capture-schedule.ts';
import {
  type CapturedKind,
  type CaptureTarget,
  MANIFEST_CAPTURE_REQUESTS,
  type ManifestCaptureRequest,
} from '../api/manifest-capture-request.ts';
import { SNAPSHOT_CONTENTS } from '../api/snapshots.ts';
import { VOLUME_CAPTURE_REQUESTS, type VolumeCaptureRequest } from '../api/volume-capture-request.ts';
import { isFromElsewhere, type VolumeRestoreRequest } from '../api/volume-restore-request.ts';
import { resolveKind, resolveTarget } from '../requests/resolve-target.ts';
import type { Right } from './right.ts';

/** What an author must be allowed to do. */
export type Needed = {
  readonly rights: readonly Right[];
  /**
   * A target that cannot be resolved: no right on it can be checked, and the controller fails the request. Should the kind
   * be served by then, only who may get everything of its group has asked for it.
   */
  readonly unresolved?: { readonly right: Right; readonly message: string };
};

/** What the operator will do for a new request: its author must be allowed to do it without the operator. */
export async function rightsOf(
  request: KubeObject,
  namespace: string,
  client: Pick<Client, 'mapper'>,
): Promise<Needed> {
  if (request.kind === MANIFEST_CAPTURE_REQUESTS.kind)
    return rightsOfManifests(request as KubeObject & ManifestCaptureRequest, namespace, client);
  if (request.kind === CAPTURE_SCHEDULES.kind)
    return rightsOfSchedule(request as KubeObject & CaptureSchedule, namespace, client);
  const rights =
    request.kind === VOLUME_CAPTURE_REQUESTS.kind
      ? rightsOfCapture(request as KubeObject & VolumeCaptureRequest, namespace)
      : rightsOfRestore(request as KubeObject & VolumeRestoreRequest, namespace);
  return { rights };
}

/** To get each target, Secrets too, or to list each kind. */
async function rightsOfManifests(
  { spec: { targets = [], selection } }: ManifestCaptureRequest,
  namespace: string,
  client: Pick<Client, 'mapper'>,
): Promise<Needed> {
  return selection === undefined
    ? rightsOfTargets(targets, namespace, client)
    : rightsOfKinds(selection.kinds, namespace, client);
}

/** What each of its requests needs, and to make them. */
async function rightsOfSchedule(
  { spec: { manifests, volumes } }: CaptureSchedule,
  namespace: string,
  client: Pick<Client, 'mapper'>,
): Promise<Needed> {
  const claims = ['get', 'list'] as const;
  const ofVolumes =
    volumes === undefined
      ? []
      : [
          on(VOLUME_CAPTURE_REQUESTS, 'create', [], namespace),
          ...claims.map((verb) => on(corev1.persistentvolumeclaims, verb, [], namespace)),
        ];
  if (manifests === undefined) return { rights: ofVolumes };
  const needed = await rightsOfKinds(manifests.selection.kinds, namespace, client);
  const create = on(MANIFEST_CAPTURE_REQUESTS, 'create', [], namespace);
  return { ...needed, rights: [create, ...needed.rights, ...ofVolumes] };
}

/** A list shows its objects whole. Of Namespaces, only the own one is read. */
async function rightsOfKinds(
  kinds: readonly CapturedKind[],
  namespace: string,
  client: Pick<Client, 'mapper'>,
): Promise<Needed> {
  const rights: Right[] = [];
  let unresolved: Needed['unresolved'];
  for (const kind of kinds) {
    const ref = await resolveKind(kind, namespace, client);
    if ('fault' in ref) unresolved = { right: onAll(kind, 'list', namespace), message: ref.fault };
    else rights.push(ref.namespaced ? on(ref, 'list', [], namespace) : on(ref, 'get', [namespace]));
  }
  return { rights, ...defined({ unresolved }) };
}

async function rightsOfTargets(
  targets: readonly CaptureTarget[],
  namespace: string,
  client: Pick<Client, 'mapper'>,
): Promise<Needed> {
  const byResource = new Map<string, Right>();
  let unresolved: Needed['unresolved'];
  for (const target of targets) {
    const ref = await resolveTarget(target, namespace, client);
    if ('fault' in ref) {
      unresolved = { right: onAll(target, 'get', namespace), message: ref.fault };
      continue;
    }
    const key = `${ref.group}/${ref.version}/${ref.resource}`;
    const { names } = byResource.get(key) ?? { names: [] };
    const where = ref.namespaced ? namespace : undefined;
    byResource.set(key, on(ref, 'get', [...names, target.name], where));
  }
  return { rights: [...byResource.values()], ...defined({ unresolved }) };
}

/** Everything of the group of a kind. */
function onAll(kind: CapturedKind, verb: Right['verb'], namespace: string): Right {
  return on({ ...groupOf(kind), resource: '*' }, verb, [], namespace);
}

/** Of an apiVersion that cannot be parsed: every group. */
function groupOf({ apiVersion }: CapturedKind): { readonly group: string; readonly version: string } {
  try {
    return parseApiVersion(apiVersion);
  } catch (error) {
    if (error instanceof KubeError) return { group: '*', version: '*' };
    throw error;
  }
}

/** A detached volume is kept, and its claim is deleted. */
function rightsOfCapture(
  { spec: { mode, target } }: VolumeCaptureRequest,
  namespace: string,
): readonly Right[] {
  const names = target === undefined ? [] : [target.name];
  const where = target?.namespace || namespace;
  const claim = (verb: Right['verb']): Right => on(corev1.persistentvolumeclaims, verb, names, where);
  if (mode !== 'Detach') return [claim('get')];
  return [claim('get'), claim('delete'), on(corev1.persistentvolumes, 'update', [])];
}

/** Who may create VolumeSnapshotContents can bring any snapshot into any namespace by hand. */
function rightsOfRestore(request: VolumeRestoreRequest, namespace: string): readonly Right[] {
  const { sourceRef } = request.spec;
  const rights = [
    on(SNAPSHOT_CONTENTS, 'get', [sourceRef.name]),
    on(corev1.persistentvolumeclaims, 'create', [], namespace),
  ];
  return isFromElsewhere(request, namespace) ? [...rights, on(SNAPSHOT_CONTENTS, 'create', [])] : rights;
}

function on(
  { group, version, resource }: Pick<ResourceRef, 'group' | 'version' | 'resource'>,
  verb: Right['verb'],
  names: readonly string[],
  namespace?: string,
): Right {
  return { verb, group, version, resource, names, ...defined({ namespace }) };
}
