import type { Stored } from '@kubewright/kube';
import type { Answer } from '../../kit/any-kind-api.ts';
import type { DesiredManifest } from '../read-manifest.ts';

/** All that a decision on one object needs. `dryRun` and `probe` are answers to requests that persist nothing. */
export type ObservedResource = {
  readonly manifest: DesiredManifest;
  readonly live: Stored | undefined;
  /** Applying the manifest to `live`, at its resourceVersion. Absent where nothing would be applied. */
  readonly dryRun?: Answer;
  /**
   * Applying it under a name that owns nothing, asked only when the server refused the dry run as invalid. Such an
   * apply prunes nothing, so it shows which fields the manifest would own, and whether the manifest itself is at fault.
   */
  readonly probe?: Answer;
};
