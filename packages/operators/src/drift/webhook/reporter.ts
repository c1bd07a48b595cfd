import { defined, type KubeObject } from '@kubewright/kube';
import { decisionReport, type Logger, type Manager } from '@kubewright/runtime';
import { ANNOTATIONS, COMPONENT } from '../api.ts';
import type { RecordPlace } from '../annotations/object-record.ts';
import { approvalId, approvalsOf, modeOf } from '../annotations/find-approval.ts';
import { readAnnotation } from '../annotations/read-annotation.ts';
import { hashesOf, userHash } from '../annotations/user-hash.ts';
import type { AdmissionDecision } from '../decide/decide-admission.ts';
import { nativeObservedGeneration, phaseOf } from '../decide/is-reconciling.ts';
import type { Facts, Review } from '../decide/review.ts';
import { placeOf } from '../annotations/place-of.ts';
import type { Notes, Use } from '../records/notes.ts';
import { replicasOf } from '../records/scale-record.ts';
import { statusClaim } from '../records/status-claim.ts';
import type { ReportedChange } from '../reports/drift-report.ts';

type Decided = ReportedChange & { readonly log: Logger };

/** Counts and logs a decision, and queues what follows from it. Writes nothing itself. */
export type Reporter = (decided: Decided) => void;

/** Calls `decided` with each decision that is not about a dry run. */
export function createReporter(
  manager: Manager,
  notes: Notes,
  { place, decided }: { readonly place: RecordPlace; readonly decided: (change: ReportedChange) => void },
): Reporter {
  const count = decisionReport(manager.registry);
  const recorder = manager.recorderFor(COMPONENT);
  return ({ log, ...change }) => {
    const { request, review, decision } = change;
    const { parent } = change.facts;
    const { reason, event, allowed, about = parent } = decision;
    count({ controller: COMPONENT, log }, { reason }, false);
    if (event !== undefined)
      log.info(event.message, { reason: event.reason, allowed, dryRun: request.dryRun });
    // A dry run is not stored.
    if (request.dryRun) return;
    if (event !== undefined && about !== undefined)
      recorder.record(about, { ...event, related: relatedOf(review.object) });
    decided(change);
    if (place === 'annotations') noteStatus(review, decision, notes);
    noteScale(review, decision, notes);
    noteFreeze(change.facts, decision, notes);
    if (parent !== undefined) noteParent(review, parent, decision, { notes, place });
  };
}

const LEARNED = [ANNOTATIONS.controllers, ANNOTATIONS.observedGeneration, ANNOTATIONS.phase];

/** Custom resources lose annotations that the webhook adds to a status write. */
function noteStatus(
  { isStatus, isOwn, old, object, user }: Review,
  { annotations = {} }: AdmissionDecision,
  notes: Notes,
): void {
  if (!isStatus || isOwn) return;
  const isNative = nativeObservedGeneration(object) !== undefined;
  const keys = LEARNED.filter((key) => !isNative || key !== ANNOTATIONS.observedGeneration);
  if (keys.every((key) => annotations[key] === readAnnotation(old, key))) return;
  const { generation = 0 } = object.metadata;
  const claim = {
    ...statusClaim(old, object),
    controller: userHash(user),
    observedGeneration: isNative ? 0 : generation,
  };
  notes.add(placeOf(object), { statuses: [claim] });
}

/** What is stored with every other write. */
function noteScale({ isScale, object, old }: Review, decision: AdmissionDecision, notes: Notes): void {
  const { allowed, annotations } = decision;
  const replicas = replicasOf(object);
  if (isScale !== true || !allowed || annotations === undefined || replicas === undefined) return;
  const kept = [ANNOTATIONS.trace, ANNOTATIONS.updaters].map((key) => [key, annotations[key] ?? ''] as const);
  const generation = (old?.metadata.generation ?? 0) + 1;
  notes.add(placeOf(object), { scale: { generation, replicas, annotations: Object.fromEntries(kept) } });
}

/** What the brake freezes, with the freeze that has denied this change. */
function noteFreeze({ parent, mode }: Facts, { brake }: AdmissionDecision, notes: Notes): void {
  const freeze = readAnnotation(parent, ANNOTATIONS.freeze);
  if (brake === undefined || mode !== 'enforce' || freeze === undefined) return;
  for (const place of brake.tree) notes.add(place, { freeze });
}

/** Approvals that were used, now or earlier, and the phase that a parent's annotations lack. */
function noteParent(
  review: Review,
  parent: KubeObject,
  { approval }: AdmissionDecision,
  { notes, place }: { readonly notes: Notes; readonly place: RecordPlace },
): void {
  const { operation, object, old } = review;
  const now = approval !== undefined && modeOf(approval) === 'once' ? [approvalId(approval)] : [];
  const there = new Set(approvalsOf(parent).map(approvalId));
  const before = hashesOf(old, ANNOTATIONS.usedApprovals).filter((id) => there.has(id));
  const deleted = operation === 'DELETE' ? defined({ deleted: object.metadata.uid }) : {};
  const uses: readonly Use[] = [
    ...now.map((id) => ({ approval: id, child: placeOf(object), ...deleted })),
    ...before.map((id) => ({ approval: id, child: placeOf(object) })),
  ];
  const isNew =
    place === 'annotations' &&
    phaseOf(parent) === 'Initialized' &&
    readAnnotation(parent, ANNOTATIONS.phase) !== 'initialized';
  if (uses.length > 0 || isNew) notes.add(placeOf(parent), { uses });
}

function relatedOf({ apiVersion, kind, metadata }: KubeObject) {
  const {
    namespace,
    generateName = '',
    name = generateName === '' ? undefined : `${generateName}*`,
    uid,
  } = metadata;
  return { apiVersion, kind, ...defined({ namespace, name, uid }) };
}
