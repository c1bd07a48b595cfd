import { manifestKey } from '../inventory.ts';
import type { DesiredManifest } from '../read-manifest.ts';
import { type Placed, Turns } from './turns.ts';

/** Which of several manifests of one object counts: a Patch may be beside the manifest that applies it. */
export type Precedence = {
  /**
   * Whether the turn of a later one has come: then the earlier one would only undo it. Until the manifests change, a Patch
   * that deletes an object before it is created does so once.
   */
  readonly isSuperseded: (manifest: DesiredManifest) => boolean;
  /** Whether no manifest of the same group or a later one applies the object of a Patch. */
  readonly prevails: (patch: DesiredManifest) => boolean;
};

/** The precedence among all manifests of a synthesis, in the states that they have before they are worked on. */
export function precedenceOf(placed: readonly Placed[]): Precedence {
  const turns = new Turns(false);
  for (const one of placed) turns.saw(one);
  const byKey = new Map<string, readonly DesiredManifest[]>();
  for (const { manifest } of placed) {
    const key = manifestKey(manifest);
    byKey.set(key, [...(byKey.get(key) ?? []), manifest]);
  }
  const ofSame = (manifest: DesiredManifest): readonly DesiredManifest[] =>
    byKey.get(manifestKey(manifest)) ?? [];
  return {
    isSuperseded: (manifest) =>
      ofSame(manifest).some((other) => other.readinessGroup > manifest.readinessGroup && turns.isDue(other)),
    prevails: (patch) =>
      ofSame(patch).every(
        (other) => other.patch !== undefined || other.deleted || other.readinessGroup < patch.readinessGroup,
      ),
  };
}
