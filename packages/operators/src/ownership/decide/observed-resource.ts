import type { KubeObject, Stored } from '@kubewright/kube';
import type { Answer } from '../../kit/any-kind-api.ts';
import type { Holders } from '../holders/holders.ts';
import type { DesiredManifest } from '../read-manifest.ts';

/** Everything that a decision on one object depends on. `dryRun` and `probe` are results of dry runs. */
export type ObservedResource = {
  readonly manifest: DesiredManifest;
  readonly live: Stored | undefined;
  /**
   * The dry-run apply of the manifest to `live`, at its resourceVersion, or the dry-run replacement where the manifest
   * replaces, or of `merged`. Absent if nothing would be written.
   */
  readonly dryRun?: Answer;
  /** Who else has an object that is to be deleted. */
  readonly heldBy?: Holders;
  /** What replaces `live`, where server-side apply is disabled. */
  readonly merged?: KubeObject;
  /**
   * The dry-run apply under a manager that owns nothing, only if the server rejected the first one as invalid. It
   * prunes nothing, so it shows which fields the manifest would own, and whether the manifest itself is invalid.
   */
  readonly probe?: Answer;
};
