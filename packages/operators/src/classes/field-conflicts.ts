import { ApiError } from '@kubewright/client';

/** A field that another manager owns. */
export type FieldConflict = { readonly manager: string; readonly field: string };

/** The conflicts of a server-side apply without force; `undefined` if it failed for another reason. */
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
