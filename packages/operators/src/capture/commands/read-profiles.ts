import { isJsonArray, type Json } from '@kubewright/kube';
import { compileSchema, pruneStructural, validateStructural } from '@kubewright/kube/schema';
import { formatFieldErrors } from '@kubewright/kube/validation';
import { readDocuments } from '../../kit/read-documents.ts';
import { OperatorError } from '../../operator-error.ts';
import { type RestoreProfile, RESTORE_PROFILES_FILE } from '../restore/restore-profile.ts';
import { restoreProfiles, type RestoreProfiles } from '../restore/restore-profiles.ts';

/** The built-in profiles with those of the file of `--profiles`. Throws OperatorError `Usage` for one that is none. */
export async function readProfiles(
  file: string | undefined,
  { signal }: { readonly signal: AbortSignal },
): Promise<RestoreProfiles> {
  if (file === undefined) return restoreProfiles();
  const documents = await readDocuments(file, { signal });
  return restoreProfiles(documents.flatMap((document) => profilesIn(document, file)));
}

function profilesIn(document: Json, file: string): readonly RestoreProfile[] {
  const schema = compileSchema(RESTORE_PROFILES_FILE.schema);
  const errors = validateStructural(schema, document);
  const { unknownFields } = pruneStructural(schema, document, { resourceRoot: false });
  const unknown = unknownFields.map((path) => `${path}: unknown field`);
  const found = errors.length > 0 ? [formatFieldErrors(errors)] : unknown;
  if (!isJsonArray(document) || found.length > 0)
    throw new OperatorError('Usage', `${file} is not a list of profiles: ${found.join(', ')}`);
  // The schema has said that they are.
  return document as Json as readonly RestoreProfile[];
}
