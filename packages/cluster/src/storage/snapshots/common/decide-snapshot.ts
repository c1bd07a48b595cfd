import { jsonEqual, type Stored } from '@kubewright/kube';
import type { EventNote } from '@kubewright/runtime';
import type { VolumeSnapshot, VolumeSnapshotContent } from '../api.ts';
import {
  BEING_DELETED,
  BOUND_FINALIZER,
  CLAIM_FINALIZER,
  CONTENT_FINALIZER,
  has,
  isDying,
  marked,
  SOURCE_FINALIZER,
  withFinalizers,
  withoutFinalizers,
} from '../marks.ts';
import { decideClass, decideCreation } from './decide-creation.ts';
import { NONE, type ObservedSnapshot, type SnapshotStep } from './snapshot-step.ts';
import { statusFrom } from './status-from.ts';

/** The next step for a VolumeSnapshot, as the snapshot controller takes it. */
export function decideSnapshot(observed: ObservedSnapshot): SnapshotStep {
  const { snapshot, claim, claimIsUsed } = observed;
  const takesNoMore = !claimIsUsed && (isReady(snapshot) || isDying(snapshot));
  if (claim !== undefined && takesNoMore && has(claim, CLAIM_FINALIZER))
    return { type: 'updateClaim', claim: withoutFinalizers(claim, CLAIM_FINALIZER) };
  if (isDying(snapshot)) return decideDeletion(observed);
  return decideFinalizers(observed) ?? (isReady(snapshot) ? decideReady(observed) : decideUnready(observed));
}

export function isReady({ status }: VolumeSnapshot): boolean {
  return status?.readyToUse === true && status.boundVolumeSnapshotContentName !== undefined;
}

function isFor(
  { spec: { volumeSnapshotRef: ref } }: VolumeSnapshotContent,
  { metadata }: VolumeSnapshot,
): boolean {
  return ref?.name === metadata.name && ref?.namespace === metadata.namespace && ref?.uid === metadata.uid;
}

function decideFinalizers({ snapshot, content }: ObservedSnapshot): SnapshotStep | undefined {
  const holds = content?.spec.deletionPolicy === 'Delete';
  const wanted = [SOURCE_FINALIZER, ...(holds ? [BOUND_FINALIZER] : [])];
  if (wanted.every((finalizer) => has(snapshot, finalizer))) return undefined;
  return { type: 'updateSnapshot', snapshot: withFinalizers(snapshot, ...wanted) };
}

/** The content first, where its policy says so; the snapshot stays until that is gone. */
function decideDeletion({ snapshot, content, isBeingRestored }: ObservedSnapshot): SnapshotStep {
  const finalizers = [SOURCE_FINALIZER, BOUND_FINALIZER].filter((finalizer) => has(snapshot, finalizer));
  if (finalizers.length === 0) return NONE;
  const ours = content !== undefined && isFor(content, snapshot) ? content : undefined;
  if (ours === undefined)
    return { type: 'updateSnapshot', snapshot: withoutFinalizers(snapshot, ...finalizers) };
  if (isBeingRestored) {
    const message = 'Snapshot is being used to restore a PVC';
    return { type: 'fail', reason: 'SnapshotDeletePending', message };
  }
  const held = heldForDeletion(ours);
  if (!jsonEqual(held.metadata, ours.metadata)) return { type: 'updateContent', content: held };
  if (ours.spec.deletionPolicy !== 'Delete')
    return { type: 'updateSnapshot', snapshot: withoutFinalizers(snapshot, ...finalizers) };
  if (!isDying(ours)) return { type: 'deleteContent', content: ours };
  if (!has(snapshot, SOURCE_FINALIZER)) return NONE;
  return { type: 'updateSnapshot', snapshot: withoutFinalizers(snapshot, SOURCE_FINALIZER) };
}

/** Without its finalizer it would take along what is known of the storage system's snapshot. */
function heldForDeletion(content: VolumeSnapshotContent): VolumeSnapshotContent {
  return marked(isDying(content) ? content : withFinalizers(content, CONTENT_FINALIZER), BEING_DELETED);
}

function decideReady({ snapshot, content }: ObservedSnapshot): SnapshotStep {
  if (content === undefined)
    return { type: 'fail', reason: 'SnapshotContentMissing', message: 'VolumeSnapshotContent is missing' };
  if (isFor(content, snapshot)) return NONE;
  const message = 'VolumeSnapshotContent is not bound to the VolumeSnapshot correctly';
  return { type: 'fail', reason: 'SnapshotMisbound', message };
}

function decideUnready(observed: ObservedSnapshot): SnapshotStep {
  const { snapshot, content } = observed;
  const { volumeSnapshotContentName: named } = snapshot.spec.source;
  if (named !== undefined) return decideNaming(observed, named);
  const chosen = decideClass(observed);
  if (chosen !== undefined) return chosen;
  if (content === undefined) return decideCreation(observed);
  return isFor(content, snapshot) ? follow(observed, content) : misbound(content);
}

function misbound({ metadata }: VolumeSnapshotContent): SnapshotStep {
  const message = `VolumeSnapshotContent [${metadata.name}] is bound to a different snapshot`;
  return { type: 'fail', reason: 'SnapshotContentMisbound', message };
}

/** A content that was there before: it is bound if it is meant for this snapshot. */
function decideNaming(observed: ObservedSnapshot, named: string): SnapshotStep {
  const { snapshot, content } = observed;
  if (content === undefined)
    return { type: 'fail', reason: 'SnapshotContentMissing', message: 'VolumeSnapshotContent is missing' };
  if (content.spec.source.snapshotHandle === undefined) {
    const message = 'VolumeSnapshotContent is dynamically provisioned while expecting a pre-provisioned one';
    return { type: 'fail', reason: 'SnapshotContentMismatch', message };
  }
  if (content.metadata.name !== named || !isMeantFor(content, snapshot)) return misbound(content);
  const bound = boundTo(content, snapshot);
  return jsonEqual(bound.spec, content.spec)
    ? follow(observed, content)
    : { type: 'updateContent', content: bound };
}

/** By name, and by uid where it says one. */
function isMeantFor({ spec }: VolumeSnapshotContent, { metadata }: VolumeSnapshot): boolean {
  const { name, namespace, uid = '' } = spec.volumeSnapshotRef ?? {};
  return name === metadata.name && namespace === metadata.namespace && ['', metadata.uid].includes(uid);
}

function boundTo(
  content: VolumeSnapshotContent,
  { metadata, spec }: Stored<VolumeSnapshot>,
): VolumeSnapshotContent {
  const { volumeSnapshotRef, volumeSnapshotClassName: own } = content.spec;
  const className = own ?? spec.volumeSnapshotClassName;
  const classed = className === undefined ? {} : { volumeSnapshotClassName: className };
  const { uid } = metadata;
  return {
    ...content,
    spec: { ...content.spec, ...classed, volumeSnapshotRef: { ...volumeSnapshotRef, uid } },
  };
}

/** The snapshot says what its content says. */
function follow({ snapshot }: ObservedSnapshot, content: Stored<VolumeSnapshotContent>): SnapshotStep {
  const before = snapshot.status ?? {};
  const status = statusFrom(before, content);
  if (jsonEqual(status, before)) return NONE;
  const name = `${snapshot.metadata.namespace}/${snapshot.metadata.name}`;
  const notes: EventNote[] = [];
  if (before.creationTime === undefined && status.creationTime !== undefined) {
    const message = `Snapshot ${name} was successfully created by the CSI driver.`;
    notes.push({ type: 'Normal', reason: 'SnapshotCreated', message });
  }
  if (before.readyToUse !== true && status.readyToUse === true)
    notes.push({ type: 'Normal', reason: 'SnapshotReady', message: `Snapshot ${name} is ready to use.` });
  return { type: 'status', status, notes };
}
