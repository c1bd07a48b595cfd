import type { KubeObject } from '@kubewright/kube';
import type { Steps } from '../request/steps.ts';
import type { AdmissionAttributes } from './admission-attributes.ts';

/**
 * Changes and rejects writes: the server's plugins and webhooks. It waits only for what is outside of the process, and
 * throws what rejects a write.
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
export type Admission = {
  /** The object as it is to be written; undefined where there is none. */
  readonly mutate: (attributes: AdmissionAttributes) => Steps<KubeObject | undefined>;
  readonly validate: (attributes: AdmissionAttributes) => Steps<void>;
};
