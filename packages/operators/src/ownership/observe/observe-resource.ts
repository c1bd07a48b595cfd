import type { KubeObject } from '@kubewright/kube';
import { FIELD_MANAGER, PROBE_MANAGER } from '../constants.ts';
import { ownClaim, readClaims } from '../decide/claims.ts';
import { type Answer, refOf, type Target } from '../target.ts';
import { atVersion } from './at-version.ts';
import type { DesiredManifest } from './manifest.ts';

/** All that a decision on one object needs. `dryRun` and `probe` are answers to requests that persist nothing. */
export type ObservedResource = {
  readonly manifest: DesiredManifest;
  readonly live: KubeObject | undefined;
  /** Applying the manifest to `live`, at its resourceVersion. Absent where nothing would be applied. */
  readonly dryRun?: Answer;
  /**
   * Applying it under a name that owns nothing, asked only when the server refused the dry run as invalid. Such an
   * apply prunes nothing, so it shows which fields the manifest would own, and whether the manifest itself is at fault.
   */
  readonly probe?: Answer;
};

/** Reads what is needed, and only reads. `known` is the object as a write just returned it. */
export async function observeResource(
  manifest: DesiredManifest,
  target: Target,
  known?: KubeObject,
): Promise<ObservedResource> {
  const live = known ?? (await target.get(refOf(manifest.object)));
  const applies = live !== undefined && live.metadata.deletionTimestamp === undefined && !manifest.deleted;
  if (!applies) return { manifest, live };
  const guarded = atVersion(manifest.object, live);
  const dryRun = await target.apply(guarded, { manager: FIELD_MANAGER, dryRun: true });
  const refused = !dryRun.ok && dryRun.status.code === 422;
  if (!refused || ownClaim(readClaims(live).claims, FIELD_MANAGER) === undefined)
    return { manifest, live, dryRun };
  const probe = await target.apply(guarded, { manager: PROBE_MANAGER, dryRun: true });
  return { manifest, live, dryRun, probe };
}
