import { formatPath } from '../../fields/format-path.ts';
import type { Path } from '../../fields/path-element.ts';
import { compareText } from '../../json/compare-text.ts';
import { KubeError } from '../../kube-error.ts';
import type { StatusCause } from '../../object/kube-object.ts';
import { type Claims, managerIdentity } from './managers.ts';

/** A field that another manager owns with another value. */
export type Conflict = { readonly claims: Omit<Claims, 'set'>; readonly path: Path };

/** An apply without force conflicts with other managers. Message and causes are those of a server's 409. */
export class ConflictError extends KubeError {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super('Conflict', conflictMessage(conflicts));
    this.name = 'ConflictError';
    this.conflicts = conflicts;
  }

  get causes(): readonly StatusCause[] {
    return this.conflicts.map(({ claims, path }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${describeManager(claims)}`,
      field: formatPath(path),
    }));
  }
}

function conflictMessage(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${describeManager(first.claims)}: ${formatPath(first.path)}`;
  }
  const byManager = new Map<string, Conflict[]>();
  for (const conflict of conflicts) {
    const identity = managerIdentity(conflict.claims);
    const list = byManager.get(identity);
    if (list === undefined) byManager.set(identity, [conflict]);
    else list.push(conflict);
  }
  const lines = [...byManager]
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([, list]) => [
      `conflicts with ${list[0] === undefined ? '' : describeManager(list[0].claims)}:`,
      ...list.map(({ path }) => `- ${formatPath(path)}`),
    ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function describeManager(claims: Omit<Claims, 'set'>): string {
  const subresource =
    claims.subresource === '' ? '' : ` with subresource ${JSON.stringify(claims.subresource)}`;
  const version = claims.operation === 'Update' ? ` using ${claims.apiVersion}` : '';
  return `${JSON.stringify(claims.manager)}${subresource}${version}`;
}
