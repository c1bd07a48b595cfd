import { ApiError } from '@kubewright/client';

/** A field that was to be applied and that another manager owns. */
export type FieldConflict = { readonly manager: string; readonly field: string };

/** What a server-side apply without force was rejected for; `undefined`: that is not what is wrong. */
export function fieldConflicts(error: unknown): readonly FieldConflict[] | undefined {
  if (!(error instanceof ApiError) || error.code !== 409) return undefined;
  const causes = error.status.details?.causes ?? [];
  const conflicts = causes.filter(({ reason }) => reason === 'FieldManagerConflict');
  if (conflicts.length === 0) return undefined;
  return conflicts.map(({ field = '', message = '' }) => ({ field, manager: managerIn(message) }));
}

/** `conflict with "kubectl" using apps/v1` */
function managerIn(message: string): string {
  return /^conflict with "([^"]*)"/.exec(message)?.[1] ?? '';
}
