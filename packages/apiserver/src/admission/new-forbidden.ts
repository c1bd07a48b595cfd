import { type ApiServerError, forbidden } from '../api-server-error.ts';
import type { AdmissionAttributes } from '../rest/admission-attributes.ts';

/** The 403 of a plugin (`admission.NewForbidden`): it names the object as far as it has a name yet. */
export function newForbidden({ name, object, request }: AdmissionAttributes, why: string): ApiServerError {
  const { name: own = '', generateName = '' } = object?.metadata ?? {};
  return forbidden(request.definition, name || own || generateName || 'Unknown', why);
}

/** Several faults as one text (`utilerrors.NewAggregate`): each once, and in brackets where they differ. */
export function aggregated(faults: readonly string[]): string {
  const distinct = [...new Set(faults)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
