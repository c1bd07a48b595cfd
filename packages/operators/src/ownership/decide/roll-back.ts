import { formatTime, type KubeObject, type Status, type Stored } from '@kubewright/kube';
import { formatPath } from '@kubewright/kube/fields';
import { hashOf } from '../../kit/hash-of.ts';
import type { OwnershipReport } from '../api.ts';
import { identityOf } from '../read-managed-fields.ts';
import type { MigrationPlan } from './migration-plan.ts';
import { planRollback } from './plan-rollback.ts';
import { type DecideContext, note, type ResourceDecision, withReport } from './resource-decision.ts';

type RewritePlan = Extract<MigrationPlan, { kind: 'rewrite' }>;

/** After this time a plan that was rolled back is tried again: what made the server reject the apply may be gone. */
const RETRY_MS = 3_600_000;
/** The same after a denial by admission, which depends on more than this object. */
const DENIED_RETRY_MS = 300_000;
const DENIED = 'Denied';

/** What is moved, for which manifest: the same plan is not tried again at once. */
export function planHash(object: KubeObject, { moves, to }: RewritePlan): string {
  const moved = moves.map(({ path, from }) => [formatPath(path), ...from.map((owner) => identityOf(owner))]);
  const { metadata, ...rest } = object;
  return hashOf([{ ...rest, metadata: { ...metadata } }, moved, to === undefined ? '' : identityOf(to)]);
}

/** The report that this plan was rolled back, while it is not to be tried again. */
export function rolledBack(hash: string, { previous, now }: DecideContext): OwnershipReport | undefined {
  const { ownership } = previous;
  if (ownership?.state !== 'RolledBack' || ownership.plan !== hash) return undefined;
  const wait = ownership.reason === DENIED ? DENIED_RETRY_MS : RETRY_MS;
  return now.getTime() - Date.parse(ownership.time ?? '') < wait ? ownership : undefined;
}

/** Gives back what this reconcile moved, because the server rejects the apply all the same. */
export function decideRollback(
  refusal: Status,
  live: Stored,
  { migrated, previous, now }: DecideContext,
): ResourceDecision | undefined {
  if (migrated === undefined) return undefined;
  const rewrite = planRollback(migrated, live);
  if (rewrite === undefined) return undefined;
  const report: OwnershipReport = {
    ...migrated.report,
    state: 'RolledBack',
    reason: refusal.code === 403 ? DENIED : 'RolledBack',
    message: `${migrated.report.message}; given back, because the server rejects the apply all the same: ${refusal.message ?? 'rejected'}`,
    plan: migrated.hash,
    time: formatTime(now),
  };
  return {
    reason: 'Rollback',
    status: withReport(previous, report),
    action: { type: 'rewrite', rewrite, live, report },
    events: [note('Warning', 'OwnershipRolledBack', report.message)],
  };
}
