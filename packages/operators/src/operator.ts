import type { JsonObject, KubeObject } from '@kubewright/kube';
import type { Manager } from '@kubewright/runtime';

/** One operator, as the manager and the installer see it. */
export type Operator = {
  /** Lower case; what `--operators` takes. */
  readonly name: string;
  /** The CustomResourceDefinitions that it needs. */
  readonly definitions: readonly KubeObject[];
  /** `rules` of a ClusterRole: the least that it needs for its own resources. */
  readonly rules: readonly JsonObject[];
  /** Adds its controllers to a manager that is not started yet. */
  addTo(manager: Manager, env: Readonly<Record<string, string | undefined>>): void;
};
