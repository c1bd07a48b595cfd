import type { corev1 } from '@kubewright/kube';
import { isDns1123Subdomain, isPathSegmentName } from '@kubewright/kube/validation';
import type { Field } from '../../validation/field.ts';

/** A reference to an object of any kind: `apiGroup`, `kind` and `name`. */
export function validateTypedReference(reference: Field<corev1.TypedLocalObjectReference>): void {
  reference.matchesIfSet('apiGroup', isDns1123Subdomain);
  reference.requireMatch('kind', isPathSegmentName);
  reference.requireMatch('name', isPathSegmentName);
}
