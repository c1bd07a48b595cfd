import { getOwn, isJsonObject, type JsonObject, type Named } from '@kubewright/kube';
import { BUILT_IN_PROFILES, profileOf } from './restore-profiles.ts';
import type { RestoreTarget } from './retargeted.ts';
import { foreignFinalizers } from './sanitise.ts';

/** What a user has to know of an object that cannot come back whole, or not as it was. */
export function notesOf(captured: JsonObject, object: Named, target: RestoreTarget): readonly string[] {
  const names = foreignFinalizers(captured).join(', ');
  const finalizers = names === '' ? '' : `without finalizer ${names}: its controller adds it again`;
  return [noteOf(object, target), finalizers].filter(Boolean);
}

function noteOf(object: Named, { from, to, profiles = BUILT_IN_PROFILES }: RestoreTarget): string {
  const { inCopy, note = '' } = profileOf(profiles, object) ?? {};
  if (inCopy !== undefined && from !== to) return note;
  if (object.apiVersion === 'v1' && object.kind === 'PersistentVolumeClaim')
    return 'a new, empty volume: restore its data with a VolumeRestoreRequest first';
  return isRedacted(object) ? 'all its values are empty: was it captured with secrets: Redact?' : '';
}

function isRedacted({ kind, ...fields }: Named): boolean {
  const data = getOwn(fields, 'data');
  if (kind !== 'Secret' || !isJsonObject(data)) return false;
  const values = Object.values(data);
  return values.length > 0 && values.every((value) => value === '');
}
