import type { KubeObject } from '@kubewright/kube';
import type { Decision } from '../../decision.ts';
import type { ResourceState } from '../api.ts';
import type { MigrationPolicy } from '../policy.ts';
import type { Rewrite } from './rewrite.ts';

/** One write to the object of a manifest. Each is guarded by the resourceVersion of `live`. */
export type ResourceAction =
  | { readonly type: 'apply'; readonly object: KubeObject }
  | { readonly type: 'rewrite'; readonly rewrite: Rewrite; readonly live: KubeObject }
  | { readonly type: 'delete'; readonly live: KubeObject; readonly propagation: 'Background' | 'Foreground' };

export type ResourceDecision = Decision<ResourceAction, ResourceState>;

/** What a decision knows beside what was observed. */
export type DecideContext = {
  /** What the slice's status says of this manifest. */
  readonly previous: ResourceState;
  readonly policy: MigrationPolicy;
  readonly now: Date;
  /** Whether the manifest carries `eno.azure.io/readiness*` expressions. */
  readonly hasReadinessChecks: boolean;
};
