import {
  compareResourceVersions,
  isJsonObject,
  type Json,
  jsonEqual,
  type KubeObject,
  type Stored,
} from '@kubewright/kube';

/** What a review says of a write of the status: who writes it, and what it changes. */
export type StatusClaim = {
  /** Hash of the user. */
  readonly controller: string;
  /** 0: the status has it. */
  readonly observedGeneration: number;
  readonly uid: string;
  /** The version of the object that the write replaces. */
  readonly version: string;
  /** The fields of the status that the write changes, with their new values; of a write that changes none, all of them. */
  readonly fields: Readonly<Record<string, Json>>;
  readonly isChange: boolean;
};

type What = Omit<StatusClaim, 'controller' | 'observedGeneration'>;

/** What the review says that is written. */
export function statusClaim(old: KubeObject | undefined, object: KubeObject): What {
  const [before, fields] = [statusOf(old), statusOf(object)];
  const changed = Object.entries(fields).filter(([key, value]) => !jsonEqual(value, before[key] ?? null));
  const isChange = changed.length > 0;
  const { uid = '', resourceVersion: version = '' } = (old ?? object).metadata;
  return { uid, version, fields: isChange ? Object.fromEntries(changed) : fields, isChange };
}

/**
 * Whether the live object shows what a review says: it has been written since, and has a field that was written (another
 * webhook may change the rest). A write that changes nothing is not stored: then its object has all of that status.
 * So nothing comes of a write that was rejected later, nor of a forged review whose author does not know the object.
 */
export function isConfirmed(
  { uid, version, fields, isChange, observedGeneration }: StatusClaim,
  { metadata, ...live }: Stored,
): boolean {
  if (metadata.uid !== uid || observedGeneration > (metadata.generation ?? 0)) return false;
  const order = compareResourceVersions(metadata.resourceVersion, version) ?? 1;
  const status = statusOf({ ...live, metadata });
  const shows = ([key, value]: [string, Json]): boolean => jsonEqual(value, status[key] ?? null);
  return isChange
    ? order > 0 && Object.entries(fields).some(shows)
    : order >= 0 && Object.entries(fields).every(shows);
}

/** Own properties only: a status may have a field `__proto__`. */
function statusOf(object: KubeObject | undefined): Readonly<Record<string, Json>> {
  const status = object?.['status'];
  return isJsonObject(status) ? Object.assign(Object.create(null), status) : {};
}
