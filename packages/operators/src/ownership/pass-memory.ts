import type { Stored } from '@kubewright/kube';
import type { ActOutcome } from '@kubewright/runtime';
import type { Written } from './act.ts';
import type { OwnershipReport } from './api.ts';
import type { Migrated } from './decide/plan-rollback.ts';
import type { ResourceAction } from './decide/resource-decision.ts';

/** What a pass over one manifest knows from its own writes. */
export class PassMemory {
  #known: Stored | undefined;
  #moved: OwnershipReport | undefined;
  #migrated: Migrated | undefined;
  #rejected: string | undefined;

  /** The object as the last write returned it, once: after a rewrite or an apply, the response is the live object. */
  takeKnown(): Stored | undefined {
    const known = this.#known;
    this.#known = undefined;
    return known;
  }

  /** The report of the last rewrite, until another decision records it. */
  get moved(): OwnershipReport | undefined {
    return this.#moved;
  }

  get migrated(): Migrated | undefined {
    return this.#migrated;
  }

  /** Why the server rejected a rewrite that the apply does without: another look decides without it. */
  get rejected(): string | undefined {
    return this.#rejected;
  }

  noteWrite(action: ResourceAction, { outcome, object }: Written): ActOutcome {
    // On record by now: each decision that writes says again what was moved before.
    this.#moved = undefined;
    const rejection = rejectionOf(action, outcome);
    this.#rejected ??= rejection;
    if (rejection !== undefined) return 'conflict';
    if (outcome !== 'done') return outcome;
    // After a deletion only a look tells.
    this.#known = action.type === 'delete' ? undefined : object;
    if (action.type === 'rewrite') this.#moved = action.report;
    this.#migrated = migratedBy(action, object, this.#migrated);
    return 'done';
  }
}

function rejectionOf(action: ResourceAction, outcome: ActOutcome): string | undefined {
  const isOptional = action.type === 'rewrite' && action.isOptional === true;
  return isOptional && typeof outcome !== 'string' && outcome.code !== undefined
    ? outcome.message
    : undefined;
}

/** What a rollback undoes: this rewrite, with those before it if nobody else has written between them. */
function migratedBy(
  action: ResourceAction,
  after: Stored | undefined,
  last: Migrated | undefined,
): Migrated | undefined {
  if (action.type !== 'rewrite' || action.undo === undefined || after === undefined) return undefined;
  const isNext = last?.after.metadata.resourceVersion === action.live.metadata.resourceVersion;
  return last !== undefined && isNext ? { ...last, after } : { ...action.undo, before: action.live, after };
}
