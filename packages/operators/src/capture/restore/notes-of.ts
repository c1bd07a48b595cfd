import { getOwn, isJsonArray, isJsonObject, type JsonObject, type Named } from '@kubewright/kube';
import { requestedStorage, sourceOf } from './claim-source.ts';
import { choseFamilies } from './chose-families.ts';
import { copyNotes } from './copy-notes.ts';
import type { RestoreTarget } from './retargeted.ts';
import { foreignFinalizers } from './sanitise.ts';

const EMPTY = 'a new, empty volume: restore its data first, or with --volumes';

/** What a user has to know of an object that cannot come back whole, or not as it was. */
export function notesOf(captured: JsonObject, object: Named, target: RestoreTarget): readonly string[] {
  const ofCopy = target.from === target.to ? [] : copyNotes(captured, object, target);
  const redacted = isRedacted(object)
    ? 'all its values are empty: was it captured with secrets: Redact?'
    : '';
  const notes = [
    claimNote(object, target),
    sizeNote(captured, object, target),
    redacted,
    ...ofCopy,
    ...finalizerNotes(captured, object),
  ];
  return [...notes, familyNote(captured)].filter(Boolean);
}

/** Whether a controller of this name runs here, nobody can know. */
function finalizerNotes(captured: JsonObject, { metadata }: Named): readonly string[] {
  const gone = foreignFinalizers(captured).join(', ');
  const kept = isJsonArray(metadata.finalizers) ? metadata.finalizers.join(', ') : '';
  return [
    gone === '' ? '' : `without finalizer ${gone}: its controller adds it again`,
    kept === '' ? '' : `with finalizer ${kept}: it cannot be deleted where its controller does not run`,
  ];
}

function claimNote(object: Named, { snapshots }: RestoreTarget): string {
  if (object.apiVersion !== 'v1' || object.kind !== 'PersistentVolumeClaim') return '';
  const source = sourceOf(object, snapshots);
  return source === undefined ? EMPTY : `with the data of volumesnapshotcontent/${source.metadata.name}`;
}

function sizeNote(captured: JsonObject, object: Named, { snapshots }: RestoreTarget): string {
  if (sourceOf(object, snapshots) === undefined) return '';
  const [before, now] = [requestedStorage(captured), requestedStorage(object)];
  return before === now ? '' : `requests ${now}, the size of the snapshot, in place of ${before}`;
}

function familyNote(captured: JsonObject): string {
  const { apiVersion, kind, spec } = captured;
  if (apiVersion !== 'v1' || kind !== 'Service' || !isJsonObject(spec) || choseFamilies(captured)) return '';
  const families = getOwn(spec, 'ipFamilies');
  return isJsonArray(families) && families.includes('IPv6')
    ? 'its address family was IPv6, that of its cluster: it gets the one of this cluster'
    : '';
}

function isRedacted({ kind, ...fields }: Named): boolean {
  const data = getOwn(fields, 'data');
  if (kind !== 'Secret' || !isJsonObject(data)) return false;
  const values = Object.values(data);
  return values.length > 0 && values.every((value) => value === '');
}
