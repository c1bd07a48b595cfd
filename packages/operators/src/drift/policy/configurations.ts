import { admissionregistrationv1 } from '@kubewright/kube';
import { partOf } from '@kubewright/runtime';
import { CONFIGURATION } from './webhook-entries.ts';

/** Only the operator's own configuration is cached. */
export const CONFIGURATIONS = partOf(admissionregistrationv1.mutatingwebhookconfigurations, 'drift', {
  fieldSelector: `metadata.name=${CONFIGURATION}`,
});
